/**
 * Who may be believed after brokers have started. Pure.
 *
 * A replica whose broker did not end cleanly may have lost the end of its log; and a member that does not hold what was visible has
 * lost records, however it ended. Such a follower is out of sync until it has caught up. Such a leader goes on only when nothing says that it lost anything that others hold; otherwise nobody leads until an
 * operator says who, since a log that lost records must never make others cut theirs (KIP-966).
 *
 * A folder that was put back from an older copy (cluster/broker-epoch.ts) is believed in nothing that it says of itself. Its log may be
 * as long as the others' and hold something else: what the leader epochs tell is compared, and not lengths alone. As a leader it goes
 * on only when somebody in sync who was not put back holds nothing besides what it holds, or when there is nobody of that kind.
 *
 * What was visible, the members' notes tell, and in a running process the partition's own high watermark.
 *
 * With one replica there is nobody to ask: what its log recovered is all that there is.
 *
 * A metadata file that is older than the logs decides nothing (outdated-metadata.ts).
 */
import { holdsVisible, isWithin, lacksItsEpoch } from "./log-history.ts";
import { isOutdated, stateFromLogs } from "./outdated-metadata.ts";
import { deletedWithin, type PartitionState } from "./partition-state.ts";
import { holdsMore, type StartDecision, type StartedReplica, type StartProblem } from "./started-replica.ts";

/**
 * The state after the start, and who left; or `null` when nothing has changed. `highWatermark`: the partition's own, as far as
 * this process knows it; 0 when it has only just been opened.
 */
export function stateAfterStart(
  state: PartitionState,
  replicas: readonly StartedReplica[],
  highWatermark = 0,
): StartDecision | null {
  if (isOutdated(state, replicas)) return stateFromLogs(state, replicas);
  if (replicas.length === 1) return ofOne(state, replicas[0]?.logEndOffset ?? null, highWatermark);
  const leader = replicas.find(({ brokerId }) => brokerId === state.leaderId) ?? null;
  const members = replicas.filter(({ brokerId }) => state.inSyncReplicas.includes(brokerId));
  const visibleEnd = Math.max(
    highWatermark,
    // What was deleted was visible.
    state.deletedBefore ?? 0,
    ...members.map(({ durableHighWatermark }) => durableHighWatermark),
  );
  const problem = leader === null ? null : leaderProblem(state, leader, { members, replicas, visibleEnd });
  if (leader !== null && problem !== null)
    return withoutLeader(state, leader, { members, visibleEnd }, problem);
  const moves = members.flatMap((member) => {
    const reason = member === leader ? null : followerProblem(member, leader, { members, visibleEnd });
    return reason === null ? [] : [{ brokerId: member.brokerId, reason, logEndOffset: member.logEndOffset }];
  });
  const isRenewed = leader?.isNew === true && leader.logEndOffset !== null && !leader.isClean;
  if (moves.length === 0 && !isRenewed) return null;
  const left = new Set(moves.map(({ brokerId }) => brokerId));
  const inSyncReplicas = state.inSyncReplicas.filter((id) => !left.has(id));
  if (!isRenewed) return { state: { ...state, inSyncReplicas }, moves };
  // What it lost without anybody's knowing must not be taken for what it writes next: a new epoch tells them apart.
  const leaderEpoch = state.leaderEpoch + 1;
  const leaderEpochStartOffset = leader.logEndOffset ?? 0;
  return { state: { ...state, leaderEpoch, leaderEpochStartOffset, inSyncReplicas }, moves };
}

/** Nobody can be asked; but where its log ends before what was visible or deleted, something else will be written. */
function ofOne(state: PartitionState, end: number | null, highWatermark: number): StartDecision | null {
  if (end === null || end >= Math.max(highWatermark, state.deletedBefore ?? 0)) return null;
  const leaderEpoch = state.leaderEpoch + 1;
  return { state: { ...deletedWithin(state, end), leaderEpoch, leaderEpochStartOffset: end }, moves: [] };
}

/** What is known of a partition's replicas together. */
interface Evidence {
  readonly members: readonly StartedReplica[];
  readonly replicas: readonly StartedReplica[];
  /** So much was visible: every member had it. */
  readonly visibleEnd: number;
}

