/**
 * What a broker tells of faults as they act.
 *
 * Owns the watches of the events, one connection for all crashes of a client and one for its other faults; it is there while anybody needs it;
 * and what was seen by any of them.
 * Invariant: who needs a watch whose connection has gone takes another; that a broker has gone says nothing about what of, and a number is
 * given to another fault once a broker has begun anew.
 */
import type { WatchedEvent } from "@minikafka/protocol";
import { clockOfConnections } from "./broker-clock.ts";
import type { Cancel, ClientClock } from "./clock.ts";
import { hasCode, MiniKafkaError } from "./errors.ts";
import type { EventStream } from "./event-stream.ts";
import { newMarkStart } from "./fault-mark.ts";
import type { FaultAction } from "./fault-order.ts";
import { type FaultSight, FaultWatch } from "./fault-watch.ts";
import { LIMITS } from "./limits.ts";
import { backoffMs } from "./link/backoff.ts";
import type { CallOptions, Session } from "./session.ts";
import { limitOf, untilAborted } from "./waiting.ts";

/** A watch that has stood for so long has lasted. */
export const STEADY_MS = LIMITS.reconnectBackoffMsMax;
/** Others in a row that are taken at once in the place of one that was lost, as by a test that loads a snapshot again and again. */
const AT_ONCE = 5;
const BACKOFF = { initialMs: LIMITS.reconnectBackoffMs, maxMs: LIMITS.reconnectBackoffMsMax } as const;

/** A part in a watch, which is there until all have left it. */
export class WatchLease {
  watch: FaultWatch;
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
  readonly #clock: ClientClock;
  #marks = 0;
  #current: FaultWatch | null = null;
  #beganMs = 0;
  /** Watches in a row that did not last, and when their broker was last known to be there. */
  #losses = 0;
  #lostMs = 0;
  #cancelRenewal: Cancel = () => undefined;
  readonly #sights = new Map<string, FaultSight>();
  readonly #leases = new Set<WatchLease>();
  /** Of crashes, from when they are armed. */
  readonly #witnesses = new Set<WatchLease>();

  constructor(session: Session) {
    this.#session = session;
    this.#clock = clockOfConnections(session.clock);
    session.own({ close: async () => this.#cancelRenewal() });
  }

  /** Of no other fault, anywhere. */
  newMark(): string {
    this.#marks += 1;
    return `${this.#markStart}${this.#marks}`;
  }

  /** Whatever acts after this has resolved is seen. Its options are those of the opening alone. Rejects as a call does. */
  async take(options: CallOptions): Promise<WatchLease> {
    options.signal?.throwIfAborted();
    const lease = this.join(this.#lasting());
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
      if (this.#witnesses.size === 0) this.#cancelRenewal();
      if (![...this.#leases].some((other) => other.watch === left.watch)) await left.watch.close();
    });
    this.#leases.add(lease);
    return lease;
  }

  /**
   * It stays until its fault is disarmed: where its watch is lost, as by whoever loads a snapshot, it has another at once, or as soon as its
   * broker is there again within requestTimeoutMs. Where that has died of a fault that was seen, or does not come, the next question looks for it.
   */
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

  #lasting(): FaultWatch {
    if (this.#current !== null && !this.#current.isOver) return this.#current;
    const watch: FaultWatch = new FaultWatch(this.#open(), this.#sights, (error) => this.#lost(watch, error));
    this.#beganMs = this.#clock.elapsedMs();
    this.#current = watch;
    return watch;
  }

  #lost(watch: FaultWatch, error: unknown): void {
    const nowMs = this.#clock.elapsedMs();
    if (nowMs - this.#beganMs >= STEADY_MS) this.#losses = 0;
    if (this.#losses === 0) this.#lostMs = nowMs;
    const kept = this.witnesses.filter((witness) => witness.watch === watch);
    const isOver = watch.hasToldAny || nowMs - this.#lostMs > this.#session.requestTimeoutMs;
    if (kept.length === 0 || isOver || !hasCode(error, "CONNECTION")) return;
    const pauses = Math.max(0, this.#losses - AT_ONCE);
    const delayMs = backoffMs(pauses, BACKOFF, this.#session.random);
    this.#losses += 1;
    if (delayMs === 0) this.#renew(kept);
    else this.#cancelRenewal = this.#clock.after(delayMs, () => this.#renew(kept));
  }

  #renew(lost: readonly WatchLease[]): void {
    const kept = lost.filter((witness) => this.#witnesses.has(witness));
    if (kept.length === 0) return;
    try {
      const anew = this.#lasting();
      const isThere = () => {
        this.#lostMs = this.#clock.elapsedMs();
      };
      anew.opened.then(isThere, () => undefined);
      for (const witness of kept) witness.watch = anew;
    } catch {
      // Its broker says at once that it does not come.
    }
  }

  #open(): EventStream<WatchedEvent> {
    const fields = { kinds: ["fault_fired" as const], fault_mark: this.#markStart };
    return this.#session.watch(fields, (event) => event);
  }
}

function tooLate(timeoutMs: number): MiniKafkaError {
  const details = { operation: "watch", timeoutMs };
  return new MiniKafkaError("TIMEOUT", `watch got no answer in ${timeoutMs} ms`, { details });
}
