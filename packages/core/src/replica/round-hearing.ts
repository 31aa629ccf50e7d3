/**
 * What rounds do that copy nothing: a follower hears how far the leader has made things visible or where its log begins, tells where it
 * ends, flushes to join the in-sync replicas, or is well again.
 *
 * Owns: how each follower of the rounds stood before, and those that stand otherwise afterwards.
 */
import type { Replica } from "./replica.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";
import type { TopicPartition } from "./topic-partition.ts";

/** A follower that copied nothing, afterwards. */
export interface HeardRound extends TopicPartition {
  readonly brokerId: number;
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  /** As far as the follower has heard. */
  readonly highWatermark: number;
  /** Of the partition. */
  readonly leaderHighWatermark: number;
}

interface Quiet {
  readonly set: PartitionReplicaSet;
  readonly follower: Replica;
  readonly isNews: boolean;
  readonly wasInSync: boolean;
}

export class RoundHearing {
  readonly #quiet: Quiet[] = [];
  #before: readonly unknown[] = [];

  before(set: PartitionReplicaSet, follower: Replica): void {
    this.#before = follower.isOnline ? standingOf(set, follower) : [];
  }

  /** The round that before() was called for has copied nothing, cut nothing and not failed. */
  after(set: PartitionReplicaSet, follower: Replica): void {
    if (!follower.isOnline) return;
    const standing = standingOf(set, follower);
    const isNews = standing.some((each, at) => each !== this.#before[at]);
    const wasInSync = set.inSyncReplicas.includes(follower.brokerId);
    this.#quiet.push({ set, follower, isNews, wasInSync });
  }

  /** Those that it made a difference for; asked when those who have caught up are in sync. */
  heard(): HeardRound[] {
    return this.#quiet
      .filter(({ isNews, wasInSync, set, follower }) => {
        const hasJoined = !wasInSync && set.inSyncReplicas.includes(follower.brokerId);
        return follower.isOnline && (isNews || hasJoined);
      })
      .map(({ set, follower }) => ({
        ...set.place,
        brokerId: follower.brokerId,
        logStartOffset: follower.log.logStartOffset,
        logEndOffset: follower.log.logEndOffset,
        highWatermark: follower.highWatermark,
        leaderHighWatermark: set.highWatermark,
      }));
  }
}

function standingOf({ highWatermark }: PartitionReplicaSet, follower: Replica): readonly unknown[] {
  const { log, progress, trouble } = follower;
  return [
    follower.highWatermark,
    log.logStartOffset,
    log.flushedOffset,
    progress.logEndOffset,
    trouble === null,
    highWatermark,
  ];
}
