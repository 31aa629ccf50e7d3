import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";
import { transactionState } from "../transaction-fields.ts";

/** Kafka's ListTransactions (KIP-664, KIP-994). */
export const listTransactions = operation({
  name: "list_transactions",
  summary:
    "All transactional ids by name, or those in the given states. It is refused when no partition of __transaction_state can be read.",
  request: () => ({
    states: z.array(transactionState).min(1).max(6).optional().describe("only those in one of them"),
  }),
  response: () =>
    z.object({
      transactions: z.array(
        z.object({
          transactional_id: z.string(),
          state: transactionState,
          producer_id: fields.producerId,
          producer_epoch: fields.producerEpoch,
          partitions: z.int().describe("how many the open transaction has"),
          started_ms: z.int().nullable().describe("when the open transaction began; null when none is open"),
          coordinator_id: z
            .int()
            .nullable()
            .describe("the broker that leads the id's partition; null when none does"),
        }),
      ),
      unreadable: z
        .array(
          z.object({
            partition: z.int().describe("of __transaction_state; the ids that it holds are missing above"),
            code: z.string(),
            message: z.string(),
          }),
        )
        .describe("what cannot be read now, such as a partition without a leader"),
    }),
});
