/** Schemas of the fields that the operations of faults share. */
import { nearest } from "@minikafka/record";
import { z } from "zod";
import { ERRORS, type ErrorCode, isErrorCode } from "../errors.ts";
import { KAFKA_ERRORS, type KafkaErrorName } from "../kafka/kafka-errors.ts";
import * as fields from "./fields.ts";
import { groupId } from "./group-fields.ts";
import { transactionalId } from "./transaction-fields.ts";

/** What a fault does. Which of them a point takes is list_faults' to say. */
export const FAULT_ACTIONS = [
  "error",
  "delay",
  "hold",
  "drop_answer",
  "close",
  "close_after",
  "crash",
] as const;
export type FaultActionName = (typeof FAULT_ACTIONS)[number];

/** What a fault can be bound to. Which of them a point takes is list_faults' to say. */
export const FAULT_SCOPES = ["topic", "partition", "broker_id", "group_id", "transactional_id"] as const;
export type FaultScopeName = (typeof FAULT_SCOPES)[number];

export const ruleId = z.int().min(1).describe("the armed fault, as arm_fault has numbered it");

/** Numbers begin anew with each start of a broker, and a program may be connected beyond it. */
export const mark = z.string().min(1).max(64);
/** In a request that is about one fault. */
export const ofMark = mark
  .optional()
  .describe(
    "only the fault that was armed with this mark, and not one that has the same number since a restart",
  );

/** A hit is a pass of the point within the scope, counted from 1 since the fault was armed. */
export const times = z.union(
  [
    z.enum(["once", "always"]),
    z.strictObject({ nth: z.int().min(1).describe("at this hit alone") }),
    z.strictObject({ first: z.int().min(1).describe("at so many hits, from the first on") }),
    z.strictObject({
      probability: z.number().gt(0).max(1).describe("at each hit with this chance"),
      seed: z
        .int()
        .min(Number.MIN_SAFE_INTEGER)
        .max(Number.MAX_SAFE_INTEGER)
        .describe("the same seed draws the same hits"),
    }),
  ],
  {
    // Zod would say that none of them fits, and not what they are.
    error:
      'expected "once", "always", {"nth": N}, {"first": N} or {"probability": P, "seed": S}, with N from 1 and 0 < P <= 1',
  },
);
export type FaultTimesField = z.output<typeof times>;

/** What a client may be told: a code of the one table, or, for Kafka's clients, any other error of theirs. */
export type FaultCode = ErrorCode | Exclude<KafkaErrorName, "NONE">;

/** The list of them would hide everything else that a message has to say. */
const errorCode = z
  .string()
  .refine((code) => isErrorCode(code) || (code !== "NONE" && Object.hasOwn(KAFKA_ERRORS, code)), {
    error: ({ input }) => {
      const meant = codeMeant(String(input));
      return `expected a code of the error table (docs/reference/errors.md), such as NOT_ENOUGH_REPLICAS, or at a point of Kafka's requests any name of Kafka's, such as NOT_LEADER_OR_FOLLOWER${meant === null ? "" : ` (did you mean ${meant}?)`}`;
    },
  }) as z.ZodType<FaultCode, FaultCode>;

/** The nearest code, or the first one that begins with what is meant: who writes a long one may stop in the middle. */
function codeMeant(typed: string): string | null {
  const codes = [...Object.keys(ERRORS), ...Object.keys(KAFKA_ERRORS)].filter((code) => code !== "NONE");
  const whole = nearest(typed, codes);
  const words = typed.split("_").length;
  // One word begins too many of them.
  if (whole !== null || words === 1) return whole;
  const beginning = (code: string) => code.split("_").slice(0, words).join("_");
  const begun = nearest(typed, codes.map(beginning));
  return codes.find((code) => beginning(code) === begun) ?? null;
}

/** What is armed, but for the times. */
export const order = () => ({
  point: z.string().min(1).max(100).describe("where; list_faults names all points"),
  action: z
    .enum(FAULT_ACTIONS)
    .describe(
      "error: it is not done, and fails. delay, hold: it is done later. drop_answer: it is done, and no answer is sent. close: the connection is closed, and it is not done. close_after: it is done, and the connection is closed in place of the answer. crash: the process dies",
    ),
  errno: z
    .enum(["EIO", "ENOSPC"])
    .optional()
    .describe("with error, in the kernel: what the disk says; EIO when left out"),
  code: errorCode
    .optional()
    .describe(
      "with error, at a request: the answer's code; at one of Kafka's the number that this broker tells for it, and any other name of an error of Kafka's by its own number",
    ),
  bytes_written: fields.count
    .optional()
    .describe("with error, where bytes are written: so many of them are, before it fails"),
  delay_ms: z
    .int()
    .min(0)
    .max(86_400_000)
    .optional()
    .describe("with delay: for how long, on the broker's clock"),
  topic: fields.topic.optional().describe("only what concerns this topic"),
  partition: fields.partition.optional().describe("only what concerns the partition of this number"),
  broker_id: fields.brokerId.optional().describe("only what concerns this broker"),
  group_id: groupId.optional().describe("only requests of this group"),
  transactional_id: transactionalId.optional().describe("only requests of this transactional id"),
});
