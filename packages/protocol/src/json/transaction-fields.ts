/** Schemas of the fields that the operations of transactions share (KIP-98, KIP-890). */
import { z } from "zod";
import * as fields from "./fields.ts";

/** Kafka bounds it no more than a group's name; ours stands in records' keys and on the command line. */
export const transactionalId = fields.wellFormedText
  .min(1)
  .max(255)
  .describe(
    "names a producer for good: whoever asks for it anew fences the instance before (Kafka: transactional.id)",
  );

/** Kafka: transaction.timeout.ms; its upper bound is the broker's transaction.max.timeout.ms. */
export const transactionTimeoutMs = z
  .int()
  .min(1)
  .max(Number.MAX_SAFE_INTEGER)
  .describe(
    "a transaction that is open for longer than this is aborted; default 60000; at most the broker's transaction_max_timeout_ms, which is 900000 unless it was told otherwise (INVALID_TRANSACTION_TIMEOUT)",
  );

/** Who speaks, in which of its transactions: each has an epoch of its own (KIP-890). */
export const transaction = {
  transactional_id: transactionalId,
  producer_id: fields.producerId,
  producer_epoch: fields.producerEpoch,
} as const;

/** Kafka's TransactionState, without Dead: what is dead is not there. */
export const transactionState = z.enum([
  "empty",
  "ongoing",
  "prepare_commit",
  "prepare_abort",
  "complete_commit",
  "complete_abort",
]);

/** Why a transaction was, or is being, ended. */
export const endCause = z
  .enum(["request", "timeout", "fenced", "operator"])
  .describe("its producer asked; its time was over; a newer instance began; somebody aborted it by hand");

/** A transaction that was aborted, in one partition. */
export const abortedTransaction = z.object({
  producer_id: fields.producerId,
  first_offset: fields.offset.describe("of its first record"),
  last_offset: fields.offset.describe("of its abort marker"),
});
