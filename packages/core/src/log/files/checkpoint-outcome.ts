/** What a checkpoint's error says of its file. */
import type { BrokerError } from "../../errors.ts";

/** Whether the old value still stands after a failure, or the new one stands and may not survive a power cut. */
export type CheckpointOutcome = "unchanged" | "unknown";

/** Whether `error` refuses a file only because a newer program wrote it. */
export function isNewerVersion(error: BrokerError): boolean {
  return typeof error.details.newer_version === "number";
}

/** The outcome that a failed replacement left, or `null` for an error of another kind. */
export function checkpointOutcome(error: BrokerError): CheckpointOutcome | null {
  const { outcome } = error.details;
  return outcome === "unchanged" || outcome === "unknown" ? outcome : null;
}
