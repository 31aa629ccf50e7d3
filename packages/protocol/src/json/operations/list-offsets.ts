import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";

/** Kafka's ListOffsets (KIP-79); the two negative times are Kafka's as well. */
export const listOffsets = operation({
  name: "list_offsets",
  summary:
    "Finds an offset: the earliest (-2), the end of what is visible (-1), or the first at or after a time. By time it finds whatever the log holds below that end, also aborted records and the markers of transactions, which a fetch from there passes over.",
  request: () => ({
    topic: fields.topic,
    partition: fields.partition,
    timestamp_ms: z
      .union([z.literal([-2, -1]), fields.timestampMs])
      .describe("-2 earliest, -1 latest visible, else milliseconds since 1970"),
    isolation: fields.isolation,
  }),
  response: () =>
    z.object({
      offset: fields.offset.nullable().describe("null when no visible record is that late"),
      timestamp_ms: z.int().nullable().describe("the found record's time; null for -2 and -1"),
    }),
});
