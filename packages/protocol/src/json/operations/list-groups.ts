import { z } from "zod";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";

/** Kafka's ListGroups. */
export const listGroups = operation({
  name: "list_groups",
  summary:
    "All groups by name: those with members, and those with committed offsets. It is refused when no partition of __consumer_offsets can be read.",
  request: () => ({}),
  response: () =>
    z.object({
      groups: z.array(
        z.object({
          group_id: z.string(),
          type: group.groupType,
          protocol_type: group.protocolType,
          state: group.groupState,
          generation: group.generation,
          members: z.int().describe("how many"),
          coordinator_id: z
            .int()
            .nullable()
            .describe(
              "the broker that leads the group's partition of __consumer_offsets; null when none does",
            ),
        }),
      ),
      unreadable: z
        .array(
          z.object({
            partition: z.int().describe("of __consumer_offsets; the groups that it holds are missing above"),
            code: z.string(),
            message: z.string(),
          }),
        )
        .describe("what cannot be read now, such as a partition without a leader"),
    }),
});
