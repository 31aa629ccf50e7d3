/**
 * One watch of the faults of a client.
 *
 * Invariant: nothing counts for a fault but an event with its own mark. A watch never comes back: its end is that of the broker, as far as
 * a client can see.
 */
import type { WatchedEvent } from "@minikafka/protocol";
import { hasCode, MiniKafkaError } from "./errors.ts";
import type { EventStream } from "./event-stream.ts";

/** What was seen of a fault since it was armed, or first watched for. */
export interface FaultSight {
  readonly fired: number;
  /** Which of its hits it acted on last; 0 before the first. */
  readonly lastHit: number;
}

const UNSEEN: FaultSight = { fired: 0, lastHit: 0 };

/** Made by {@link FaultWatches.take}. */
export class FaultWatch {
  readonly #events: EventStream<WatchedEvent>;
  /** Rejects as a call does. */
  readonly opened: Promise<void>;
  /** Of all watches of a client, by mark. */
  readonly #sights: Map<string, FaultSight>;
  readonly #onOver: (error: unknown) => void;
  readonly #told = new Set<string>();
  #end: { readonly error: unknown } | null = null;
  #waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];

  constructor(
    events: EventStream<WatchedEvent>,
    sights: Map<string, FaultSight>,
    onOver: (error: unknown) => void,
  ) {
    this.#events = events;
    this.#sights = sights;
    this.#onOver = onOver;
    this.opened = events.open();
    void this.#read();
  }

  of(mark: string): FaultSight {
    return this.#sights.get(mark) ?? UNSEEN;
  }

  get hasToldAny(): boolean {
    return this.#told.size > 0;
  }

  /** Whether it was this one that has told of it: of a crash, by a broker that dies. */
  hasTold(mark: string): boolean {
    return this.#told.has(mark);
  }

  get isOver(): boolean {
    return this.#end !== null;
  }

  /** Resolves at the next event, also of another fault. Rejects with what has ended the watch: CONNECTION, CLOSED, or a signal's reason. */
  changed(): Promise<void> {
    if (this.#end !== null) return Promise.reject(this.#end.error);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  wake(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  async close(): Promise<void> {
    this.#over(closed());
    await this.#events.close();
    // It may be given up on the way.
    await this.opened.catch(() => undefined);
  }

  async #read(): Promise<void> {
    try {
      await this.opened;
      for await (const { kind, mark, hit } of this.#events) {
        if (kind === "fault_fired" && typeof mark === "string") this.#tell(mark, Number(hit));
        this.wake();
      }
      this.#over(closed());
    } catch (error) {
      this.#over(error);
    }
  }

  #tell(mark: string, hit: number): void {
    this.#told.add(mark);
    this.#sights.set(mark, { fired: this.of(mark).fired + 1, lastHit: hit });
  }

  #over(error: unknown): void {
    if (this.#end !== null) return;
    this.#end = { error };
    for (const [mark, sight] of actedBefore(error)) this.#sights.set(mark, sight);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#onOver(error);
  }
}

/** A broker in a test's own process is known, as it dies, by all that its faults have done: its error says so under `faults`. */
function actedBefore(error: unknown): [string, FaultSight][] {
  if (!(error instanceof MiniKafkaError) || !hasCode(error, "CRASHED")) return [];
  const faults = (error.details.faults ?? []) as readonly { mark: string; hits: number; fired: number }[];
  return faults.map(({ mark, hits, fired }) => [mark, { fired, lastHit: hits }]);
}

function closed(): MiniKafkaError {
  return new MiniKafkaError("CLOSED", "the client is closed");
}
