/**
 * Who may be believed after brokers have started. Pure.
 *
 * A replica whose broker did not end cleanly may have lost the end of its log; and one that ends before a high watermark that it
 * had on its disk itself has lost records, however it ended. Such a follower is out of sync until it has caught up. Such a leader
 * goes on only when nothing says that it lost anything that others hold; otherwise nobody leads until an operator says who,
 * since a log that lost records must never make others cut theirs (KIP-966).
 *
 * With one replica there is nobody to ask: what its log recovered is all that there is.
 */
import type { PartitionState } from "./partition-state.ts";

/** A replica whose broker has just started, or one that ran on. */
export interface StartedReplica {
  readonly brokerId: number;
  /** Its broker has just started. */
  readonly isNew: boolean;
  /** Its broker ended cleanly the last time. */
  readonly isClean: boolean;
  /** `null` when its log could not be opened, or its broker is stopped. */
  readonly logEndOffset: number | null;
  readonly lastEpoch: number | null;
  /** The high watermark up to which it had everything on its disk; 0 when nobody noted one. */
  readonly durableHighWatermark: number;
}

export type StartProblem = "log_offline" | "unclean_start" | "lost_records";

export interface StartMove {
  readonly brokerId: number;
  readonly reason: StartProblem;
  readonly logEndOffset: number | null;
}

export interface StartDecision {
  readonly state: PartitionState;
  readonly moves: readonly StartMove[];
}

/** The state after the start, and who left; or `null` when nothing has changed. */
export function stateAfterStart(
  state: PartitionState,
  replicas: readonly StartedReplica[],
): StartDecision | null {
  const leader = replicas.find(({ brokerId }) => brokerId === state.leaderId);
  if (replicas.length === 1 || leader === undefined) return null;
  // A leader that cannot be opened, or does not run, decides nothing, and is not judged either.
  if (leader.logEndOffset === null) return null;
  const members = replicas.filter(({ brokerId }) => state.inSyncReplicas.includes(brokerId));
  const problem = leaderProblem(state, leader, members);
  if (problem !== null) return withoutLeader(state, leader, members, problem);
  const moves = members.flatMap((member) => {
    const reason = member === leader ? null : followerProblem(member, leader);
    return reason === null ? [] : [{ brokerId: member.brokerId, reason, logEndOffset: member.logEndOffset }];
  });
  const isRenewed = leader.isNew && !leader.isClean;
  if (moves.length === 0 && !isRenewed) return null;
  const left = new Set(moves.map(({ brokerId }) => brokerId));
  const inSyncReplicas = state.inSyncReplicas.filter((id) => !left.has(id));
  if (!isRenewed) return { state: { ...state, inSyncReplicas }, moves };
  // What it lost without anybody's knowing must not be taken for what it writes next: a new epoch tells them apart.
  const leaderEpoch = state.leaderEpoch + 1;
  const leaderEpochStartOffset = leader.logEndOffset;
  return { state: { ...state, leaderEpoch, leaderEpochStartOffset, inSyncReplicas }, moves };
}

function leaderProblem(
  { leaderEpoch, leaderEpochStartOffset }: PartitionState,
  leader: StartedReplica,
  members: readonly StartedReplica[],
): StartProblem | null {
  if (!leader.isNew) return null;
  const logEndOffset = leader.logEndOffset ?? 0;
  // What any of them had noted was visible, and so the leader had it.
  if (members.some((member) => member.durableHighWatermark > logEndOffset)) return "lost_records";
  if (leader.isClean) return null;
  // Records of the leader's epoch a follower can only have from the leader; and below its beginning the leader had them all.
  const hasMore = (member: StartedReplica) =>
    (member.logEndOffset ?? 0) > logEndOffset &&
    (member.lastEpoch === leaderEpoch || logEndOffset < leaderEpochStartOffset);
  return members.some(hasMore) ? "lost_records" : null;
}

function followerProblem(follower: StartedReplica, leader: StartedReplica): StartProblem | null {
  if (!follower.isNew) return null;
  const { logEndOffset } = follower;
  if (logEndOffset === null) return "log_offline";
  if (logEndOffset < follower.durableHighWatermark) return "lost_records";
  if (follower.isClean) return null;
  const isEqual = logEndOffset === leader.logEndOffset && follower.lastEpoch === leader.lastEpoch;
  return isEqual ? null : "unclean_start";
}

/** The leader has lost records. In sync stay those that hold the most; which of them is to lead, an operator says. */
function withoutLeader(
  state: PartitionState,
  leader: StartedReplica,
  members: readonly StartedReplica[],
  problem: StartProblem,
): StartDecision {
  const others = members.filter(
    (member) => member !== leader && (member.logEndOffset ?? -1) >= member.durableHighWatermark,
  );
  const best = others.reduce<StartedReplica | null>(
    (most, each) => (most === null || holdsMore(each, most) ? each : most),
    null,
  );
  const isLeft = (member: StartedReplica) =>
    best !== null && others.includes(member) && !holdsMore(best, member);
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

function holdsMore(one: StartedReplica, other: StartedReplica): boolean {
  const [epoch, otherEpoch] = [one.lastEpoch ?? -1, other.lastEpoch ?? -1];
  return epoch !== otherEpoch ? epoch > otherEpoch : (one.logEndOffset ?? 0) > (other.logEndOffset ?? 0);
}
