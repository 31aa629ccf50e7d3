/** How far a partition is visible when it is opened: what its replicas have noted, and where their logs agree. */
import { startingHighWatermark } from "./high-watermark.ts";
import { isOutdated } from "./outdated-metadata.ts";
import type { PartitionState } from "./partition-state.ts";
import { divergence } from "./reconciliation.ts";
import type { Replica } from "./replica.ts";

export interface StartPointFacts {
  /** Whether what was noted counts (the dial highWatermarkCheckpoint). */
  readonly isNoted: boolean;
  /** Whether all brokers ended cleanly. */
  readonly isClean: boolean;
}

/** See startingHighWatermark(). */
export function startingPoint(
  copies: readonly Replica[],
  state: PartitionState,
  facts: StartPointFacts,
): number {
  if (isOutdated(state, copies)) return notedPoint(copies, facts);
  const { leaderId, inSyncReplicas } = state;
  const isInSync = ({ brokerId }: Replica) => inSyncReplicas.includes(brokerId);
  // What was put back from an older copy tells nothing of what others in sync hold.
  const believed = copies.filter(({ broker }) => !broker.isOlderCopy);
  if (believed.some(isInSync) && believed.length < copies.length)
    return startingPoint(believed, state, facts);
  const leader = copies.find(({ brokerId }) => brokerId === leaderId);
  // Without its log, any of those in sync is compared with the others.
  const measure =
    leader?.problem === null ? leader : copies.find((copy) => isInSync(copy) && copy.problem === null);
  const replicas = copies.map((copy) => ({
    isInSync: isInSync(copy),
    agreedEnd: agreedEnd(copy, measure),
    checkpoint: copy.noted,
  }));
  const { isNoted, isClean } = facts;
  // Only a leader knows exactly how far it was visible: a follower hears of it a round later.
  const isExact = isClean && leader !== undefined && leader.noted !== null;
  // What was deleted was visible.
  const logStartOffset = leader === undefined || leader.problem !== null ? 0 : leader.log.logStartOffset;
  const deleted = Math.min(
    state.deletedBefore ?? 0,
    Math.max(...copies.map((copy) => copy.logEndOffset ?? 0)),
  );
  return Math.max(startingHighWatermark(replicas, { isNoted, isExact }), logStartOffset, deleted);
}

/** Where nobody knows who is in sync: what any replica has noted was visible, and is held by whoever holds the most. */
function notedPoint(copies: readonly Replica[], { isNoted }: StartPointFacts): number {
  const ends = copies.map(({ logEndOffset }) => logEndOffset ?? 0);
  const notes = copies.map(({ noted }) => (isNoted ? (noted ?? 0) : 0));
  return Math.min(Math.max(...notes), Math.max(...ends));
}

/** A replica that has not met its leader yet may end in what another one wrote. */
function agreedEnd(copy: Replica, measure: Replica | undefined): number | null {
  if (copy.problem !== null || measure === undefined || measure === copy) return copy.logEndOffset;
  return divergence(copy.log, measure.log);
}
