/** What a start of brokers makes of the partitions that they hold copies of (replica/replica-start.ts decides). */

import type { Tracer } from "../env/trace.ts";
import { isOutdated, latestEpochOf } from "../replica/outdated-metadata.ts";
import { divergence } from "../replica/reconciliation.ts";
import type { Replica } from "../replica/replica.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import { stateAfterStart } from "../replica/replica-start.ts";
import { startingPoint } from "../replica/starting-point.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { Brokers } from "./brokers.ts";
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
      logEndOffset: copy.logEndOffset,
      lastEpoch: copy.lastEpoch,
      agreedEnd: endAgreedWith(set.leadership.assignedLeader, copy),
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
  for (const facts of outdated) trace({ kind: "metadata_outdated", ...facts });
  if (!isOpening) return;
  // Those who are left may agree further than with those who had to go.
  const facts = { isNoted: true, isClean: false };
  for (const { set } of changes)
    if (set.replication.highWatermarkCheckpoint)
      set.leadership.raise(startingPoint(set.copies, set.state, facts));
}

function endAgreedWith(leader: Replica | null, copy: Replica): number | null {
  if (leader === null || leader.logEndOffset === null || copy.logEndOffset === null) return null;
  return leader === copy ? copy.logEndOffset : divergence(copy.log, leader.log);
}
