/** What can be asked of a partition without changing anything: who leads, who is in sync, what may be read. */
import type { Env } from "../env/env.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import type { Leadership } from "./leadership.ts";
import type { PartitionConfig } from "./partition-config.ts";
import { fetchBatches, findOffset } from "./partition-reads.ts";
import type { PartitionState } from "./partition-state.ts";
import type { FetchOptions, FetchResult, FoundOffset, Isolation } from "./partition-view.ts";
import type { Replica } from "./replica.ts";
import type { TopicPartition } from "./topic-partition.ts";

export abstract class ReplicaSetReads {
  readonly place: TopicPartition;
  readonly leadership: Leadership;
  protected readonly env: Env;
  protected config: PartitionConfig;

  constructor(leadership: Leadership, config: PartitionConfig, env: Env) {
    this.config = config;
    this.place = leadership.place;
    this.leadership = leadership;
    this.env = env;
  }

  /** As the metadata file has it. */
  get state(): PartitionState {
    return this.leadership.state;
  }

  get leaderEpoch(): number {
    return this.state.leaderEpoch;
  }

  /** In the order of placement. */
  get copies(): readonly Replica[] {
    return this.leadership.copies;
  }

  /** The brokers that hold a copy, in the order of placement. */
  get replicas(): readonly number[] {
    return this.copies.map(({ brokerId }) => brokerId);
  }

  /** The broker that the metadata names as the leader; `null` when nobody may lead. */
  get assignedLeaderId(): number | null {
    return this.state.leaderId;
  }

  /** The broker that leads, or `null` while it is stopped or its log is off line. */
  get leaderId(): number | null {
    return this.leadership.onlineLeader?.brokerId ?? null;
  }

  get isOnline(): boolean {
    return this.leaderId !== null;
  }

  /** The in-sync replicas (Kafka: ISR). */
  get inSyncReplicas(): readonly number[] {
    return this.state.inSyncReplicas;
  }

  /** Kafka: min.insync.replicas, as the topic's settings say. */
  get minInSyncReplicas(): number {
    return this.config.minInSyncReplicas;
  }

  /** Exclusive. */
  get highWatermark(): number {
    return this.leadership.highWatermark.value;
  }

  /** The end of what is decided, exclusive; see last-stable-offset.ts. It moves only while somebody leads. Kafka: LSO. */
  get lastStableOffset(): number {
    return this.leadership.lastStableOffset;
  }

  /** The leader's log. Throws LEADER_NOT_AVAILABLE, or STORAGE_ERROR with the reason when it could not be opened. */
  get leaderLog(): PartitionLog {
    return this.leadership.requireLeader().log;
  }

  /** The end of what a reader may see, exclusive. */
  visibleEnd(isolation: Isolation = "read_uncommitted"): number {
    return isolation === "read_committed" ? this.lastStableOffset : this.highWatermark;
  }

  /** Whole batches from the one that holds `offset` on, up to the visible end. Throws OFFSET_OUT_OF_RANGE, STORAGE_ERROR. */
  fetch(offset: number, options: FetchOptions): FetchResult {
    return fetchBatches(this, offset, options, this.env);
  }

  /**
   * The first visible offset whose record is of `timestampMs` or later; or the start (-2) or the visible end (-1) of the
   * partition. Kafka: ListOffsets (KIP-79).
   */
  listOffsets(timestampMs: number, isolation?: Isolation): FoundOffset {
    return findOffset(this, timestampMs, isolation);
  }

  /**
   * `listener` is called after the visible end has moved, when another leadership begins or its broker stops, and once when the
   * partition goes away. It must not throw.
   */
  onVisible(listener: () => void): () => void {
    return this.leadership.highWatermark.listen(listener);
  }
}
