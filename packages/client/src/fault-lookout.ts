/**
 * A fault's part in the watches of its client.
 *
 * Owns the watch for a crash, from before it was armed: nobody is left to be asked afterwards. For others somebody watches while he waits.
 * Invariant: a watch that was lost is taken anew, since its connection alone may have gone, or its broker begun anew with other faults;
 * at once, so that nobody waits for a broker that is not there, and with a pause where that does not last either.
 */
import { clockOfConnections } from "./broker-clock.ts";
import type { ClientClock } from "./clock.ts";
import { hasCode, type MiniKafkaError } from "./errors.ts";
import { ASK_AGAIN_MS } from "./fault-question.ts";
import { type NamedFault, unseen } from "./fault-refusals.ts";
import type { FaultSight, FaultWatch } from "./fault-watch.ts";
import { type FaultWatches, STEADY_MS, type WatchLease } from "./fault-watches.ts";
import { LIMITS } from "./limits.ts";
import { backoffMs } from "./link/backoff.ts";
import type { CallOptions, Session } from "./session.ts";
import { limitOf, pause } from "./waiting.ts";

const BACKOFF = { initialMs: LIMITS.reconnectBackoffMs, maxMs: LIMITS.reconnectBackoffMsMax } as const;

/** How something is found out. */
export interface Search<Found> {
  /** By a watch that is open. */
  readonly watching: (watch: FaultWatch) => Promise<Found>;
  /** Of a broker whose watches do not last; `null` for not yet. */
  readonly asking: (options: CallOptions) => Promise<Found | null>;
}

export class FaultLookout {
  readonly #fault: NamedFault;
  readonly #session: Session;
  /** A pause comes to its end though nobody steps the broker's. */
  readonly #clock: ClientClock;
  readonly #watches: FaultWatches;
  #witness: WatchLease | null;

  /** `witness`: of a crash. */
  constructor(fault: NamedFault, session: Session, watches: FaultWatches, witness: WatchLease | null) {
    this.#fault = fault;
    this.#session = session;
    this.#clock = clockOfConnections(session.clock);
    this.#watches = watches;
    this.#witness = witness;
    if (witness !== null) watches.keep(witness);
  }

  /** Whether it is there all the time, as for a crash. */
  get isKept(): boolean {
    return this.#witness !== null;
  }

  /** What was seen all the time; `null` without. */
  sight(mark: string): FaultSight | null {
    return this.#witness?.watch.of(mark) ?? null;
  }

  /** Ends what is there all the time; what was seen stays known. */
  async leave(): Promise<void> {
    await this.#witness?.leave();
  }

  /** Whether there is a broker that has not died of the crash that was seen. Known at once, where a call would wait for one to come. */
  async outlives(mark: string, options: CallOptions = {}): Promise<boolean> {
    try {
      const part = await this.#watches.take(options);
      await part.leave();
      return !part.watch.hasTold(mark);
    } catch (error) {
      if (hasCode(error, "CONNECTION") || hasCode(error, "CRASHED") || hasCode(error, "CLOSED")) return false;
      throw error;
    }
  }

  /** Rejects with CONNECTION where the broker is not there any more, with the signal's reason, and as `search` does. */
  async find<Found>(search: Search<Found>, signal: AbortSignal | undefined): Promise<Found> {
    for (let losses = 1; ; losses += 1) {
      const beganMs = this.#clock.elapsedMs();
      const watched = await this.#watched(search, signal);
      if ("found" in watched) return watched.found;
      if (this.#clock.elapsedMs() - beganMs >= STEADY_MS) losses = 1;
      if (losses === 1) continue;
      // The next one is refused where its process was ending.
      const found = losses === 2 ? null : await this.#asked(search, signal, watched.unopened);
      if (found !== null) return found;
      await pause(this.#clock, backoffMs(losses - 1, BACKOFF, this.#session.random), signal);
    }
  }

  /** `unopened`: why the watch never was, though somebody was there. */
  async #watched<Found>(
    { watching }: Search<Found>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly found: Found } | { readonly unopened: MiniKafkaError | null }> {
    let part: WatchLease;
    try {
      part = await this.#part({ signal });
    } catch (error) {
      if (!hasCode(error, "CONNECTION")) throw error;
      // Who has closed it may be there, such as a fault at this very request.
      if (error.details.sent !== true) throw unseen(this.#fault, error);
      return { unopened: error };
    }
    try {
      return { found: await watching(part.watch) };
    } catch (error) {
      if (!hasCode(error, "CONNECTION") || !part.watch.isOver) throw error;
      return { unopened: null };
    } finally {
      await part.leave();
    }
  }

  async #part(options: CallOptions): Promise<WatchLease> {
    const part = await this.#watches.take(options);
    const witness = this.#witness;
    if (witness?.isOver === true) {
      this.#witness = this.#watches.join(part.watch);
      this.#watches.keep(this.#witness);
      await witness.leave();
    }
    return part;
  }

  /** Waits for no answer for long: whether somebody is there is known by the next watch. */
  async #asked<Found>(
    { asking }: Search<Found>,
    signal: AbortSignal | undefined,
    unopened: MiniKafkaError | null,
  ): Promise<Found | null> {
    const late = new Error("no answer so far");
    const limit = limitOf(this.#clock, { timeoutMs: ASK_AGAIN_MS, signal }, () => late);
    try {
      return await asking({ signal: limit.signal });
    } catch (error) {
      if (error === late) return null;
      if (!hasCode(error, "CONNECTION")) throw error;
      if (unopened !== null) throw unseen(this.#fault, unopened);
      return null;
    } finally {
      limit.end();
    }
  }
}
