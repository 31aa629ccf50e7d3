/** What a start of brokers makes of the partitions that they hold copies of (replica/replica-start.ts decides). */

import type { Tracer } from "../env/trace.ts";
import { BrokerError } from "../errors.ts";
import { checkpointOutcome } from "../log/files/checkpoint-outcome.ts";
import { isOutdated, latestEpochOf } from "../replica/outdated-metadata.ts";
import { withCopyAnew } from "../replica/partition-state.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import { stateAfterStart } from "../replica/replica-start.ts";
import { startingPoint } from "../replica/starting-point.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { Broker } from "./broker.ts";
import type { Brokers } from "./brokers.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import type { MetadataKeeper } from "./metadata-keeper.ts";
import type { StateChange, StateCommit } from "./state-commit.ts";

export interface StartParts {
  readonly brokers: Brokers;
  readonly states: StateCommit;
  /** The brokers that have just started. */
  readonly newcomers: readonly number[];
  /** Whether the cluster has just been opened: then notes tell what was visible, otherwise the partitions know it themselves. */
  readonly isOpening: boolean;
  readonly trace: Tracer;
}

interface OutdatedMetadata extends TopicPartition {
  readonly leaderEpoch: number;
  readonly logEpoch: number;
}

/**
 * The replicas of `brokers`, which have started, were judged: only now may their folders count as those of this life. Where the disk
 * refuses, they leave no mark, and the next start judges them as after a crash. Throws STORAGE_ERROR after an unknown outcome.
 */
export function noteStarts(
  brokers: readonly Broker[],
  keeper: MetadataKeeper,
  reserve: Pick<DiskReserve, "spend">,
): void {
  try {
    reserve.spend(() => keeper.noteStarts(brokers));
  } catch (problem) {
    if (!(problem instanceof BrokerError)) throw problem;
    if (problem.code === "STORAGE_ERROR" && checkpointOutcome(problem) !== "unchanged") throw problem;
    for (const broker of brokers) broker.leaveNoMark();
  }
}

/** Makes durable who may be believed. Throws STORAGE_ERROR, BROKER_FAILED. */
export function judgeStarted(
  sets: readonly PartitionReplicaSet[],
  { brokers, states, newcomers, isOpening, trace }: StartParts,
): void {
  const outdated: OutdatedMetadata[] = [];
  const changes = sets.flatMap((set): StateChange[] => {
    const replicas = set.copies.map((copy) => ({
      brokerId: copy.brokerId,
      isNew: newcomers.includes(copy.brokerId),
      isClean: brokers.get(copy.brokerId).startedClean,
      isOlder: newcomers.includes(copy.brokerId) && copy.broker.isOlderCopy,
      logEndOffset: copy.logEndOffset,
      lastEpoch: copy.lastEpoch,
      leaderEpochs: newcomers.includes(copy.brokerId) ? copy.foundEpochs : copy.leaderEpochs,
      closedEnd: copy.closedEnd,
      durableHighWatermark: isOpening ? (copy.noted ?? 0) : 0,
    }));
    const { leaderEpoch } = set.state;
    if (isOutdated(set.state, replicas))
      outdated.push({ ...set.place, leaderEpoch, logEpoch: latestEpochOf(replicas) });
    const decision = stateAfterStart(set.state, replicas, isOpening ? 0 : set.highWatermark);
    return decision === null ? [] : [{ set, ...decision }];
  });
  states.commit(changes);
  states.commit(sets.map((set) => notedPutBack(set, newcomers)));
  for (const facts of outdated) trace({ kind: "metadata_outdated", ...facts });
  for (const { set } of changes) forgetOlder(set, newcomers);
  if (!isOpening) return;
  // Those who are left may agree further than with those who had to go.
  const facts = { isNoted: true, isClean: false };
  for (const { set } of changes)
    if (set.replication.highWatermarkCheckpoint)
      set.leadership.raise(startingPoint(set.copies, set.state, facts));
}

/** Who was put back and is out of sync stays known for it, also when its broker starts anew before it is in sync. */
function notedPutBack(set: PartitionReplicaSet, newcomers: readonly number[]): StateChange {
  const found = set.copies.filter(
    ({ brokerId, broker }) => newcomers.includes(brokerId) && broker.isOlderCopy,
  );
  const ids = found.map(({ brokerId }) => brokerId);
  return { set, state: withCopyAnew(set.state, set.replicas, ids), moves: [] };
}

/** One that was put back may have been told of a high watermark as long as it was taken for the leader. It is not its own. */
function forgetOlder({ copies, inSyncReplicas }: PartitionReplicaSet, newcomers: readonly number[]): void {
  for (const copy of copies) {
    const isOut = newcomers.includes(copy.brokerId) && !inSyncReplicas.includes(copy.brokerId);
    if (isOut && copy.broker.isOlderCopy) copy.learnHighWatermark(0);
  }
}

/** What was deleted is removed from logs that hold it, since they were put back. Where that fails it stays hidden, for the next start. */
export async function deleteHidden(sets: readonly PartitionReplicaSet[]): Promise<void> {
  const copies = sets.flatMap((set) => set.copies).filter(({ isOnline }) => isOnline);
  for (const { log } of copies) {
    if (!log.isHiding) continue;
    try {
      await log.deleteRecords(log.logStartOffset);
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
    }
  }
}
