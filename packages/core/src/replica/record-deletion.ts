/** delete_records: where a partition's logs begin is moved by hand (Kafka: DeleteRecords, KIP-107). */
import { BrokerError } from "../errors.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";
import { partitionName } from "./topic-partition.ts";

/**
 * Moves the log start offset of the leader's log to `before`, but never back, and that of every other replica in sync, so
 * that no promotion brings a record back; resolves with where it is once that survives a power cut. Those out of sync follow
 * with a fetch. Rejects with OFFSET_OUT_OF_RANGE above the high watermark, since what is not visible yet may still be waited
 * for; LEADER_NOT_AVAILABLE, STORAGE_ERROR, BROKER_FAILED.
 */
export async function deleteRecords(
  set: PartitionReplicaSet,
  before: number | "high_watermark",
): Promise<number> {
  const leader = set.leadership.requireLeader();
  leader.broker.requireRunning();
  const { highWatermark } = set;
  const beforeOffset = before === "high_watermark" ? highWatermark : before;
  if (beforeOffset > highWatermark) {
    throw new BrokerError(
      "OFFSET_OUT_OF_RANGE",
      `records of ${partitionName(set.place)} cannot be deleted before ${beforeOffset}; expected at most ${highWatermark}, the high watermark`,
      { offset: beforeOffset, log_start_offset: leader.log.logStartOffset, high_watermark: highWatermark },
    );
  }
  const logStartOffset = await leader.log.deleteRecords(beforeOffset);
  const others = set.leadership.inSync().filter((copy) => copy !== leader && copy.isOnline);
  for (const { log } of others) await log.deleteRecords(Math.min(beforeOffset, log.logEndOffset));
  return logStartOffset;
}
