import { z } from "zod";
import * as fields from "../fields.ts";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";

const place = () => ({ topic: z.string(), partition: z.int() });

/** Kafka's OffsetDelete (KIP-496). */
export const deleteOffsets = operation({
  name: "delete_offsets",
  summary:
    "Forgets what a group has committed for single partitions, of topics that none of its members subscribes to; one partition's error spoils no other. A group that has no members and nothing left is gone with it.",
  request: () => ({
    group_id: group.groupId,
    partitions: z.array(group.topicPartition).min(1).max(10_000),
  }),
  response: () =>
    z.object({
      partitions: z
        .array(
          z.union([
            z.object({
              ...place(),
              offset: fields.offset
                .nullable()
                .describe("what was committed; null when nothing was, which is as good"),
            }),
            z.object({
              ...place(),
              code: z.string(),
              message: z.string(),
              details: z.record(z.string(), z.unknown()).optional(),
            }),
          ]),
        )
        .describe("in the order of the request"),
    }),
});