function leaderProblem(
  state: PartitionState,
  leader: StartedReplica,
  { members, replicas, visibleEnd }: Evidence,
): StartProblem | null {
  const { logEndOffset } = leader;
  // One that cannot be opened, or does not run, decides nothing, and is not judged either.
  if (!leader.isNew || logEndOffset === null) return null;
  if (!holdsVisible(leader, members, visibleEnd) || lacksItsEpoch(leader, state)) return "lost_records";
  const { leaderEpoch, leaderEpochStartOffset } = state;
  // Whether it has ended somewhere, at its last word or behind that: what went away behind it the crash did not take.
  const isWhole = leader.isClean || leader.isOlder;
  // A clean end loses nothing, not even what nobody else in sync had yet.
  const cleanEnd = Math.max(leaderEpochStartOffset, leader.closedEnd ?? 0);
  if (isWhole && logEndOffset < cleanEnd) return "lost_records";
  if (leader.isOlder && !isConfirmed(leader, members)) return "older_copy";
  // Records of the leader's epoch a follower can only have from the leader; and below its beginning the leader had them all, but
  // for what was cut, and was put back from an older copy.
  const hasMore = (other: StartedReplica) =>
    (other.logEndOffset ?? 0) > logEndOffset &&
    (other.lastEpoch === leaderEpoch ||
      (logEndOffset < leaderEpochStartOffset && (!other.isOlder || isWithin(leader, other))));
  return (isWhole ? replicas : members).some(hasMore) ? "lost_records" : null;
}

/** Whether somebody in sync who was not put back says the same, or nobody can. */
function isConfirmed(leader: StartedReplica, members: readonly StartedReplica[]): boolean {
  const others = members.filter((member) => member !== leader && !member.isOlder);
  const seen = others.filter(({ logEndOffset }) => logEndOffset !== null);
  return others.length === 0 || (seen.length > 0 && seen.every((other) => isWithin(other, leader)));
}

function followerProblem(
  follower: StartedReplica,
  leader: StartedReplica | null,
  { members, visibleEnd }: Pick<Evidence, "members" | "visibleEnd">,
): StartProblem | null {
  if (!follower.isNew) return null;
  const { logEndOffset } = follower;
  if (logEndOffset !== null && !holdsVisible(follower, members, visibleEnd)) return "lost_records";
  // All else takes a leader to compare with; but somebody who was not put back may hold more.
  if (leader === null || leader.logEndOffset === null) {
    const isAlone = members.every(({ isOlder }) => isOlder);
    return follower.isOlder && logEndOffset !== null && !isAlone ? "older_copy" : null;
  }
  if (logEndOffset === null) return "log_offline";
  // What a clean end proves, an older copy of its folder proves as well: it takes a leader that remembers what was visible.
  if (follower.isClean && !(leader.isNew && !leader.isClean)) return null;
  const isEqual = logEndOffset === leader.logEndOffset && follower.lastEpoch === leader.lastEpoch;
  if (isEqual) return null;
  return follower.isOlder ? "older_copy" : "unclean_start";
}

/**
 * The leader has lost records. In sync stay those that hold the most, or else those that do not run and may hold it; one that was put
 * back only when all were. Which of them is to lead, an operator says.
 */
function withoutLeader(
  state: PartitionState,
  leader: StartedReplica,
  { members, visibleEnd }: Pick<Evidence, "members" | "visibleEnd">,
  problem: StartProblem,
): StartDecision {
  const followers = members.filter((member) => member !== leader);
  const believed = followers.some(({ isOlder }) => !isOlder)
    ? followers.filter(({ isOlder }) => !isOlder)
    : followers;
  const others = believed.filter((member) => holdsVisible(member, members, visibleEnd));
  const best = others.reduce<StartedReplica | null>(
    (most, each) => (most === null || holdsMore(each, most) ? each : most),
    null,
  );
  const isLeft = (member: StartedReplica) =>
    best === null
      ? member !== leader && member.logEndOffset === null
      : others.includes(member) && !holdsMore(best, member);
  const inSyncReplicas = members.filter(isLeft).map(({ brokerId }) => brokerId);
  const moves = members
    .filter((member) => !isLeft(member))
    .map((member) => ({
      brokerId: member.brokerId,
      reason: member === leader ? problem : ("unclean_start" as const),
      logEndOffset: member.logEndOffset,
    }));
  return { state: { ...state, leaderId: null, inSyncReplicas }, moves };
}
