/** list_offsets: earliest, latest visible, or by time. Refuses: UNKNOWN_TOPIC, UNKNOWN_PARTITION, STORAGE_ERROR. */
import type { Handler } from "../handler.ts";

export const listOffsets: Handler<"list_offsets"> = (request, { cluster }) => {
  const { topic, partition, timestamp_ms: timestamp, isolation } = request;
  const { offset, timestampMs } = cluster.listOffsets({ topic, partition }, timestamp, isolation);
  return { offset, timestamp_ms: timestampMs };
};
