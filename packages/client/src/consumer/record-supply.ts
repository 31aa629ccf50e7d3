/**
 * Waits for records and hands them out, in polls and in iterations.
 *
 * Owns the cursors, the fetcher and what the caller has in hand. Invariants: a position moves when records are handed out;
 * one poll, or one step of an iteration, is under way at a time; nothing is handed out while the gate is shut; what hands nothing
 * out, empty or failed, ends in a later turn of the event loop, so that a caller in a loop keeps no heartbeat and no timer waiting.
 */
import { turnOfOthers } from "../clock.ts";
import { isRetriable, MiniKafkaError } from "../errors.ts";
import type { Session } from "../session.ts";
import type { TopicPartition } from "../topic-partition.ts";
import { usageError } from "../usage.ts";
import { WakeUp } from "../wake-up.ts";
import { BriefLook } from "./brief-look.ts";
import type { ConsumerSettings } from "./consumer-options.ts";
import { CursorRing, type HandedOutBatch } from "./cursor-ring.ts";
import type { HandedOutRecord } from "./deserialized-record.ts";
import { Fetcher } from "./fetcher.ts";
import { HandOuts } from "./hand-outs.ts";

/** Who has a say in what is handed out beside the broker that is asked for records: the consumer's group. */
export interface Gate {
  /** Whether records may be handed out now. */
  readonly isOpen: boolean;
  /** Whether the broker may be asked for records now. */
  readonly mayAsk: boolean;
  /** Whether something is under way that the broker answers at once: worth waiting for even when time is up. */
  readonly hasQuick: boolean;
  /** What the next poll throws, `null` for nothing. */
  takeError(): unknown;
  /** What keeps records away and may mend itself. */
  trouble(): MiniKafkaError | null;
  /** Whether an error of a partition that trying again does not mend will pass, since the partition will be taken away. */
  willPass(error: MiniKafkaError): boolean;
  /** Where to begin, by `topicPartitionKey`; a partition without an offset begins as autoOffsetReset says. */
  committed(places: readonly TopicPartition[]): Promise<ReadonlyMap<string, number>>;
}

const OPEN: Gate = {
  isOpen: true,
  mayAsk: true,
  hasQuick: false,
  takeError: () => null,
  trouble: () => null,
  willPass: () => false,
  committed: () => Promise.resolve(new Map()),
};

/** How often an iteration record by record looks whether it is time to fetch more. */
const RECORDS_PER_LOOK_AHEAD = 128;

export class RecordSupply {
  readonly ring = new CursorRing();
  readonly handOuts = new HandOuts();
  readonly fetcher: Fetcher;
  gate: Gate = OPEN;
  readonly #session: Session;
  readonly #settings: ConsumerSettings;
  readonly #enough = new AbortController();
  readonly #wakeUp = new WakeUp();
  #isPolling = false;
  #isClosed = false;

