/**
 * Reads records of partitions that the caller names (Kafka: KafkaConsumer with `assign`; groups come later).
 *
 * A position moves when records are handed out. One poll, or one iteration, is under way at a time.
 */
import { isRetriable, MiniKafkaError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Closable, Session } from "../session.ts";
import { type TopicPartition, topicPartitionKey } from "../topic-partition.ts";
import { checkedInteger, usageError } from "../usage.ts";
import { WakeUp } from "../wake-up.ts";
import { BriefLook } from "./brief-look.ts";
import { type ConsumerOptions, type ConsumerSettings, consumerSettings } from "./consumer-options.ts";
import type { ConsumerRecord } from "./consumer-record.ts";
import { type ConsumerBatch, CursorRing } from "./cursor-ring.ts";
import { Fetcher } from "./fetcher.ts";
import { checkOffsetSpec, lookUpOffset } from "./offset-lookup.ts";
import { type OffsetSpec, PartitionCursor } from "./partition-cursor.ts";

/** A partition to read, from `offset` on. Left out: where it was if it was assigned already, else as autoOffsetReset says. */
export interface AssignedPartition extends TopicPartition {
  readonly offset?: OffsetSpec | undefined;
}

export interface PollOptions {
  /** At most so many records (default 500). */
  readonly maxRecords?: number | undefined;
  /** How long to wait for the first (default 0: what is there now, for which the broker is asked if need be). */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait; the poll then fails with the signal's reason, and no record is lost. */
  readonly signal?: AbortSignal | undefined;
}

export interface IterationOptions {
  /** Ends the iteration, which then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface BatchIterationOptions extends IterationOptions {
  /** Records of one batch at most (default: all that a fetch returned). */
  readonly maxRecords?: number | undefined;
}

/** How far a consumer is behind a partition's visible end. */
export interface PartitionLag extends TopicPartition {
  readonly position: number;
  readonly endOffset: number;
  readonly lag: number;
}

/** How often an iteration record by record looks whether it is time to fetch more. */
const RECORDS_PER_LOOK_AHEAD = 128;

export class Consumer implements Closable, AsyncDisposable, AsyncIterable<ConsumerRecord> {
  readonly #session: Session;
  readonly #settings: ConsumerSettings;
  readonly #enough = new AbortController();
  readonly #wakeUp = new WakeUp();
  readonly #ring = new CursorRing();
  readonly #fetcher: Fetcher;
  readonly #forget: () => void;
  #isPolling = false;
  #isClosed = false;

