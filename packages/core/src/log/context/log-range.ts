/** Offsets that a log has. */
import { BrokerError } from "../../errors.ts";

export interface LogRange {
  readonly logStartOffset: number;
  readonly logEndOffset: number;
}

/** The end itself is in range: that is where whoever has read everything stands. Throws OFFSET_OUT_OF_RANGE. */
export function requireInRange(offset: number, range: LogRange): void {
  if (offset < range.logStartOffset || offset > range.logEndOffset) throw outOfRange(offset, range);
}

export function outOfRange(offset: number, { logStartOffset, logEndOffset }: LogRange): BrokerError {
  const message = `offset ${offset} is not in the log; expected ${logStartOffset} to ${logEndOffset}`;
  const details = { offset, log_start_offset: logStartOffset, log_end_offset: logEndOffset };
  return new BrokerError("OFFSET_OUT_OF_RANGE", message, details);
}
