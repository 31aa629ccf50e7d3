/** Schemas of what a step does, in its answer and in what is told of it before. */
import { z } from "zod";
import { groupId } from "./group-fields.ts";

export const loadedPartitions = z
  .array(z.object({ topic: z.string(), partition: z.int() }))
  .describe("partitions of an internal topic that were not in memory, and are now: the step has read them");

export const rebalancedGroups = z
  .array(z.object({ group_id: groupId, reason: z.string() }))
  .describe(
    "groups that begin a generation, or wait on for more members, and lose nobody: the topics of a consumer group are others than they were, or the time of a classic group's rebalance is over",
  );

export const dyingGroups = z.array(groupId).describe("groups of which nothing is left then");
export const forgottenGroups = z.array(groupId).describe("groups of which nothing was left for long enough");
