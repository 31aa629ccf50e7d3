import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";
import { transactionalId, transactionTimeoutMs } from "../transaction-fields.ts";

/** Kafka's InitProducerId (KIP-98, KIP-360). */
export const initProducer = operation({
  name: "init_producer",
  summary:
    "Gives an idempotent producer its id and epoch; no id is ever given to somebody else, also after a restart, which keeps the epoch of a name. With a transactional id it ends the transaction that the instance before has open, and answers when that is complete.",
  request: () => ({
    name: z
      .string()
      .min(1)
      .max(249)
      .optional()
      .describe("keeps its id: each new instance gets the next epoch and fences the one before"),
    transactional_id: transactionalId.optional().describe("as name does, for a producer of transactions"),
    transaction_timeout_ms: transactionTimeoutMs.optional(),
    producer_id: fields.producerId
      .optional()
      .describe("what the caller has; it gets the next epoch of it, and its sequences begin at 0 again"),
    producer_epoch: fields.producerEpoch.optional().describe("the epoch that goes with producer_id"),
  }),
  response: () => z.object({ producer_id: fields.producerId, producer_epoch: fields.producerEpoch }),
});
