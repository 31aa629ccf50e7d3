/** What becomes of an idempotent producer's batch whose produce failed (KIP-98, KIP-360). Pure. */
import { hasCode, type MiniKafkaError } from "../errors.ts";

export interface FailedSequencedBatch {
  readonly recordCount: number;
  /** Whether its delivery timeout leaves no time for another attempt. */
  readonly isExpired: boolean;
  /** Whether no batch before it has a sequence any more. */
  readonly isFirst: boolean;
  /** Whether it surely is not in the partition, since one before it is not. */
  readonly isVoid: boolean;
  /** Whether an attempt may have taken effect without an answer. */
  readonly isInDoubt: boolean;
}

/**
 * "retry": later, with the same sequence, which the broker knows if it is there. "again": the same at once, since it only came
 * before one that has to be sent again. "renew": it is not there and gets a sequence of the next epoch. "split": in halves.
 * "fail": for good. "fenced": a newer instance of the producer is at work, and this one may not go on.
 */
export type IdempotentVerdict = "retry" | "again" | "renew" | "split" | "fail" | "fenced";

export function idempotentVerdict(error: MiniKafkaError, batch: FailedSequencedBatch): IdempotentVerdict {
  if (hasCode(error, "PRODUCER_FENCED")) return "fenced";
  if (hasCode(error, "RECORD_TOO_LARGE", "FRAME_TOO_LARGE") && batch.recordCount > 1) return "split";
  const isOutOfOrder = hasCode(error, "OUT_OF_ORDER_SEQUENCE");
  if (batch.isExpired || !(error.retriable || isOutOfOrder || hasCode(error, "UNKNOWN_PRODUCER_ID")))
    return "fail";
  if (batch.isVoid) return "renew";
  if (error.retriable) return "retry";
  if (isOutOfOrder && !batch.isFirst) return "again";
  // It is not there now. But what an attempt without an answer has sent may still come, with that of the one before it.
  return batch.isInDoubt ? "fail" : "renew";
}
