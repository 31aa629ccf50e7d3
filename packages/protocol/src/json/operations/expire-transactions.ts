import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";
import { loadedPartitions } from "../step-fields.ts";
import { transactionalId } from "../transaction-fields.ts";

/** Kafka: transaction.abort.timed.out.transaction.cleanup.interval.ms and transactional.id.expiration.ms, as one step. */
export const expireTransactions = operation({
  name: "expire_transactions",
  summary:
    "Aborts transactions that are open for longer than their timeout, finishes those whose end was decided and not completed, forgets ids that were not used for a week, and ends what is open in a partition and known to no coordinator, as happens by itself in auto mode.",
  request: () => ({}),
  response: () =>
    z.object({
      aborted: z.array(transactionalId).describe("their time was over"),
      completed: z.array(transactionalId).describe("their end had been decided before, and is complete now"),
      forgotten: z
        .array(transactionalId)
        .describe("ids that nobody used; a producer that asks anew gets another producer id"),
      failed: z
        .array(z.object({ transactional_id: transactionalId, code: z.string(), message: z.string() }))
        .describe("could not be ended now; the next step tries again"),
      repaired: z
        .array(
          z.object({
            topic: z.string(),
            partition: z.int(),
            producer_id: fields.producerId,
            producer_epoch: fields.producerEpoch,
            committed: z
              .boolean()
              .describe("its transactional id says that it was committed; else it was aborted"),
          }),
        )
        .describe(
          "hanging transactions: open in the partition, and known to no transactional id, as after an unclean promotion (KIP-664); each has its marker now",
        ),
      loaded: loadedPartitions,
    }),
});
