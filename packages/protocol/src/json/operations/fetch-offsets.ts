import { z } from "zod";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";

/** Kafka's OffsetFetch. */
export const fetchOffsets = operation({
  name: "fetch_offsets",
  summary:
    "What a group has committed: of all partitions, or of those named, one entry for each. A group that nobody knows has committed nothing.",
  request: () => ({
    group_id: group.groupId,
    partitions: z.array(group.topicPartition).max(100_000).optional(),
    require_stable: z
      .boolean()
      .default(false)
      .describe(
        "refuse with UNSTABLE_OFFSET_COMMIT while an open transaction has offsets for one of them (KIP-447): for whoever goes on where a transaction ends",
      ),
  }),
  response: () => z.object({ offsets: z.array(group.committedOffset()) }),
});
