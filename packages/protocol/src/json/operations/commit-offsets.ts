import { z } from "zod";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";

/** Kafka's OffsetCommit. */
export const commitOffsets = operation({
  name: "commit_offsets",
  summary:
    "Stores where a group goes on reading, all of the offsets or none. A member commits what it owns, in the group's generation; without a member only while the group has none. Together with their metadata they must fit one batch: RECORD_TOO_LARGE, beyond 2 MiB.",
  request: () => ({
    group_id: group.groupId,
    member_id: group.memberId.optional(),
    generation: group.generation.optional().describe("goes with member_id"),
    offsets: z.array(group.commitOffset()).min(1).max(10_000).describe("each partition once"),
  }),
  response: () => z.object({}),
});
