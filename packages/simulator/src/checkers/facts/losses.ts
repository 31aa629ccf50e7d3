/**
 * What may be lost, and by what: the contract of acknowledgements, asked by whoever misses something.
 *
 *   all      acknowledged by acks=all: an unclean promotion, and a power cut under a flush policy other than `ack`
 *   visible  seen below the high watermark, so that every in-sync replica held it: any power cut besides
 *   written  acknowledged by acks=1: any change of the partition's leader besides
 *
 * Where logs meet by the high watermark (the dial `reconciliation`), every change of leader may cost anything.
 */
import type { Dials, Happening } from "../../history/happenings.ts";
import type { History } from "../../history/history.ts";
import type { PlaceName } from "../../history/place.ts";

export type Protection = "all" | "visible" | "written";

/** Between two moments, by their order. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const KAFKA: Dials = {
  flush: "ack",
  reconciliation: "leader-epoch",
  highWatermarkCheckpoint: true,
  rebalance: "barrier",
};

export class Losses {
  readonly #powerCuts: number[] = [];
  /** Those that may take what acks=all has acknowledged. */
  readonly #deepCuts: number[] = [];
  readonly #leaderChanges = new Map<PlaceName, number[]>();
  /** Changes of leader that may cost what every in-sync replica held. */
  readonly #uncleanChanges = new Map<PlaceName, number[]>();
  /** Starts that may show less than before. */
  readonly #forgetfulStarts: number[] = [];
  /** Under which two members may believe in one partition. */
  readonly #immediateFrom: number[] = [];

  constructor({ happenings, operations }: History) {
    let dials = KAFKA;
    const allowed = new UncleanAllowed(operations);
    for (const happening of happenings) {
      const { order } = happening;
      if (happening.kind === "process_started") {
        dials = happening.dials;
        if (!dials.highWatermarkCheckpoint) this.#forgetfulStarts.push(order);
        if (dials.rebalance === "immediate") this.#immediateFrom.push(order);
      } else if (happening.kind === "process_crashed" && happening.disk !== "kept") {
        this.#powerCuts.push(order);
        if (dials.flush !== "ack") this.#deepCuts.push(order);
      } else if (happening.kind === "leader_changed") {
        const { place } = happening;
        const isUnclean = happening.isUnclean && allowed.isAllowed(happening);
        note(this.#leaderChanges, place, order);
        if (isUnclean || dials.reconciliation === "high-watermark") note(this.#uncleanChanges, place, order);
      }
    }
  }

  /** What may have taken it in that time, in words; `null` when nothing may. */
  excuse(place: PlaceName, protection: Protection, span: Span): string | null {
    if (this.mayBeginShorter(place, span)) return `an unclean promotion in ${place}`;
    if (isWithin(this.#deepCuts, span)) return "a power cut under a flush policy that waits for no disk";
    if (protection === "all") return null;
    if (isWithin(this.#powerCuts, span)) return "a power cut";
    if (protection === "visible") return null;
    return isWithin(this.#leaderChanges.get(place), span) ? `another leader of ${place}` : null;
  }

  /** The same of something that rests on every partition of a topic, such as an internal one. */
  excuseOfTopic(topic: string, protection: Protection, span: Span): string | null {
    const places = [...this.#leaderChanges.keys()].filter((place) => place.startsWith(`${topic}/`));
    const excuses = places.map((place) => this.excuse(place, protection, span));
    return excuses.find((excuse) => excuse !== null) ?? this.excuse(`${topic}/`, protection, span);
  }

  /** Whether somebody may have begun to lead there with less than was visible. */
  mayBeginShorter(place: PlaceName, span: Span): boolean {
    return isWithin(this.#uncleanChanges.get(place), span);
  }

  /** Whether what is visible may have gone back by a start. */
  mayShowLess(span: Span): boolean {
    return isWithin(this.#forgetfulStarts, span);
  }

  /** Whether partitions go to their new owners at once in some life. */
  get isEverImmediate(): boolean {
    return this.#immediateFrom.length > 0;
  }
}

type LeaderChange = Extract<Happening, { kind: "leader_changed" }>;

/** Where an operator has allowed somebody to lead who is out of sync. */
export class UncleanAllowed {
  readonly #asked = new Map<string, number>();

  constructor(operations: History["operations"]) {
    for (const operation of operations) {
      if (operation.kind !== "promote" || !operation.asked.unclean) continue;
      const { place, brokerId } = operation.asked;
      const name = `${place} ${brokerId}`;
      if (!this.#asked.has(name)) this.#asked.set(name, operation.order);
    }
  }

  isAllowed({ place, leaderId, order }: LeaderChange): boolean {
    return (this.#asked.get(`${place} ${leaderId}`) ?? Number.POSITIVE_INFINITY) < order;
  }
}

function note(by: Map<PlaceName, number[]>, place: PlaceName, order: number): void {
  const known = by.get(place);
  if (known === undefined) by.set(place, [order]);
  else known.push(order);
}

/** `orders` rise. */
function isWithin(orders: readonly number[] | undefined, { from, to }: Span): boolean {
  if (orders === undefined) return false;
  let [low, high] = [0, orders.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((orders[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  const first = orders[low];
  return first !== undefined && first <= to;
}