  /** Throws USAGE for options out of bounds. */
  constructor(session: Session, options: ConsumerOptions = {}) {
    this.#session = session;
    this.#settings = consumerSettings(options, session);
    this.#fetcher = new Fetcher(session, this.#settings, this.#enough.signal, {
      // Before anything is decoded, so that the broker works on the next answer meanwhile.
      arrived: () => this.#fetchAhead(),
      changed: () => this.#wakeUp.now(),
    });
    this.#forget = session.own(this);
  }

  /** The assigned partitions. */
  get assignment(): readonly TopicPartition[] {
    return this.#ring.all.map(({ place }) => place);
  }

  /**
   * Reads these partitions from now on, instead of those before. The broker is asked at once where to begin, so that "end" is
   * the end of now; what that fails with (a topic that is not there) is for the next poll.
   */
  assign(partitions: readonly AssignedPartition[]): void {
    this.#assertOpen();
    const keys = new Set(partitions.map(topicPartitionKey));
    if (keys.size < partitions.length) throw usageError("a partition is assigned twice");
    for (const { partition, offset } of partitions) {
      checkedInteger("partition", partition, 0);
      if (offset !== undefined) checkOffsetSpec(offset);
    }
    const cursors = partitions.map(({ topic, partition, offset }) => {
      const cursor = this.#ring.find({ topic, partition }) ?? new PartitionCursor({ topic, partition });
      if (typeof offset === "number") cursor.moveTo(offset);
      else if (offset !== undefined) cursor.lose(offset);
      return cursor;
    });
    this.#ring.replace(cursors);
    this.#fetcher.begin(cursors);
    this.#wakeUp.now();
  }

  /**
   * The next records, from as many partitions as it takes. Empty when none came in time. Fails with an error of a partition
   * (the others' records come with the next poll), and with CONNECTION and the like when the last attempt within the time
   * failed. Damage is CORRUPT_BATCH.
   */
  async poll(options: PollOptions = {}): Promise<ConsumerRecord[]> {
    const countMax = checkedInteger("maxRecords", options.maxRecords ?? LIMITS.pollRecordsMax, 1);
    const timeoutMs = checkedInteger("timeoutMs", options.timeoutMs ?? 0, 0);
    const records = await this.#exclusive(() =>
      this.#next(timeoutMs, options.signal, () => {
        const taken = this.#ring.take(countMax);
        return taken.length === 0 ? null : taken;
      }),
    );
    return records ?? [];
  }

  /** Record by record, as long as the consumer is open. What may mend itself (a broken connection) is waited for. */
  async *records(options: IterationOptions = {}): AsyncGenerator<ConsumerRecord, void, undefined> {
    yield* this.#iterate(options.signal, RECORDS_PER_LOOK_AHEAD, () => this.#ring.takeOne());
  }

  [Symbol.asyncIterator](): AsyncGenerator<ConsumerRecord, void, undefined> {
    return this.records();
  }

  /** Batch by batch: what a fetch returned of one partition. */
  async *batches(options: BatchIterationOptions = {}): AsyncGenerator<ConsumerBatch, void, undefined> {
    const countMax = checkedInteger("maxRecords", options.maxRecords ?? Number.MAX_SAFE_INTEGER, 1);
    yield* this.#iterate(options.signal, 1, () => this.#ring.takeBatch(countMax));
  }

  /**
   * Goes on at `to`. A number takes effect at once, the other forms when the broker has answered, and until then nothing of
   * the partition is handed out. A time later than every record is the end.
   */
  async seek(place: TopicPartition, to: OffsetSpec): Promise<void> {
    this.#assertOpen();
    checkOffsetSpec(to);
    const cursor = this.#ring.get(place);
    if (typeof to === "number") cursor.moveTo(to);
    else {
      cursor.restart();
      await this.#fetcher.locate(cursor, to);
    }
    this.#wakeUp.now();
  }

  /** The offset of the next record to be handed out; finds it out if need be. */
  async position(place: TopicPartition): Promise<number> {
    this.#assertOpen();
    const cursor = this.#ring.get(place);
    while (cursor.position === null) {
      if (cursor.busy === "no") await this.#fetcher.locateLost(cursor);
      else await this.#wakeUp.wait(this.#session.clock, null, this.#enough.signal);
      this.#assertOpen();
    }
    return cursor.position;
  }

  /** How far each assigned partition is behind its visible end, as the broker knows it now. */
  lag(): Promise<PartitionLag[]> {
    const { isolation } = this.#settings;
    const lookup = { isolation, enough: this.#enough.signal };
    return Promise.all(
      this.assignment.map(async (place) => {
        const position = await this.position(place);
        const endOffset = await lookUpOffset(this.#session, place, "end", lookup);
        return { ...place, position, endOffset, lag: Math.max(0, endOffset - position) };
      }),
    );
  }

  /** Hands nothing out of these partitions (default: all) until `resume`. */
  pause(places: readonly TopicPartition[] = this.assignment): void {
    for (const place of places) this.#ring.get(place).isPaused = true;
  }

  resume(places: readonly TopicPartition[] = this.assignment): void {
    for (const place of places) this.#ring.get(place).isPaused = false;
    this.#wakeUp.now();
  }

  /** Ends polls (with CLOSED) and iterations. Nothing is left of it but, for a moment, a fetch whose answer is dropped. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#enough.abort();
    this.#ring.replace([]);
    this.#wakeUp.now();
    this.#forget();
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
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
      this.#assertOpen();
      const error = this.#fetcher.takeError();
      if (error !== null) throw error;
      const taken = take();
      if (taken !== null) {
        this.#fetchAhead();
        return taken;
      }
      const leftMs = deadlineMs - clock.elapsedMs();
      if (leftMs > 0) this.#fetcher.ask(this.#ring.toAsk(), this.#waitMs(leftMs));
      else if (timeoutMs === 0) this.#fetcher.ask(look.toAsk(this.#ring), 0);
      if (this.#fetcher.hasError) continue;
      if (leftMs <= 0 && !this.#fetcher.hasQuick) {
        const failed = this.#ring.all.find((cursor) => cursor.error !== null && !cursor.isPaused);
        if (failed?.error != null) throw failed.error;
        return null;
      }
      await this.#wakeUp.wait(clock, leftMs > 0 ? this.#untilNextAttempt(leftMs) : null, signal);
    }
  }

  #waitMs(leftMs: number): number {
    return Math.max(0, Math.min(Math.ceil(leftMs), this.#settings.fetchWaitMs));
  }

  /** The time that is left, or less when a partition may be tried again before. */
  #untilNextAttempt(leftMs: number): number {
    const nowMs = this.#session.clock.elapsedMs();
    let waitMs = leftMs;
    for (const { notBeforeMs } of this.#ring.all)
      if (notBeforeMs > nowMs) waitMs = Math.min(waitMs, notBeforeMs - nowMs);
    return waitMs;
  }

  /** Asks for more while the caller works, when more is known to be there and little is in hand. */
  #fetchAhead(): void {
    if (!this.#settings.fetchAhead) return;
    const cursors = this.#ring.all;
    const hasMore = cursors.some(
      ({ fetchOffset, highWatermark }) =>
        fetchOffset !== null && highWatermark !== null && fetchOffset < highWatermark,
    );
    if (!hasMore) return;
    const inHandBytes = cursors.reduce((bytes, cursor) => bytes + cursor.undecodedBytes, 0);
    if (inHandBytes < this.#settings.fetchBytes) this.#fetcher.ask(this.#ring.toAsk(), 0);
  }

  async *#iterate<T>(
    signal: AbortSignal | undefined,
    takesPerLookAhead: number,
    take: () => T | null,
  ): AsyncGenerator<T, void, undefined> {
    for (let count = 1; !this.#isClosed; count += 1) {
      signal?.throwIfAborted();
      const inHand = take();
      if (inHand !== null && count % takesPerLookAhead === 0) this.#fetchAhead();
      const taken = inHand ?? (await this.#exclusive(() => this.#patiently(signal, take)));
      if (taken !== null) yield taken;
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

  #assertOpen(): void {
    if (this.#isClosed)
      throw new MiniKafkaError("CLOSED", "the consumer is closed", { details: { sent: false } });
  }
}