  constructor(session: Session, settings: ConsumerSettings) {
    this.#session = session;
    this.#settings = settings;
    this.fetcher = new Fetcher(session, settings, this.#enough.signal, {
      // Before anything is decoded, so that the broker works on the next answer meanwhile.
      arrived: () => this.#fetchAhead(),
      changed: () => this.changed(),
      willPass: (error) => this.gate.willPass(error),
      committed: (places) => this.gate.committed(places),
    });
  }

  /** Aborted by the close. */
  get enough(): AbortSignal {
    return this.#enough.signal;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  assertOpen(): void {
    if (!this.#isClosed) return;
    throw new MiniKafkaError("CLOSED", "the consumer is closed", { details: { sent: false } });
  }

  /** The next error that trying again won't mend, `null` for none; one of a partition is given once. */
  takeError(): unknown {
    return this.gate.takeError() ?? this.fetcher.takeError();
  }

  /** Something may be there now, or an error: whoever waits looks again. */
  changed(): void {
    this.#wakeUp.now();
  }

  /** Until something has changed, or the supply is closed. */
  change(signal: AbortSignal = this.enough): Promise<void> {
    return this.#wakeUp.wait(this.#session.clock, null, signal);
  }

  async poll(
    countMax: number,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<HandedOutRecord[]> {
    const take = () => {
      const taken = this.ring.take(countMax);
      if (taken.length === 0) return null;
      this.handOuts.giveMany(taken);
      return taken;
    };
    let records: HandedOutRecord[] | null = null;
    try {
      records = await this.#exclusive(() => {
        this.handOuts.done();
        return this.#next(timeoutMs, signal, take);
      });
    } finally {
      if (records === null) await turnOfOthers();
    }
    return records ?? [];
  }

  records(signal: AbortSignal | undefined): AsyncGenerator<HandedOutRecord, void, undefined> {
    return this.#iterate(signal, RECORDS_PER_LOOK_AHEAD, () => {
      const record = this.ring.takeOne();
      if (record !== null) this.handOuts.giveOne(record);
      return record;
    });
  }

  batches(
    countMax: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<HandedOutBatch, void, undefined> {
    return this.#iterate(signal, 1, () => {
      const batch = this.ring.takeBatch(countMax);
      if (batch !== null) this.handOuts.giveMany(batch.records);
      return batch;
    });
  }

  /** Hands nothing out any more; the cursors stay, for who has still to commit them. */
  close(): void {
    this.#isClosed = true;
    this.#enough.abort();
    this.changed();
  }

  /** The first thing that `take` finds, fetching until it does or the time is over. */
  async #next<T>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    take: () => T | null,
  ): Promise<T | null> {
    const { clock } = this.#session;
    const deadlineMs = clock.elapsedMs() + timeoutMs;
    const look = new BriefLook();
    for (;;) {
      signal?.throwIfAborted();
      this.assertOpen();
      const error = this.takeError();
      if (error !== null) throw error;
      const taken = this.gate.isOpen ? take() : null;
      if (taken !== null) {
        this.#fetchAhead();
        return taken;
      }
      const leftMs = deadlineMs - clock.elapsedMs();
      if (this.gate.mayAsk) {
        if (leftMs > 0) this.fetcher.ask(this.ring.toAsk(), this.#waitMs(leftMs));
        else if (timeoutMs === 0) this.fetcher.ask(look.toAsk(this.ring), 0);
      }
      if (this.fetcher.hasError) continue;
      if (leftMs <= 0 && !this.fetcher.hasQuick && !this.gate.hasQuick) {
        const trouble = this.#trouble();
        if (trouble !== null) throw trouble;
        return null;
      }
      await this.#wakeUp.wait(clock, leftMs > 0 ? this.#untilNextAttempt(leftMs) : null, signal);
    }
  }

  /** What may mend itself, and is the reason why nothing came. */
  #trouble(): MiniKafkaError | null {
    const failed = this.ring.all.find(({ error, isPaused }) => error?.retriable === true && !isPaused);
    return failed?.error ?? this.gate.trouble();
  }

  #waitMs(leftMs: number): number {
    return Math.max(0, Math.min(Math.ceil(leftMs), this.#settings.fetchWaitMs));
  }

  /** The time that is left, or less when a partition may be tried again before. */
  #untilNextAttempt(leftMs: number): number {
    const nowMs = this.#session.clock.elapsedMs();
    let waitMs = leftMs;
    for (const { notBeforeMs } of this.ring.all)
      if (notBeforeMs > nowMs) waitMs = Math.min(waitMs, notBeforeMs - nowMs);
    return waitMs;
  }

  /** Asks for more while the caller works, when more is known to be there and little is in hand. */
  #fetchAhead(): void {
    if (!this.#settings.fetchAhead || !this.gate.mayAsk) return;
    const cursors = this.ring.all;
    const hasMore = cursors.some(
      ({ fetchOffset, visibleEnd }) =>
        fetchOffset !== null && visibleEnd !== null && fetchOffset < visibleEnd,
    );
    if (!hasMore) return;
    const inHandBytes = cursors.reduce((bytes, cursor) => bytes + cursor.undecodedBytes, 0);
    if (inHandBytes < this.#settings.fetchBytes) this.fetcher.ask(this.ring.toAsk(), 0);
  }

  async *#iterate<T>(
    signal: AbortSignal | undefined,
    takesPerLookAhead: number,
    take: () => T | null,
  ): AsyncGenerator<T, void, undefined> {
    for (let count = 1; !this.#isClosed; count += 1) {
      signal?.throwIfAborted();
      this.handOuts.done();
      const inHand = this.gate.isOpen ? take() : null;
      if (inHand !== null && count % takesPerLookAhead === 0) this.#fetchAhead();
      const taken = inHand ?? (await this.#exclusive(() => this.#patiently(signal, take)));
      if (taken === null) await turnOfOthers();
      else yield taken;
    }
  }

  /** Like `#next`, but an error that may mend itself is not the caller's, and a close is no error. */
  async #patiently<T>(signal: AbortSignal | undefined, take: () => T | null): Promise<T | null> {
    try {
      return await this.#next(this.#settings.fetchWaitMs, signal, take);
    } catch (error) {
      if (this.#isClosed || isRetriable(error)) return null;
      throw error;
    }
  }

  async #exclusive<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isPolling) throw usageError("another poll or iteration of this consumer is under way");
    this.#isPolling = true;
    try {
      return await work();
    } finally {
      this.#isPolling = false;
    }
  }
}
