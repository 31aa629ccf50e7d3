/**
 * Schemas of steps that would do something if they were taken, and of what they would do. They are made when they are called for, as an operation's
 * are (operation.ts).
 */
import { z } from "zod";
import * as fields from "./fields.ts";
import { groupId } from "./group-fields.ts";
import { applyRetention } from "./operations/apply-retention.ts";
import { expireMembers } from "./operations/expire-members.ts";
import { expireOffsets } from "./operations/expire-offsets.ts";
import { expireProducers } from "./operations/expire-producers.ts";
import { expireTransactions } from "./operations/expire-transactions.ts";
import { dyingGroups, forgottenGroups, rebalancedGroups } from "./step-fields.ts";
import { transactionalId } from "./transaction-fields.ts";

const says = () => z.string().describe("the same in one sentence");
const noFields = () => z.object({}).describe("the request has no field but its operation");
const ofTopic = () => z.object({ topic: z.string() });
const replica = () => z.object({ topic: z.string(), partition: z.int(), broker_id: z.int() });
const isr = () => z.array(z.int());

const loads = () =>
  z
    .array(z.object({ topic: z.string(), partition: z.int() }))
    .describe(
      "partitions of an internal topic that are not in memory: the step reads them, and what it does there besides is only known then",
    );

function step<Name extends string, Fields extends z.ZodType, Would extends z.ZodType>(
  name: Name,
  of: Fields,
  would: Would,
) {
  return z.object({
    operation: z.literal(name).describe("the step is taken by a request for it, with these fields"),
    fields: of,
    would: would.describe("what it would do if it were taken now"),
    says: says(),
  });
}

const round = () =>
  z.object({
    from_offset: fields.count.describe("where the follower's log ends"),
    truncated_to: fields.count
      .nullable()
      .describe("where it ends after a cut that comes first; null when none is due"),
    batches: fields.count.describe("how many are copied"),
    bytes: fields.count,
    problem: z.string().nullable().describe("why it would fail, as far as can be known"),
    log_start_offset: fields.count.describe("of the follower, afterwards"),
    log_end_offset: fields.count.describe("of the follower, afterwards"),
    high_watermark: fields.count.describe("as far as the follower has heard then"),
    leader_high_watermark: fields.count.describe("of the partition, afterwards"),
    isr: isr().describe("afterwards"),
  });

const judgement = () =>
  z.object({
    from: isr(),
    to: isr(),
    moves: z.array(
      z.object({
        broker_id: z.int(),
        reason: z.string().describe("caught_up: it joins; any other: why it leaves"),
        log_end_offset: fields.count
          .nullable()
          .describe("as its leader knows it; null before its first fetch"),
        last_caught_up_ms: z.int().nullable(),
      }),
    ),
    high_watermark: fields.count.describe("of the partition, afterwards"),
  });

const flush = () =>
  z.object({
    logs: z.array(
      replica().extend({
        flushed_offset: fields.count.describe("what lies below is durable already"),
        log_end_offset: fields.count,
        bytes: fields.count.describe("that no sync has covered; 0 when only names or segments wait for it"),
      }),
    ),
    notes: z
      .array(
        z.object({
          broker_id: z.int(),
          high_watermarks: z
            .array(z.object({ topic: z.string(), partition: z.int(), high_watermark: fields.count }))
            .describe("what is news of them"),
        }),
      )
      .describe(
        "brokers that note anew how far their replicas are visible (Kafka: replication-offset-checkpoint)",
      ),
  });

const pass = () =>
  replica().extend({
    first_dirty_offset: fields.count,
    clean_end: fields.count.describe("nothing at or behind it is touched"),
    dirty_ratio: z.number(),
    segments: fields.count.describe("that the pass goes over"),
    bytes: fields.count.describe("of those"),
  });

export const pendingStep = () =>
  z.discriminatedUnion("operation", [
    step("replicate_once", replica().describe("one follower of one partition"), round()),
    step("refresh_isr", z.object({ topic: z.string(), partition: z.int() }), judgement()),
    step("flush_logs", noFields(), flush()),
    step(
      "expire_members",
      noFields(),
      z.object({
        expired: expireMembers.response.shape.expired,
        rebalanced: rebalancedGroups,
        loads: loads(),
      }),
    ),
    step(
      "expire_offsets",
      noFields(),
      z.object({
        expired: expireOffsets.response.shape.expired,
        dying: dyingGroups,
        forgotten: forgottenGroups,
        loads: loads(),
      }),
    ),
    step(
      "expire_transactions",
      noFields(),
      expireTransactions.response
        .pick({ aborted: true, completed: true, forgotten: true, repaired: true })
        .extend({ loads: loads() }),
    ),
    step("expire_producers", noFields(), z.object({ expired: expireProducers.response.shape.expired })),
    step(
      "apply_retention",
      ofTopic(),
      z.object({
        rolled: z.array(replica()).describe("logs whose written segment is closed first"),
        deleted: applyRetention.response.shape.deleted,
        log_starts: z
          .array(replica().extend({ log_start_offset: fields.count }))
          .describe("where the logs begin then"),
      }),
    ),
    step(
      "compact",
      ofTopic(),
      z.object({
        passes: z.array(pass()),
        held: z
          .array(replica().extend({ first_dirty_offset: fields.count, copied_end: fields.count }))
          .describe("logs of which it would only tell that tombstones stay, since a replica may lack them"),
      }),
    ),
  ]);

/** What time alone will bring. */
export const deadline = () =>
  z.object({
    due_at_ms: fields.timestampMs,
    what: z
      .enum([
        "replica_lag_time",
        "session_timeout",
        "rebalance_timeout",
        "initial_rebalance_delay",
        "transaction_timeout",
        "transactional_id_expiration",
        "offset_retention",
        "group_retention",
        "producer_expiration",
        "retention",
        "compaction",
        "long_poll",
        "answer",
        "fault_delay",
      ])
      .describe(
        "long_poll: a fetch is answered with what there is; answer: a request that waits for replicas or a disk is given up; any other: a step has something to do",
      ),
    operation: z
      .string()
      .nullable()
      .describe("the step that has something to do then; null for the end of a wait"),
    request: z
      .string()
      .optional()
      .describe("whose answer waits, where group or transaction does not say enough"),
    topic: z.string().optional(),
    partition: z.int().optional(),
    broker_id: z.int().optional(),
    group_id: groupId.optional(),
    member_id: z.string().optional(),
    transactional_id: transactionalId.optional(),
    producer_id: fields.producerId.optional(),
  });
