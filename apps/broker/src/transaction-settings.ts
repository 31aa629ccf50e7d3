/** The settings of transactions, a part of the table in settings-table.ts. */
import { LIMITS } from "@minikafka/core";
import { z } from "zod";

export const transactionSettings = {
  transaction_max_timeout_ms: z
    .int()
    .min(1)
    .default(LIMITS.transactionMaxTimeoutMsDefault)
    .describe("the longest that a producer may ask for its transactions to be open"),
  transactional_id_expiration_ms: z
    .int()
    .min(1)
    .default(LIMITS.transactionalIdExpirationMsDefault)
    .describe("a transactional id that nobody used for so long is forgotten"),
  transactions_topic_partitions: z
    .int()
    .min(1)
    .max(LIMITS.partitionsPerTopicMax)
    .default(LIMITS.transactionsTopicPartitionsDefault)
    .describe("partitions of __transaction_state, when it is made"),
};
