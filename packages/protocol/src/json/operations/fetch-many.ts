import { z } from "zod";
import * as fields from "../fields.ts";
import { topicId } from "../group-fields.ts";
import { operation } from "../operation.ts";
import { fetchBytesMax, fetchedPartition, fetchOptions } from "./fetch.ts";

const PARTITIONS_MAX = 1_000;

const place = () => ({ topic: z.string(), partition: z.int() });

export const fetchMany = operation({
  name: "fetch_many",
  summary:
    "Reads several partitions at once; max_bytes bounds the whole answer, and one partition's error spoils no other.",
  request: () => ({
    partitions: z
      .array(
        z.strictObject({
          topic: fields.topic,
          partition: fields.partition,
          offset: fields.offset,
          topic_id: topicId
            .optional()
            .describe(
              "which topic of that name the offset is one of: another one is UNKNOWN_TOPIC; left out, whichever there is",
            ),
          max_bytes: fetchBytesMax().optional().describe("at most so many bytes of this partition"),
        }),
      )
      .min(1)
      .max(PARTITIONS_MAX)
      .describe("served in this order until max_bytes are used up: rotate it to be fair"),
    ...fetchOptions(),
  }),
  response: () =>
    z.object({
      partitions: z.array(
        z.union([
          z.object({ ...place(), ...fetchedPartition().shape }),
          z.object({
            ...place(),
            code: z.string(),
            message: z.string(),
            details: z.record(z.string(), z.unknown()).optional(),
          }),
        ]),
      ),
    }),
});
