/** What becomes of a batch whose produce failed. Pure. */
import { hasCode, isFateUnknown, type MiniKafkaError } from "../errors.ts";

export interface FailedBatch {
  readonly recordCount: number;
  /** Whether its delivery timeout leaves no time for another attempt. */
  readonly isExpired: boolean;
  /** Whether the caller prefers a possible duplicate to a possible loss. */
  readonly mayDuplicate: boolean;
}

/**
 * "split": the broker takes smaller batches than this producer makes, so that only a record that is too large by itself
 * fails. "retry": the broker said, or the link knows, that nothing was appended; or the caller accepts duplicates.
 */
export function verdictOn(error: MiniKafkaError, batch: FailedBatch): "fail" | "retry" | "split" {
  if (hasCode(error, "RECORD_TOO_LARGE", "FRAME_TOO_LARGE") && batch.recordCount > 1) return "split";
  if (!error.retriable || batch.isExpired) return "fail";
  return isFateUnknown(error) && !batch.mayDuplicate ? "fail" : "retry";
}
