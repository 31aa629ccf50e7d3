/**
 * What the leader epochs of logs tell of what they hold. Pure.
 *
 * A leader epoch has one leader, so that two logs which hold an offset of the same epoch are the same up to there (KIP-101). And a
 * log that was put back from an older copy holds, wherever it differs, what an earlier leader wrote than the one that counts.
 */
import type { PartitionState } from "./partition-state.ts";
import type { StartedReplica } from "./started-replica.ts";

/** The epoch of the batch at `offset`; `null` when the log does not reach so far, or begins behind it. */
export function epochAt({ logEndOffset, leaderEpochs }: StartedReplica, offset: number): number | null {
  if (logEndOffset === null || offset >= logEndOffset) return null;
  return leaderEpochs.findLast(({ startOffset }) => startOffset <= offset)?.leaderEpoch ?? null;
}

/** Whether `replica` holds what was visible below `visibleEnd`, as far as it and the in-sync `members` can tell. */
export function holdsVisible(
  replica: StartedReplica,
  members: readonly StartedReplica[],
  visibleEnd: number,
): boolean {
  if (replica.logEndOffset === null || replica.logEndOffset < visibleEnd) return false;
  const last = visibleEnd - 1;
  const epoch = epochAt(replica, last);
  return epoch === null || !members.some((member) => (epochAt(member, last) ?? epoch) > epoch);
}

/** Whether all that `one` holds is at the beginning of `other`. */
export function isWithin(one: StartedReplica, other: StartedReplica): boolean {
  if (one.logEndOffset === null || other.logEndOffset === null) return false;
  const last = one.logEndOffset - 1;
  const epoch = epochAt(one, last);
  // One that was emptied holds nothing.
  return one.logEndOffset <= other.logEndOffset && (epoch === null || epoch === epochAt(other, last));
}

/** Whether a log that reaches behind the beginning of its leader's epoch has something of an older one there. */
export function lacksItsEpoch(
  leader: StartedReplica,
  { leaderEpoch, leaderEpochStartOffset }: PartitionState,
): boolean {
  const epoch = epochAt(leader, leaderEpochStartOffset);
  return epoch !== null && epoch < leaderEpoch;
}
