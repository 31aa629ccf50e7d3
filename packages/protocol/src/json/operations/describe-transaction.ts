import { z } from "zod";
import * as fields from "../fields.ts";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";
import { endCause, transactionalId, transactionState } from "../transaction-fields.ts";

/** Kafka's DescribeTransactions (KIP-664). */
export const describeTransaction = operation({
  name: "describe_transaction",
  summary: "What the coordinator knows of a transactional id: its state, its producer, its partitions.",
  request: () => ({ transactional_id: transactionalId }),
  response: () =>
    z.object({
      transactional_id: z.string(),
      coordinator_id: z
        .int()
        .nullable()
        .describe("the broker that leads the id's partition of __transaction_state; null when none does"),
      state: transactionState,
      producer_id: fields.producerId,
      producer_epoch: fields.producerEpoch.describe(
        "the present one: of the open transaction, or of the next",
      ),
      timeout_ms: z.int().describe("how long a transaction of it may be open"),
      started_ms: z.int().nullable().describe("when the open transaction began; null when none is open"),
      partitions: z
        .array(
          group.topicPartition.extend({
            gone: z
              .literal(true)
              .optional()
              .describe(
                "the topic was deleted since, or made anew under the name: nothing is to be ended there",
              ),
          }),
        )
        .describe("those of the open transaction, or those that still wait for their markers"),
      last_end: z
        .object({
          producer_id: fields.producerId.describe("whose transaction it was"),
          producer_epoch: fields.producerEpoch.describe("in which it was open"),
          committed: z.boolean(),
          cause: endCause,
          ended_ms: z.int(),
        })
        .nullable()
        .describe("how the last transaction ended, or is ending; null when there was none"),
    }),
});
