/** How far a partition is visible when it is opened: what its replicas have noted, and where their logs agree. */
import { type StartFacts, startingHighWatermark } from "./high-watermark.ts";
import { isOutdated } from "./outdated-metadata.ts";
import type { PartitionState } from "./partition-state.ts";
import { divergence } from "./reconciliation.ts";
import type { Replica } from "./replica.ts";

/** See startingHighWatermark(). */
export function startingPoint(copies: readonly Replica[], state: PartitionState, facts: StartFacts): number {
  if (isOutdated(state, copies)) return notedPoint(copies, facts);
  // What was put back from an older copy tells nothing of what others hold.
  const believed = copies.filter(({ broker }) => !broker.isOlderCopy);
  if (believed.length > 0 && believed.length < copies.length) return startingPoint(believed, state, facts);
  const { leaderId, inSyncReplicas } = state;
  const leader = copies.find(({ brokerId }) => brokerId === leaderId);
  const replicas = copies.map((copy) => ({
    isInSync: inSyncReplicas.includes(copy.brokerId),
    agreedEnd: agreedEnd(copy, leader),
    checkpoint: copy.noted,
  }));
  // What was deleted was visible.
  const logStartOffset = leader === undefined || leader.problem !== null ? 0 : leader.log.logStartOffset;
  const deleted = Math.min(
    state.deletedBefore ?? 0,
    Math.max(...copies.map((copy) => copy.logEndOffset ?? 0)),
  );
  return Math.max(startingHighWatermark(replicas, facts), logStartOffset, deleted);
}

/** Where nobody knows who is in sync: what any replica has noted was visible, and is held by whoever holds the most. */
function notedPoint(copies: readonly Replica[], { isNoted }: StartFacts): number {
  const ends = copies.map(({ logEndOffset }) => logEndOffset ?? 0);
  const notes = copies.map(({ noted }) => (isNoted ? (noted ?? 0) : 0));
  return Math.min(Math.max(...notes), Math.max(...ends));
}

/** A replica that has not met its leader yet may end in what another one wrote. */
function agreedEnd(copy: Replica, leader: Replica | undefined): number | null {
  if (copy.problem !== null || leader === undefined || leader === copy || leader.problem !== null)
    return copy.logEndOffset;
  return divergence(copy.log, leader.log);
}
