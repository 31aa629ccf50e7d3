/** delete_records: where a partition's logs begin is moved by hand (Kafka: DeleteRecords, KIP-107). */
import { BrokerError } from "../errors.ts";
import type { Replica } from "./replica.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";
import { partitionName } from "./topic-partition.ts";

/**
 * Notes durably what is deleted, and takes `left` out of the in-sync replicas. Throws STORAGE_ERROR, BROKER_FAILED; then nothing is
 * deleted at the leader.
 */
export type NoteDeletion = (deletedBefore: number, left: readonly Replica[]) => void;

/**
 * Moves the log start offset of every replica in sync to `before`, but never back, the leader's last; resolves with where the
 * leader's is once that survives a power cut. One that cannot follow now, since it is stopped, failed or being cut, leaves the
 * in-sync replicas before anything is gone at the leader, and is back when it has deleted as much. The metadata says so by then: no
 * promotion brings a record back, nor a folder that was put back from an older copy. Rejects with OFFSET_OUT_OF_RANGE above the high watermark, since what is not
 * visible yet may still be waited for; LEADER_NOT_AVAILABLE, STORAGE_ERROR, BROKER_FAILED.
 */
export async function deleteRecords(
  set: PartitionReplicaSet,
  before: number | "high_watermark",
  note: NoteDeletion,
): Promise<number> {
  const { leadership } = set;
  const leader = leadership.requireLeader();
  leader.broker.requireRunning();
  const beforeOffset = requireVisible(set, leader, before);
  const { leaderEpoch } = set;
  const { log } = leader;
  leadership.beginDeletion(beforeOffset);
  const others = () => leadership.inSync().filter((copy) => copy !== leader);
  for (const copy of others()) await deleteAtFollower(copy, beforeOffset);
  // The world went on meanwhile: the leader's broker may have started anew, perhaps without a log.
  const isLeft = () =>
    set.isRetired ||
    leadership.onlineLeader !== leader ||
    leader.log !== log ||
    set.leaderEpoch !== leaderEpoch;
  if (isLeft()) {
    // Somebody leads, perhaps, who has just deleted as much.
    if (!set.isRetired) leadership.followStable();
    throw leaderLeft(set);
  }
  const left = others().filter((copy) => copy.logStartOffset < beforeOffset);
  // Also what the leader's retention has let go already: nothing notes that, and a folder that is put back may still have it.
  if (left.length > 0 || beforeOffset > (set.state.deletedBefore ?? 0)) note(beforeOffset, left);
  try {
    const logStartOffset = await log.deleteRecords(beforeOffset);
    // It may have passed what an open transaction has written.
    if (!isLeft()) leadership.followStable();
    return logStartOffset;
  } catch (problem) {
    throw problem instanceof BrokerError && isLeft() ? leaderLeft(set) : problem;
  }
}

function leaderLeft({ place }: PartitionReplicaSet): BrokerError {
  const message = `${partitionName(place)} has lost its leader, or got another one, while its records were being deleted; try again`;
  return new BrokerError("LEADER_NOT_AVAILABLE", message);
}

/** The offset that `before` means. */
function requireVisible(
  { place, highWatermark }: PartitionReplicaSet,
  { log }: Replica,
  before: number | "high_watermark",
): number {
  const beforeOffset = before === "high_watermark" ? highWatermark : before;
  if (beforeOffset <= highWatermark) return beforeOffset;
  throw new BrokerError(
    "OFFSET_OUT_OF_RANGE",
    `records of ${partitionName(place)} cannot be deleted before ${beforeOffset}; expected at most ${highWatermark}, the high watermark`,
    { offset: beforeOffset, log_start_offset: log.logStartOffset, high_watermark: highWatermark },
  );
}

/** Where it cannot, its log begins where it began: the caller looks. */
async function deleteAtFollower(copy: Replica, beforeOffset: number): Promise<void> {
  const { isOnline, broker, isBeingCut, logEndOffset } = copy;
  if (!isOnline || !broker.isRunning || isBeingCut || logEndOffset === null) return;
  try {
    await copy.log.deleteRecords(Math.min(beforeOffset, logEndOffset));
  } catch (problem) {
    if (!(problem instanceof BrokerError)) throw problem;
  }
}
