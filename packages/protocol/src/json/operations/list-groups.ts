import { z } from "zod";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";

/** Kafka's ListGroups. */
export const listGroups = operation({
  name: "list_groups",
  summary: "All groups by name: those with members, and those with committed offsets.",
  request: {},
  response: z.object({
    groups: z.array(
      z.object({
        group_id: z.string(),
        state: group.groupState,
        generation: group.generation,
        members: z.int().describe("how many"),
        coordinator_id: z
          .int()
          .nullable()
          .describe("the broker that leads the group's partition of __consumer_offsets; null when none does"),
      }),
    ),
  }),
});
