/**
 * Which replicas are in sync (Kafka: ISR). Pure: the same numbers give the same answer, and each answer names the numbers
 * that made it.
 *
 * How long somebody lags is measured by the clock that nobody sets; the time of day is noted for who reads it, and decides nothing.
 */
import type { Instant } from "../env/clock.ts";
import type { PartitionState } from "./partition-state.ts";

export interface IsrRule {
  /** Whether what acks=all has acknowledged is on the disk of everybody who is in sync, also of those who join later. */
  readonly joinsFlushed: boolean;
  readonly replicaLagTimeMs: number;
  readonly replicaLagMaxOffsets: number | null;
}

/** What a leader knows of a follower, from the follower's fetches in this leadership and from nothing else. */
export interface FollowerProgress {
  /** Where the follower's log ended when it last fetched; `null` before its first fetch. */
  readonly logEndOffset: number | null;
  /** When it last held all that the leader had; `null`: never in this leadership. */
  readonly lastCaughtUp: Instant | null;
  /** Its last fetch: when, and where the leader's log ended then. */
  readonly lastFetch: { readonly at: Instant; readonly leaderEndOffset: number } | null;
}

/** A new leader knows nothing of its followers; those that are in sync get the whole lag time to fetch. `null`: it is not. */
export function unknownProgress(inSyncSince: Instant | null): FollowerProgress {
  return { logEndOffset: null, lastCaughtUp: inSyncSince, lastFetch: null };
}

/**
 * After a fetch that left the follower at `logEndOffset`. It is caught up when it holds all that the leader has; or it was,
 * at its last fetch, when it now holds all that the leader had then. So one that fetches steadily from a busy leader stays in
 * sync, and one that fetches often without getting anywhere does not (Kafka: Replica.updateFetchStateOrThrow).
 */
export function afterFetch(
  progress: FollowerProgress,
  { logEndOffset, leaderEndOffset, at }: { logEndOffset: number; leaderEndOffset: number; at: Instant },
): FollowerProgress {
  const { lastFetch } = progress;
  let { lastCaughtUp } = progress;
  if (logEndOffset >= leaderEndOffset) lastCaughtUp = at;
  // Never before it was last caught up, by the clock that counts.
  else if (lastFetch !== null && logEndOffset >= lastFetch.leaderEndOffset) lastCaughtUp = lastFetch.at;
  return { logEndOffset, lastCaughtUp, lastFetch: { at, leaderEndOffset } };
}

export interface FollowerView {
  readonly brokerId: number;
  readonly isOnline: boolean;
  /** An operator said so, and has not said otherwise. */
  readonly isHeldOut: boolean;
  readonly progress: FollowerProgress;
  /** Up to here its log survives a power cut. */
  readonly flushedOffset: number;
  readonly logStartOffset: number;
}

export interface LeaderView {
  readonly logEndOffset: number;
  readonly highWatermark: number;
  readonly leaderEpochStartOffset: number;
  /** What lies below is deleted. */
  readonly logStartOffset: number;
  readonly monotonicMs: number;
}

export type OutOfSync =
  | "removed"
  | "offline"
  | "not_fetched"
  | "behind_high_watermark"
  | "behind_epoch_start"
  | "behind_log_start"
  | "not_flushed"
  | "lag_time"
  | "lag_offsets";

/**
 * Why a follower is not in sync, or `null`. A member stays while it lags for less than the allowed time. Whoever wants in must
 * fetch, hold everything below the high watermark, on its disk where acknowledgements promise that, and have reached the
 * beginning of the leader's epoch, besides; and it must have deleted what is deleted, so that no promotion brings it back.
 */
export function outOfSync(
  follower: FollowerView,
  leader: LeaderView,
  { isMember, rule }: { isMember: boolean; rule: IsrRule },
): OutOfSync | null {
  if (follower.isHeldOut) return "removed";
  const { logEndOffset, lastCaughtUp } = follower.progress;
  if (!isMember) {
    if (!follower.isOnline) return "offline";
    if (logEndOffset === null) return "not_fetched";
    if (logEndOffset < leader.highWatermark) return "behind_high_watermark";
    if (logEndOffset < leader.leaderEpochStartOffset) return "behind_epoch_start";
    if (follower.logStartOffset < leader.logStartOffset) return "behind_log_start";
    if (rule.joinsFlushed && follower.flushedOffset < leader.highWatermark) return "not_flushed";
  }
  const hasAll = follower.isOnline && logEndOffset === leader.logEndOffset;
  const lagMs =
    lastCaughtUp === null ? Number.POSITIVE_INFINITY : leader.monotonicMs - lastCaughtUp.monotonicMs;
  if (!hasAll && lagMs > rule.replicaLagTimeMs) return "lag_time";
  // One that has not fetched yet is a member, and so holds what is visible.
  const lagOffsets = leader.logEndOffset - (logEndOffset ?? leader.highWatermark);
  if (rule.replicaLagMaxOffsets !== null && lagOffsets > rule.replicaLagMaxOffsets) return "lag_offsets";
  return null;
}

/** Who left or joined, and the numbers that made it so. */
export interface IsrMove {
  readonly brokerId: number;
  readonly reason: OutOfSync | "caught_up";
  readonly logEndOffset: number | null;
  /** As the time of day was then. */
  readonly lastCaughtUpMs: number | null;
}

export interface IsrChange {
  /** In no order. */
  readonly inSyncReplicas: readonly number[];
  readonly moves: readonly IsrMove[];
}

export interface IsrQuestion {
  /** In the order of placement. */
  readonly followers: readonly FollowerView[];
  readonly leader: LeaderView;
  readonly rule: IsrRule;
  readonly only: "joins" | "all";
}

/**
 * Who is in sync now, or `null` when that is who was. `only` "joins" leaves members in peace, as a fetch does; "all" judges
 * everybody, as the periodic check does.
 */
export function isrChange(
  { inSyncReplicas }: PartitionState,
  { followers, leader, rule, only }: IsrQuestion,
): IsrChange | null {
  const moves: IsrMove[] = [];
  const isIn = new Set(inSyncReplicas);
  for (const follower of followers) {
    const { brokerId, progress } = follower;
    const isMember = inSyncReplicas.includes(brokerId);
    if (isMember && only === "joins") continue;
    const reason = outOfSync(follower, leader, { isMember, rule });
    if ((reason === null) === isMember) continue;
    if (isMember) isIn.delete(brokerId);
    else isIn.add(brokerId);
    const { logEndOffset, lastCaughtUp } = progress;
    const lastCaughtUpMs = lastCaughtUp?.nowMs ?? null;
    moves.push({ brokerId, reason: reason ?? "caught_up", logEndOffset, lastCaughtUpMs });
  }
  if (moves.length === 0) return null;
  return { inSyncReplicas: [...isIn], moves };
}
