/**
 * What a broker tells of faults as they act.
 *
 * Owns the watches of the events, one connection for all crashes of a client and one for its other faults; it is there while anybody needs it. A watch never
 * comes back: its end is that of the broker, as far as a client can see, and who needs one then takes another.
 * Invariant: nothing counts for a fault but an event with its own mark. That a broker has gone says nothing about what of, and a number
 * is given to another fault once a broker has begun anew.
 */
import type { WatchedEvent } from "@minikafka/protocol";
import { hasCode, MiniKafkaError } from "./errors.ts";
import type { EventStream } from "./event-stream.ts";
import { newMarkStart } from "./fault-mark.ts";
import type { FaultAction } from "./fault-order.ts";
import type { CallOptions, Session } from "./session.ts";
import { limitOf, untilAborted } from "./waiting.ts";

/** What was seen of a fault since the watch began. */
export interface FaultSight {
  readonly fired: number;
  /** Which of its hits it acted on last; 0 before the first. */
  readonly lastHit: number;
}

const UNSEEN: FaultSight = { fired: 0, lastHit: 0 };

/** A part in a watch, which is there until all have left it. */
export class WatchLease {
  readonly watch: FaultWatch;
  readonly #onLeft: (lease: WatchLease) => Promise<void>;
  #isLeft = false;

  /** Made by {@link FaultWatches.take}. */
  constructor(watch: FaultWatch, onLeft: (lease: WatchLease) => Promise<void>) {
    this.watch = watch;
    this.#onLeft = onLeft;
  }

  /** Nothing will be seen by it any more; what was stays known. */
  get isOver(): boolean {
    return this.#isLeft || this.watch.isOver;
  }

  async leave(): Promise<void> {
    if (this.#isLeft) return;
    this.#isLeft = true;
    await this.#onLeft(this);
  }
}

/** For crashes one of their own: a slow reader loses none to what others do. */
const OF_CRASHES = new WeakMap<Session, FaultWatches>();
const OF_OTHERS = new WeakMap<Session, FaultWatches>();

/** Those of a client, however often it is asked for its faults. */
export function faultWatchesOf(session: Session, action: FaultAction): FaultWatches {
  const known = action === "crash" ? OF_CRASHES : OF_OTHERS;
  const watches = known.get(session) ?? new FaultWatches(session);
  known.set(session, watches);
  return watches;
}

export class FaultWatches {
  /** Of all marks. From no source that a caller gives: two clients, or two programs, would have it in common. */
  readonly #markStart = newMarkStart();
  readonly #session: Session;
  #marks = 0;
  #current: FaultWatch | null = null;
  readonly #leases = new Set<WatchLease>();
  /** Of crashes, from when they are armed. */
  readonly #witnesses = new Set<WatchLease>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Of no other fault, anywhere. */
  newMark(): string {
    this.#marks += 1;
    return `${this.#markStart}${this.#marks}`;
  }

  /** Whatever acts after this has resolved is seen. Its options are those of the opening alone. Rejects as a call does. */
  async take(options: CallOptions): Promise<WatchLease> {
    options.signal?.throwIfAborted();
    if (this.#current === null || this.#current.isOver) this.#current = new FaultWatch(this.#open());
    const lease = this.join(this.#current);
    const limit = limitOf(this.#session.clock, options, tooLate);
    try {
      await untilAborted(lease.watch.opened, limit.signal);
      return lease;
    } catch (error) {
      await lease.leave();
      throw error;
    } finally {
      limit.end();
    }
  }

  /** Another part in one that is open. */
  join(watch: FaultWatch): WatchLease {
    const lease = new WatchLease(watch, async (left) => {
      this.#leases.delete(left);
      this.#witnesses.delete(left);
      if (![...this.#leases].some((other) => other.watch === watch)) await watch.close();
    });
    this.#leases.add(lease);
    return lease;
  }

  /** It stays until its fault is disarmed. */
  keep(witness: WatchLease): void {
    if (!witness.isOver) this.#witnesses.add(witness);
  }

  /** Those that are kept now. */
  get witnesses(): readonly WatchLease[] {
    return [...this.#witnesses];
  }

  /** Something is disarmed: who waits is to ask again. */
  disarmed(): void {
    this.#current?.wake();
  }

  #open(): EventStream<WatchedEvent> {
    const fields = { kinds: ["fault_fired" as const], fault_mark: this.#markStart };
    return this.#session.watch(fields, (event) => event);
  }
}

/** Made by {@link FaultWatches.take}. */
export class FaultWatch {
  readonly #events: EventStream<WatchedEvent>;
  /** Rejects as a call does. */
  readonly opened: Promise<void>;
  readonly #sights = new Map<string, FaultSight>();
  #end: { readonly error: unknown } | null = null;
  #waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];

  constructor(events: EventStream<WatchedEvent>) {
    this.#events = events;
    this.opened = events.open();
    void this.#read();
  }

  of(mark: string): FaultSight {
    return this.#sights.get(mark) ?? UNSEEN;
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
        if (kind === "fault_fired" && typeof mark === "string")
          this.#sights.set(mark, { fired: this.of(mark).fired + 1, lastHit: Number(hit) });
        this.wake();
      }
      this.#over(closed());
    } catch (error) {
      this.#over(error);
    }
  }

  #over(error: unknown): void {
    if (this.#end === null) for (const [mark, sight] of actedBefore(error)) this.#sights.set(mark, sight);
    this.#end ??= { error };
    for (const { reject } of this.#waiting.splice(0)) reject(error);
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

function tooLate(timeoutMs: number): MiniKafkaError {
  const details = { operation: "watch", timeoutMs };
  return new MiniKafkaError("TIMEOUT", `watch got no answer in ${timeoutMs} ms`, { details });
}
