import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";
import { abortedTransaction } from "../transaction-fields.ts";

/** A fetch answers with at most so many bytes of batches, unless its first batch alone is larger. */
const FETCH_BYTES_MAX = 16 * 1024 * 1024;
export const fetchBytesMax = () => z.int().min(0).max(FETCH_BYTES_MAX);

/** What a fetch and a fetch of many partitions have in common. */
export const fetchOptions = () => ({
  max_records: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(100)
    .describe("at most so many records; encoding records only"),
  isolation: fields.isolation,
  max_bytes: fetchBytesMax()
    .default(1_048_576)
    .describe("at most so many bytes of batches; a larger first batch is returned alone"),
  min_bytes: z.int().min(0).max(FETCH_BYTES_MAX).default(0).describe("wait until so many bytes are there"),
  max_wait_ms: z.int().min(0).max(600_000).default(0).describe("how long to wait for min_bytes"),
  encoding: z
    .enum(["records", "batch"])
    .default("records")
    .describe("records as JSON, or whole batches as they lie in the log"),
});

/** One partition's part of an answer: `records` or `batches_b64`, as `encoding` asked. */
export const fetchedPartition = () =>
  z.object({
    records: z.array(fields.fetchedRecord()).optional(),
    batches_b64: fields.batches
      .optional()
      .describe(
        "whole MKB1 frames, one after another; the first may begin below the offset that was asked for",
      ),
    aborted_transactions: z
      .array(abortedTransaction)
      .optional()
      .describe(
        "with read_committed and encoding batch: those that the batches may have records of, by first_offset. A batch of such a producer between the two offsets is not to be shown",
      ),
    ...fields.marks,
    next_offset: fields.offset.describe("where to go on, past gaps, control markers and hidden records"),
  });

export const fetch = operation({
  name: "fetch",
  summary:
    "Reads records of one partition from an offset up to the high watermark, waiting for some when asked to.",
  request: () => ({
    topic: fields.topic,
    partition: fields.partition,
    offset: fields.offset,
    ...fetchOptions(),
  }),
  response: fetchedPartition,
});
