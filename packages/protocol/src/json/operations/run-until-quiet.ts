import { z } from "zod";
import { groupId } from "../group-fields.ts";
import { operation } from "../operation.ts";
import { transactionalId } from "../transaction-fields.ts";
import { applyRetention } from "./apply-retention.ts";
import { compact } from "./compact.ts";
import { expireMembers } from "./expire-members.ts";
import { expireOffsets } from "./expire-offsets.ts";
import { expireProducers } from "./expire-producers.ts";
import { expireTransactions } from "./expire-transactions.ts";
import { flushLogs } from "./flush-logs.ts";
import { refreshIsr } from "./refresh-isr.ts";
import { replicateOnce } from "./replicate-once.ts";

const STEPS_MAX = 100_000;
const STEPS_DEFAULT = 1_000;

const outcome = () =>
  z
    .enum(["done", "failed", "waits"])
    .describe(
      "waits: its acknowledgement needs what no step gives, such as a replica on a broker that is stopped, or the release of a fault; it goes on waiting",
    );

const problem = () =>
  z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe("why it failed; null where did tells it, and where it did not fail");

const noFields = () => z.object({});
const ofTopic = () => z.object({ topic: z.string() });

function taken<Name extends string, Fields extends z.ZodType, Did extends z.ZodType>(
  name: Name,
  of: Fields,
  did: Did,
) {
  return z.object({
    operation: z.literal(name),
    fields: of,
    outcome: outcome(),
    did: did
      .nullable()
      .describe(
        "the answer of that operation; null unless it is done, or failed in a part of it, which its answer tells",
      ),
    problem: problem(),
  });
}

const stepTaken = () =>
  z.discriminatedUnion("operation", [
    taken(
      "replicate_once",
      z.object({ topic: z.string(), partition: z.int(), broker_id: z.int() }),
      replicateOnce.response,
    ),
    taken("refresh_isr", z.object({ topic: z.string(), partition: z.int() }), refreshIsr.response),
    taken("flush_logs", noFields(), flushLogs.response),
    taken("expire_members", noFields(), expireMembers.response),
    taken("expire_offsets", noFields(), expireOffsets.response),
    taken("expire_transactions", noFields(), expireTransactions.response),
    taken("expire_producers", noFields(), expireProducers.response),
    taken("apply_retention", ofTopic(), applyRetention.response),
    taken("compact", ofTopic(), compact.response),
  ]);

const hindrance = () =>
  z.object({
    what: z
      .enum(["steps_left", "step_failed", "step_waits", "answer_waits", "broker_failed"])
      .describe(
        "steps_left: max_steps were taken before all was; step_failed, step_waits: one of steps; answer_waits: a request waits for its acknowledgement, and no step is left that brings it (with a manual clock); broker_failed: it takes no writes until it is started anew",
      ),
    says: z.string().describe("who waits for what, or why it failed, in one sentence"),
    operation: z.string().optional().describe("the step"),
    held_by: z
      .array(z.int())
      .optional()
      .describe(
        "faults of action hold that hold somebody just now, for whom it may be waiting: their rule_id",
      ),
    request: z
      .string()
      .optional()
      .describe("whose answer waits, where group or transaction does not say enough"),
    topic: z.string().optional(),
    partition: z.int().optional(),
    broker_id: z.int().optional(),
    group_id: groupId.optional(),
    transactional_id: transactionalId.optional(),
  });

export const runUntilQuiet = operation({
  name: "run_until_quiet",
  summary:
    "Takes pending steps, the first of pending_steps each time, until none would do anything. The clock stays where it is. A step that waits for replicas does not hold up those that serve them. What has failed is not taken again as long as the same would come of it.",
  request: () => ({
    max_steps: z
      .int()
      .min(1)
      .max(STEPS_MAX)
      .default(STEPS_DEFAULT)
      .describe("it ends after so many, whatever is left"),
  }),
  response: () =>
    z.object({
      steps: z.array(stepTaken()).describe("as they were begun"),
      quiet: z
        .boolean()
        .describe(
          "whether unquiet is empty. A fetch that waits for records, and a broker that was stopped, are quiet by themselves",
        ),
      unquiet: z.array(hindrance()).describe("what is still pending, has failed, or waits"),
    }),
});
