/** What a start of brokers makes of the partitions that they hold copies of (replica/replica-start.ts decides). */

import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import { stateAfterStart } from "../replica/replica-start.ts";
import { startingPoint } from "../replica/starting-point.ts";
import type { Brokers } from "./brokers.ts";
import type { StateChange, StateCommit } from "./state-commit.ts";

export interface StartParts {
  readonly brokers: Brokers;
  readonly states: StateCommit;
  /** The brokers that have just started. */
  readonly newcomers: readonly number[];
  /** Whether the cluster has just been opened: then notes tell what was visible, otherwise the partitions know it themselves. */
  readonly isOpening: boolean;
}

/** Makes durable who may be believed. Throws STORAGE_ERROR, BROKER_FAILED. */
export function judgeStarted(
  sets: readonly PartitionReplicaSet[],
  { brokers, states, newcomers, isOpening }: StartParts,
): void {
  const changes = sets.flatMap((set): StateChange[] => {
    const replicas = set.copies.map((copy) => ({
      brokerId: copy.brokerId,
      isNew: newcomers.includes(copy.brokerId),
      isClean: brokers.get(copy.brokerId).startedClean,
      logEndOffset: copy.logEndOffset,
      lastEpoch: copy.lastEpoch,
      closedEnd: copy.closedEnd,
      durableHighWatermark: isOpening ? (copy.noted ?? 0) : 0,
    }));
    const decision = stateAfterStart(set.state, replicas, isOpening ? 0 : set.highWatermark);
    return decision === null ? [] : [{ set, ...decision }];
  });
  states.commit(changes);
  if (!isOpening) return;
  // Those who are left may agree further than with those who had to go.
  const facts = { isNoted: true, isClean: false };
  for (const { set } of changes)
    if (set.replication.highWatermarkCheckpoint)
      set.leadership.raise(startingPoint(set.copies, set.state, facts));
}
