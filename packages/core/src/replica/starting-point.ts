/** How far a partition is visible when it is opened: what its replicas have noted, and where their logs agree. */
import { type StartFacts, startingHighWatermark } from "./high-watermark.ts";
import type { PartitionState } from "./partition-state.ts";
import { divergence } from "./reconciliation.ts";
import type { Replica } from "./replica.ts";

/** See startingHighWatermark(). */
export function startingPoint(
  copies: readonly Replica[],
  { leaderId, inSyncReplicas }: PartitionState,
  facts: StartFacts,
): number {
  const leader = copies.find(({ brokerId }) => brokerId === leaderId);
  const replicas = copies.map((copy) => ({
    isInSync: inSyncReplicas.includes(copy.brokerId),
    agreedEnd: agreedEnd(copy, leader),
    checkpoint: copy.noted,
  }));
  // What was deleted was visible.
  const logStartOffset = leader === undefined || leader.problem !== null ? 0 : leader.log.logStartOffset;
  return Math.max(startingHighWatermark(replicas, facts), logStartOffset);
}

/** A replica that has not met its leader yet may end in what another one wrote. */
function agreedEnd(copy: Replica, leader: Replica | undefined): number | null {
  if (copy.problem !== null || leader === undefined || leader === copy || leader.problem !== null)
    return copy.logEndOffset;
  return divergence(copy.log, leader.log);
}
