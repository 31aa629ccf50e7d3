/**
 * One partition: who leads it, what it takes, how far it may be read.
 *
 * Owns: the high watermark, the checks between a request and the leader's log.
 * Invariants: logStartOffset <= highWatermark <= logEndOffset of the leader; with one replica the high watermark is the
 * leader's log end offset after each append.
 * Never: a record shown at or above the high watermark; a write while the leader's broker has failed.
 */
import { type BatchHeader, stampAppendTime } from "@minikafka/record";
import { assert } from "../assert.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import { type Acks, acknowledged, type FlushPolicy } from "./acknowledgement.ts";
import { requireAdmissible } from "./batch-admission.ts";
import { HighWatermark, highWatermarkOf } from "./high-watermark.ts";
import { requireEnoughReplicas } from "./in-sync-replicas.ts";
import { requireLeaderEpoch } from "./leader-epoch.ts";
import type { PartitionConfig } from "./partition-config.ts";
import type { FetchOptions, FetchResult, FoundOffset, Isolation } from "./partition-view.ts";
import { type DuplicateOf, duplicateIn, type ProducerRules } from "./sequence-check.ts";
import { partitionName, type TopicPartition } from "./topic-partition.ts";

/** What a partition must know of the broker that leads it. */
export interface LeaderBroker {
  readonly brokerId: number;
  /** Throws BROKER_FAILED when it takes no writes. */
  requireRunning(): void;
}

export interface ReplicaSetOptions {
  readonly place: TopicPartition;
  readonly leader: LeaderBroker;
  readonly leaderEpoch: number;
  readonly replicas: readonly number[];
  /** The leader's log, or why it could not be opened: then the partition is off line. */
  readonly log: PartitionLog | BrokerError;
  /** What holds until configure() says otherwise. */
  readonly config: PartitionConfig;
  readonly flush: FlushPolicy;
  readonly producers: ProducerRules;
}

export interface AppendOptions {
  readonly acks: Acks;
  /** The epoch that the client knows; default: whichever it is. */
  readonly leaderEpoch?: number;
}

export interface Appended {
  readonly baseOffset: number;
  readonly nextOffset: number;
  /** The time that the leader gave the batch; `null` when its records keep their producer's. */
  readonly appendTimeMs: number | null;
  /** The same batch was there already: this is where. Nothing was appended. */
  readonly duplicate: boolean;
  /** See acknowledgement.ts. */
  readonly acknowledged: Promise<void>;
}

/** Kafka's ListOffsets: two times that are none. */
export const EARLIEST_TIMESTAMP = -2;
export const LATEST_TIMESTAMP = -1;

export class PartitionReplicaSet {
  readonly place: TopicPartition;
  readonly leaderEpoch: number;
  readonly replicas: readonly number[];
  readonly #options: ReplicaSetOptions;
  readonly #env: Env;
  readonly #highWatermark: HighWatermark;
  #config: PartitionConfig;
  #retirement: BrokerError | null = null;

