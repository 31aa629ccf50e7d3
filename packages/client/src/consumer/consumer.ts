/**
 * Reads records of partitions that the caller names, or that a group shares out (Kafka: KafkaConsumer).
 *
 * A position moves when records are handed out. One poll, or one iteration, is under way at a time.
 */
import type { ReadableStream } from "node:stream/web";
import { requireCallOptions } from "../client-options.ts";
import { LIMITS } from "../limits.ts";
import type { Closable, Session } from "../session.ts";
import { type TopicPartition, topicPartitionKey } from "../topic-partition.ts";
import { checkedInteger, requireOptions, usageError } from "../usage.ts";
import { type WaitOptions, waitingFor } from "../wait-options.ts";
import { hurriedBy } from "../waiting.ts";
import {
  type BatchIterationOptions,
  type ConsumerCloseOptions,
  type ConsumerOptions,
  consumerSettings,
  type IterationOptions,
  type PollOptions,
} from "./consumer-options.ts";
import type { ConsumerRecord } from "./consumer-record.ts";
import type { ConsumerBatch } from "./cursor-ring.ts";
import { ConsumerGroup } from "./group/consumer-group.ts";
import type { CommittedOffset, OffsetToCommit } from "./group/offset-commits.ts";
import {
  type OffsetSender,
  SEND_POSITIONS,
  type TransactionalConsumer,
} from "./group/transactional-offsets.ts";
import { checkOffsetSpec } from "./offset-lookup.ts";
import { type OffsetSpec, PartitionCursor } from "./partition-cursor.ts";
import { type PartitionLag, Positions } from "./positions.ts";
import { type ReadyOptions, whenReady } from "./readiness.ts";
import { recordSource } from "./record-source.ts";
import { RecordSupply } from "./record-supply.ts";

/**
 * A partition to read, from `offset` on. Left out: where it was if it was assigned already, else where the consumer's group
 * has committed, else as autoOffsetReset says.
 */
export interface AssignedPartition extends TopicPartition {
  readonly offset?: OffsetSpec | undefined;
}

