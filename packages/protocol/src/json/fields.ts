/** Schemas of the fields that several operations share. A field named `…_b64` is text on the wire and bytes once parsed. */
import { HEADERS_PER_RECORD_MAX, NO_TIMESTAMP_MS, TIMESTAMP_MS_MAX } from "@minikafka/record";
import { z } from "zod";
import { decodeBase64 } from "./bytes.ts";

/**
 * Strict Base64 in, a Buffer out. Bytes are taken as they are: long ones were decoded when the line was read (long-bytes.ts).
 * What a writer may put there is not the schema's to check, so a cast says it.
 */
function base64From<Written>() {
  return (z.any() as z.ZodType<Written, Written>)
    .transform((value: unknown, context): Buffer => {
      if (Buffer.isBuffer(value)) return value;
      const bytes = typeof value === "string" ? decodeBase64(value) : null;
      if (bytes !== null) return bytes;
      context.addIssue({
        code: "custom",
        message: "expected strict Base64 (A-Z a-z 0-9 + / with = padding)",
      });
      return z.NEVER;
    })
    .meta({ type: "string", format: "base64" });
}

export const base64 = base64From<string>();

/** Whole batches in an answer: bytes, of which Base64 is made right where they go out (json-text.ts). */
export const batches = base64From<string | Buffer>();

/** `null` means absent (for a value: a tombstone); `""` is the empty byte string. */
export const nullableBase64 = base64.nullable();

/** A safe integer of at least zero. JSON numbers past 2^53 have already lost digits, so they are refused. */
export const count = z.int().min(0);

export const topic = z.string().describe("the topic's name");
export const partition = z.int().min(0).describe("the partition's number, from 0");
export const brokerId = z
  .int()
  .min(0)
  .max(2_147_483_647)
  .describe("one of the brokers that the process hosts");
export const offset = count.describe("a record's number within its partition");
export const timestampMs = z.int().min(0).max(TIMESTAMP_MS_MAX).describe("milliseconds since 1970");

/** Kafka's i16 and i32, from 0 (KIP-98). */
export const producerId = count.describe("an idempotent producer's id, from init_producer");
export const producerEpoch = z.int().min(0).max(32_767).describe("tells the instances of one id apart");
export const sequence = z
  .int()
  .min(0)
  .max(2_147_483_647)
  .describe("the first record's number among those of its producer in this partition; 0 follows the last");

/** Kafka's `isolation.level`. */
export const isolation = z
  .enum(["read_uncommitted", "read_committed"])
  .default("read_uncommitted")
  .describe("read_committed stops at the last stable offset and hides aborted records");

/** Settings of a topic: names in snake_case, values as JSON. Which exist is the broker's to say (INVALID_CONFIG). */
export const topicConfig = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .describe("the topic's settings");

/** Kafka's `acks`: "0", "1" or "all"; the numbers 0, 1 and -1 are taken as well. */
export const acks = z
  .union([z.enum(["0", "1", "all"]), z.literal([0, 1, -1])])
  .default("1")
  .transform((value): Acks => (value === "all" || value === -1 ? "all" : Number(value) === 0 ? 0 : 1))
  .describe(
    'when to answer: "0" at once, "1" once the leader has written, "all" once every in-sync copy is flushed',
  );
export type Acks = 0 | 1 | "all";

/** Half of a surrogate pair has no UTF-8: it would be stored as another character. */
export const wellFormedText = z
  .string()
  .refine((text) => text.isWellFormed(), { error: "expected text without lone surrogates", abort: true });

export const recordHeader = z.strictObject({
  key: wellFormedText,
  value_b64: nullableBase64.default(null),
});

/** A record as a client sends it. */
export const producedRecord = () =>
  z.strictObject({
    key_b64: nullableBase64.default(null),
    value_b64: nullableBase64.default(null),
    timestamp_ms: timestampMs.optional(),
    headers: z.array(recordHeader).max(HEADERS_PER_RECORD_MAX).default([]),
  });

/** A record as a fetch returns it. */
export const fetchedRecord = () =>
  z.object({
    offset,
    key_b64: nullableBase64,
    value_b64: nullableBase64,
    timestamp_ms: z
      .int()
      .min(NO_TIMESTAMP_MS)
      .max(TIMESTAMP_MS_MAX)
      .describe("milliseconds since 1970; -1 where a client of Kafka's gave none"),
    headers: z.array(z.object({ key: z.string(), value_b64: nullableBase64 })),
  });

/** The marks of a partition that each fetch reports. */
export const marks = {
  high_watermark: count.describe("the end of what every in-sync replica holds, exclusive"),
  last_stable_offset: count.describe("the end of what a read_committed reader may see, exclusive"),
  log_start_offset: count.describe("the first offset that is still there"),
} as const;
