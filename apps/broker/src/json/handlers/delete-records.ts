/**
 * delete_records: the log begins at `before_offset` when it answers, also after a crash. One that begins there already, or
 * later, is left as it is. Refuses: UNKNOWN_TOPIC, UNKNOWN_PARTITION, OFFSET_OUT_OF_RANGE above the high watermark,
 * POLICY_VIOLATION where records are only compacted, STORAGE_ERROR, BROKER_FAILED.
 */
import type { Handler } from "../handler.ts";

export const deleteRecords: Handler<"delete_records"> = async (request, { cluster }) => {
  const { topic, partition, before_offset: beforeOffset } = request;
  const before = beforeOffset === -1 ? "high_watermark" : beforeOffset;
  return { log_start_offset: await cluster.deleteRecords({ topic, partition }, before) };
};