  constructor(options: ReplicaSetOptions, env: Env) {
    this.place = options.place;
    this.leaderEpoch = options.leaderEpoch;
    this.replicas = options.replicas;
    this.#options = options;
    this.#config = options.config;
    this.#env = env;
    // One replica that was recovered holds all that is left; there is nobody to wait for.
    this.#highWatermark = new HighWatermark(
      options.log instanceof BrokerError ? 0 : options.log.logEndOffset,
    );
  }

  /** The broker that the metadata names as the leader. */
  get assignedLeaderId(): number {
    return this.#options.leader.brokerId;
  }

  /** The broker that leads, or `null` while its log is off line. */
  get leaderId(): number | null {
    return this.isOnline ? this.assignedLeaderId : null;
  }

  get isOnline(): boolean {
    const { log } = this.#options;
    return !(log instanceof BrokerError) && !log.isOffline;
  }

  /** The in-sync replicas (Kafka: ISR). */
  get inSyncReplicas(): readonly number[] {
    return this.isOnline ? this.replicas : [];
  }

  /** Exclusive. */
  get highWatermark(): number {
    return this.#highWatermark.value;
  }

  /** Where the first open transaction begins, or the high watermark: there are no transactions yet. */
  get lastStableOffset(): number {
    return this.highWatermark;
  }

  /** The leader's log. Throws STORAGE_ERROR with the reason when it could not be opened. */
  get leaderLog(): PartitionLog {
    const { log } = this.#options;
    if (!(log instanceof BrokerError)) return log;
    throw new BrokerError(
      "STORAGE_ERROR",
      `${partitionName(this.place)} is off line: ${log.message}`,
      log.details,
      {
        cause: log,
      },
    );
  }

  /** The end of what a reader may see, exclusive. */
  visibleEnd(isolation: Isolation = "read_uncommitted"): number {
    return isolation === "read_committed" ? this.lastStableOffset : this.highWatermark;
  }

  /** From here on `config` holds, for what is appended next. */
  configure(config: PartitionConfig): void {
    this.#config = config;
  }

  /**
   * Gives the batch its offsets and writes it, all before this returns. `frame` belongs to the kernel from here on. Throws
   * FENCED_LEADER_EPOCH, NOT_ENOUGH_REPLICAS, BROKER_FAILED, STORAGE_ERROR, and what batch-admission.ts and
   * sequence-check.ts refuse; then nothing was appended. A retry owes the acknowledgement that the first one owed.
   */
  append(frame: Buffer, { acks, leaderEpoch }: AppendOptions): Appended {
    const log = this.leaderLog;
    this.#options.leader.requireRunning();
    if (leaderEpoch !== undefined) requireLeaderEpoch(leaderEpoch, this.leaderEpoch);
    const { batchBytesMax, minInSyncReplicas, timestampType } = this.#config;
    if (acks === "all") requireEnoughReplicas(this.inSyncReplicas, minInSyncReplicas, this.place);
    const header = requireAdmissible(frame, batchBytesMax);
    const before = duplicateIn(log, header, this.#options.producers);
    if (before !== null) return this.#appendedBefore(before, header, acks);
    const appendTimeMs = timestampType === "append" ? this.#env.clock.nowMs() : null;
    if (appendTimeMs !== null) stampAppendTime(frame, appendTimeMs);
    const { baseOffset, nextOffset } = log.append(frame, this.leaderEpoch);
    this.#advance(log);
    const acknowledged = this.#acknowledged(acks, nextOffset, log);
    return { baseOffset, nextOffset, appendTimeMs, duplicate: false, acknowledged };
  }

  /** Whole batches from the one that holds `offset` on, up to the visible end. Throws OFFSET_OUT_OF_RANGE, STORAGE_ERROR. */
  fetch(offset: number, { bytesMax, isolation }: FetchOptions): FetchResult {
    assert(
      Number.isSafeInteger(bytesMax) && bytesMax >= 0,
      `a fetch cannot return at most ${bytesMax} bytes`,
    );
    const log = this.leaderLog;
    this.#requireInRange(offset, log);
    const endOffset = this.visibleEnd(isolation);
    const { batches, nextOffset } =
      offset >= endOffset || bytesMax === 0
        ? { batches: NO_BYTES, nextOffset: offset }
        : log.read(offset, { bytesMax: Math.min(bytesMax, LIMITS.fetchBytesMax), endOffset });
    const { highWatermark, lastStableOffset } = this;
    this.#env.trace({
      kind: "fetched",
      ...this.#replica(),
      offset,
      nextOffset,
      bytes: batches.length,
      highWatermark,
    });
    return { batches, highWatermark, lastStableOffset, logStartOffset: log.logStartOffset, nextOffset };
  }

  /**
   * The first visible offset whose record is of `timestampMs` or later; or the start (-2) or the visible end (-1) of the
   * partition. Kafka: ListOffsets (KIP-79).
   */
  listOffsets(timestampMs: number, isolation?: Isolation): FoundOffset {
    const log = this.leaderLog;
    if (timestampMs === EARLIEST_TIMESTAMP) return { offset: log.logStartOffset, timestampMs: null };
    if (timestampMs === LATEST_TIMESTAMP) return { offset: this.visibleEnd(isolation), timestampMs: null };
    if (!Number.isSafeInteger(timestampMs) || timestampMs < 0) {
      const message = `timestamp_ms is ${timestampMs}; expected milliseconds since 1970, -1 (latest) or -2 (earliest)`;
      throw new BrokerError("INVALID_REQUEST", message);
    }
    const found = log.offsetForTimestamp(timestampMs, this.visibleEnd(isolation));
    return found ?? { offset: null, timestampMs: null };
  }

  /** `listener` is called after the visible end has moved, or once when the partition goes away. It must not throw. */
  onVisible(listener: () => void): () => void {
    return this.#highWatermark.listen(listener);
  }

  /**
   * The partition goes away, with its topic or with the cluster: nobody may wait here any longer. `reason` is what an
   * acknowledgement is told that its log can't give any more.
   */
  retire(reason: BrokerError | null = null): void {
    this.#retirement = reason;
    this.#highWatermark.tellAndForget();
  }

  #appendedBefore(before: DuplicateOf, header: BatchHeader, acks: Acks): Appended {
    const { baseOffset, nextOffset, appendTimeMs } = before;
    const { producerId, producerEpoch, baseSequence } = header;
    const producer = { producerId, producerEpoch, baseSequence };
    this.#env.trace({ kind: "duplicate_answered", ...this.#replica(), ...producer, baseOffset, nextOffset });
    const acknowledged = this.#acknowledged(acks, nextOffset, this.leaderLog);
    return { baseOffset, nextOffset, appendTimeMs, duplicate: true, acknowledged };
  }

  async #acknowledged(acks: Acks, nextOffset: number, log: PartitionLog): Promise<void> {
    try {
      await acknowledged(log, { acks, nextOffset, flush: this.#options.flush });
    } catch (problem) {
      throw problem instanceof BrokerError ? (this.#retirement ?? problem) : problem;
    }
  }

  #advance(log: PartitionLog): void {
    const from = this.highWatermark;
    if (!this.#highWatermark.advance(highWatermarkOf([log.logEndOffset]))) return;
    this.#env.trace({
      kind: "high_watermark_moved",
      ...this.#replica(),
      from,
      to: this.highWatermark,
      logEndOffset: log.logEndOffset,
    });
    this.#highWatermark.tell();
  }

  #requireInRange(offset: number, { logStartOffset, logEndOffset }: PartitionLog): void {
    if (offset >= logStartOffset && offset <= logEndOffset) return;
    throw new BrokerError(
      "OFFSET_OUT_OF_RANGE",
      `offset ${offset} of ${partitionName(this.place)} is not there; expected ${logStartOffset} to ${logEndOffset}`,
      { offset, log_start_offset: logStartOffset, log_end_offset: logEndOffset },
    );
  }

  #replica(): { brokerId: number } & TopicPartition {
    return { brokerId: this.#options.leader.brokerId, ...this.place };
  }
}

const NO_BYTES = Buffer.alloc(0);