/** A consumer whose records have keys of type `K` and values of type `V`: bytes, or what its deserializers make of them. */
export class Consumer<K = Buffer, V = Buffer>
  implements Closable, AsyncDisposable, AsyncIterable<ConsumerRecord<K, V>>, TransactionalConsumer
{
  readonly #session: Session;
  readonly #supply: RecordSupply;
  readonly #positions: Positions;
  readonly #group: ConsumerGroup | null;
  readonly #forget: () => void;
  #closing: Promise<void> | null = null;
  /** The listener may still commit while the consumer is being closed. */
  #isOver = false;

  /** Throws USAGE for options that are unknown or out of bounds. */
  constructor(session: Session, options: ConsumerOptions<K, V> = {}) {
    this.#session = session;
    const settings = consumerSettings(options, session);
    this.#supply = new RecordSupply(session, settings);
    this.#positions = new Positions(session, settings, this.#supply);
    const { group } = settings;
    this.#group = group === null ? null : new ConsumerGroup(session, group, this.#supply);
    if (this.#group !== null) this.#supply.gate = this.#group;
    this.#forget = session.own(this);
  }

  /** The partitions that are read now. */
  get assignment(): readonly TopicPartition[] {
    return this.#supply.ring.all.map(({ place }) => place);
  }

  /** The name of the group's member; `null` without a group. */
  get memberId(): string | null {
    return this.#group?.memberId ?? null;
  }

  /** The generation of its group that the consumer knows; `null` while it is no member. */
  get generation(): number | null {
    return this.#group?.generation ?? null;
  }

  /**
   * Reads these partitions from now on, instead of those before. The broker is asked at once where to begin, so that "end" is
   * the end of now; what that fails with (a topic that is not there) is for the next poll.
   */
  assign(partitions: readonly AssignedPartition[]): void {
    this.#supply.assertOpen();
    if (!Array.isArray(partitions))
      throw usageError("assign takes an array of { topic, partition, offset? }");
    const keys = new Set(partitions.map(topicPartitionKey));
    if (keys.size < partitions.length) throw usageError("a partition is assigned twice");
    for (const { partition, offset } of partitions) {
      checkedInteger("partition", partition, 0);
      if (offset !== undefined) checkOffsetSpec(offset);
    }
    this.#group?.assigns();
    const cursors = partitions.map((assigned) => this.#cursorOf(assigned));
    this.#supply.ring.replace(cursors);
    this.#supply.fetcher.begin(cursors);
    this.#supply.changed();
  }

  /**
   * Reads what the group gives this member of the topics (or of the one topic), instead of those before. Resolves when the coordinator has taken
   * it as a member, and fails with what it refuses. Where heartbeats go by themselves nobody has to wait for it: polls fail with
   * the same. An abort of `signal` ends the wait; the subscription stays.
   */
  subscribe(topics: string | readonly string[], options?: WaitOptions): Promise<void> {
    if (options !== undefined) return waitingFor("subscribe", options, () => this.subscribe(topics));
    try {
      this.#supply.assertOpen();
      return this.#inGroup("subscribe").subscribe(topics);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Resolves when the consumer has all that it was assigned, nothing is on its way to it or from it, and all positions are known. An
   * abort of `signal` ends the wait; the consumer is as it was.
   */
  async ready(options: ReadyOptions = {}): Promise<void> {
    requireCallOptions("ready", options);
    await whenReady(this.#session, this.#supply, options, {
      waitsFor: () => (this.#group === null ? null : this.#group.waitsFor()),
      position: (place) => this.position(place),
    });
  }

  /**
   * The next records, from as many partitions as it takes. Empty when none came in time. Fails with an error of a partition
   * (the others' records come with the next poll), and with CONNECTION and the like when the last attempt within the time
   * failed. Damage is CORRUPT_BATCH; what a deserializer refuses is a RecordDeserializationError, each time
   * until a `seek` goes past it. What `onRebalance` threw comes as it was thrown. An abort of `signal` ends the wait: no record
   * was handed out, and what is fetched meanwhile comes with the next poll. One that hands nothing out ends in a later turn of the
   * event loop: polled without end, it lets heartbeats, timers and signals through.
   */
  async poll(options: PollOptions = {}): Promise<ConsumerRecord<K, V>[]> {
    requireCallOptions("poll", options, ["maxRecords"]);
    const countMax = checkedInteger("maxRecords", options.maxRecords ?? LIMITS.pollRecordsMax, 1);
    const { timeoutMs = 0, signal } = options;
    // Here and below: what the supply hands out was made by the deserializers of this consumer.
    return this.#supply.poll(countMax, timeoutMs, signal) as Promise<ConsumerRecord<K, V>[]>;
  }

  /**
   * Record by record, as long as the consumer is open. What may mend itself (a broken connection) is waited for. When `signal` aborts,
   * the iteration fails with its reason; the record in hand may be committed, and the one after it comes next.
   */
  records(options: IterationOptions = {}): AsyncGenerator<ConsumerRecord<K, V>, void, undefined> {
    requireOptions("records", options, ["signal"]);
    return this.#supply.records(options.signal) as AsyncGenerator<ConsumerRecord<K, V>, void, undefined>;
  }

  /** As `records`. */
  [Symbol.asyncIterator](): AsyncGenerator<ConsumerRecord<K, V>, void, undefined> {
    return this.records();
  }

  /** Batch by batch: what a fetch returned of one partition, or up to `maxRecords` of it. Otherwise as `records`. */
  batches(options: BatchIterationOptions = {}): AsyncGenerator<ConsumerBatch<K, V>, void, undefined> {
    requireOptions("batches", options, ["maxRecords", "signal"]);
    const countMax = checkedInteger("maxRecords", options.maxRecords ?? Number.MAX_SAFE_INTEGER, 1);
    return this.#supply.batches(countMax, options.signal) as AsyncGenerator<
      ConsumerBatch<K, V>,
      void,
      undefined
    >;
  }

  /**
   * A stream of records, for `pipeTo` and, by `Readable.fromWeb`, for Node's pipelines. It reads nothing ahead: who reads on says that
   * the record before is done, as in a loop. It ends when the consumer is closed; cancelling it, or an abort of `signal`, ends the
   * iteration and not the consumer. What a pipe leads into is seldom done with a record when it takes the next one: commit
   * by hand then, with `autoCommit: false`, or in a transaction.
   */
  readable(options: IterationOptions = {}): ReadableStream<ConsumerRecord<K, V>> {
    requireOptions("readable", options, ["signal"]);
    return recordSource((signal) => this.records({ signal }), options.signal);
  }

  /**
   * Goes on at `to`. A number takes effect at once, the other forms when the broker has answered, and until then nothing of
   * the partition is handed out. A time later than every record is the end. An abort of `signal` ends the wait, and the consumer
   * goes there all the same.
   */
  async seek(place: TopicPartition, to: OffsetSpec, options: WaitOptions = {}): Promise<void> {
    await waitingFor("seek", options, () => this.#positions.seek(place, to));
  }

  /** The offset of the next record to be handed out; finds it out if need be. */
  position(place: TopicPartition, options: WaitOptions = {}): Promise<number> {
    return waitingFor("position", options, () => this.#positions.position(place));
  }

  /** How far each partition is behind the end of what its isolation may see, as the broker knows it now; with a group, also what is committed. */
  lag(options: WaitOptions = {}): Promise<PartitionLag[]> {
    return waitingFor("lag", options, () => this.#positions.lag(this.#group));
  }

  /** Hands nothing out of these partitions (default: all) until `resume`. */
  pause(places: readonly TopicPartition[] = this.assignment): void {
    for (const place of places) this.#supply.ring.get(place).isPaused = true;
  }

  /** Hands out of these partitions (default: all) again. */
  resume(places: readonly TopicPartition[] = this.assignment): void {
    for (const place of places) this.#supply.ring.get(place).isPaused = false;
    this.#supply.changed();
  }

  /**
   * Commits for the group: all positions, so that everything that was handed out counts as done, or these offsets, all or
   * none. Fails with ILLEGAL_GENERATION, NOT_PARTITION_OWNER or UNKNOWN_MEMBER when a rebalance came before it, and with
   * UNKNOWN_TOPIC when the topic was deleted, also when it was made anew. An abort of `signal` ends the wait; the commit is on its way,
   * and the next one goes after it.
   */
  async commit(offsets?: readonly OffsetToCommit[], options: WaitOptions = {}): Promise<void> {
    const { commits } = this.#inGroup("commit");
    await waitingFor("commit", options, () =>
      offsets === undefined ? commits.commitPositions() : commits.commit(offsets),
    );
  }

  /** For `tx.sendOffsets(consumer)`, which is what to call. */
  async [SEND_POSITIONS](sender: OffsetSender): Promise<void> {
    this.#supply.assertOpen();
    await this.#inGroup("sendOffsets").sendPositions(sender);
  }

  /**
   * Goes on in these partitions (default: all that are read now) where the group has committed, and where it has committed nothing
   * where this consumer began: for after a transaction that was aborted, whose records are to be read again. They come in batches
   * of their own: not the same ones together. An abort of `signal` ends the wait, and the consumer goes there all the same.
   */
  async seekToCommitted(
    places: readonly TopicPartition[] = this.assignment,
    options: WaitOptions = {},
  ): Promise<void> {
    this.#inGroup("seekToCommitted");
    await waitingFor("seekToCommitted", options, () => this.#positions.seekToCommitted(places));
  }

  /** What the group has committed of these partitions (default: all that are read now), in their order. */
  async committed(
    places: readonly TopicPartition[] = this.assignment,
    options: WaitOptions = {},
  ): Promise<readonly CommittedOffset[]> {
    const { commits } = this.#inGroup("committed");
    return waitingFor("committed", options, () => commits.committed(places));
  }

  /**
   * One heartbeat with all that it brings about: an assignment that has changed is followed, and what was let go confirmed.
   * A member that was expired joins anew. Where heartbeats go by themselves, this is one more. An abort of `signal` ends the wait;
   * the heartbeat, and what it brings about, goes on.
   */
  async heartbeat(options: WaitOptions = {}): Promise<void> {
    this.#supply.assertOpen();
    const group = this.#inGroup("heartbeat");
    await waitingFor("heartbeat", options, () => group.heartbeat());
  }

  /**
   * Asks for the assignment and follows it; what was let go is confirmed by the next heartbeat alone. An abort of `signal` ends the
   * wait, and the answer is followed all the same.
   */
  async refreshAssignment(options: WaitOptions = {}): Promise<void> {
    this.#supply.assertOpen();
    const group = this.#inGroup("refreshAssignment");
    await waitingFor("refreshAssignment", options, () => group.refreshAssignment());
  }

  /**
   * Ends polls (with CLOSED) and iterations. A member commits what the caller is done with, if commits are automatic, and
   * leaves its group. The caller is done with what it has asked beyond: what the last poll or step of a loop returned comes
   * again, unless `commit()` was called after it. (Kafka's close commits what the last poll returned.) Fails, when all
   * that is over, with what that commit failed with: what was done since the one before comes again. Who could not leave is
   * expired. Called in `onRebalance` it does not wait for the listener, which waits for it. An abort of `signal` ends the time for it:
   * what was not committed then comes again, and nobody waits to hear that the member has left.
   */
  async close(options: ConsumerCloseOptions = {}): Promise<void> {
    requireCallOptions("close", options, ["leave"]);
    this.#group?.closes();
    this.#closing ??= this.#close(options);
    await hurriedBy(options.signal, () => this.#group?.hurry(), this.#closing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close({ timeoutMs = LIMITS.closeTimeoutMs, leave = true }: ConsumerCloseOptions): Promise<void> {
    this.#supply.close();
    try {
      await this.#group?.close(timeoutMs, leave);
    } finally {
      this.#isOver = true;
      this.#supply.ring.replace([]);
      this.#forget();
    }
  }

  #cursorOf({ topic, partition, offset }: AssignedPartition): PartitionCursor {
    const known = this.#supply.ring.find({ topic, partition });
    const cursor = known ?? new PartitionCursor({ topic, partition });
    if (typeof offset === "number") cursor.moveTo(offset);
    else if (offset !== undefined) cursor.lose(offset);
    else if (known === undefined && this.#group !== null) cursor.lose("committed");
    return cursor;
  }

  #inGroup(what: string): ConsumerGroup {
    if (this.#isOver) this.#supply.assertOpen();
    if (this.#group === null) throw usageError(`${what} needs a group: give the consumer a groupId`);
    return this.#group;
  }
}
