/**
 * What the leader epochs of logs tell of what they hold. Pure.
 *
 * A leader epoch has one leader, so that two logs which hold an offset of the same epoch are the same up to there (KIP-101). And a
 * log that was put back from an older copy holds, wherever it differs, what an earlier leader wrote than the one that counts. That
 * need not be the batch of the earlier epoch: a later leader may have cut that of a later one, and have written nothing yet. So a log
 * is believed that was not put back, and else the one that knows of the latest leader, also of one without a batch.
 */
import type { PartitionState } from "./partition-state.ts";
import type { StartedReplica } from "./started-replica.ts";

/** The epoch of the batch at `offset`; `null` when the log does not reach so far, or begins behind it. */
export function epochAt({ logEndOffset, leaderEpochs }: StartedReplica, offset: number): number | null {
  if (logEndOffset === null || offset >= logEndOffset) return null;
  return leaderEpochs.findLast(({ startOffset }) => startOffset <= offset)?.leaderEpoch ?? null;
}

/** Whether `replica`, one of the in-sync `members`, holds what was visible below `visibleEnd`, as far as they can tell. */
export function holdsVisible(
  replica: StartedReplica,
  members: readonly StartedReplica[],
  visibleEnd: number,
): boolean {
  if (replica.logEndOffset === null || replica.logEndOffset < visibleEnd) return false;
  const last = visibleEnd - 1;
  const epoch = epochAt(replica, last);
  return epoch === null || epoch === epochOfTruth(members, last);
}

/** The epoch of the batch at `offset` in the log that is believed; `null` when no log holds it. */
function epochOfTruth(members: readonly StartedReplica[], offset: number): number | null {
  const holders = members.filter((member) => epochAt(member, offset) !== null);
  // Whoever was in sync and was not put back has lost nothing that was visible.
  const own = holders.filter(({ isOlder }) => !isOlder);
  const [first, ...others] = own.length > 0 ? own : holders;
  if (first === undefined) return null;
  const best = others.reduce((known, each) => (knowsMore(each, known, offset) ? each : known), first);
  return epochAt(best, offset);
}

/** All of a log was the beginning of the log of the latest leader that it knows of, as it was then. */
function knowsMore(one: StartedReplica, other: StartedReplica, offset: number): boolean {
  const [latest, otherLatest] = [latestEpochIn(one), latestEpochIn(other)];
  if (latest !== otherLatest) return latest > otherLatest;
  return (epochAt(one, offset) ?? -1) > (epochAt(other, offset) ?? -1);
}

function latestEpochIn({ leaderEpochs }: StartedReplica): number {
  return leaderEpochs.at(-1)?.leaderEpoch ?? -1;
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
