/**
 * fetch_offsets: what a group has committed, as far as it is acknowledged. Refuses: UNSTABLE_OFFSET_COMMIT (when that was asked for),
 * LEADER_NOT_AVAILABLE, REQUEST_TIMED_OUT while it is still being loaded, STORAGE_ERROR.
 */
import { lookAtGroup } from "../group-request.ts";
import type { Handler } from "../handler.ts";

export const fetchOffsets: Handler<"fetch_offsets"> = async (request, context, client) => {
  const { group_id: groupId, partitions, require_stable: requireStable } = request;
  const asked = { groupId, requireStable, ...(partitions !== undefined && { partitions }) };
  const offsets = await lookAtGroup(groupId, context, client, (groups, wait) =>
    groups.committed(asked, wait),
  );
  return {
    offsets: offsets.map(({ topic, partition, offset, metadata, committedMs }) => ({
      topic,
      partition,
      // Kafka's clients commit a negative one to begin anew, and read it as none.
      offset: offset === null || offset < 0 ? null : offset,
      metadata,
      committed_ms: committedMs,
    })),
  };
};
