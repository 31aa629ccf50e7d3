/**
 * A search's steps and its record in the names of the protocol: the broker answers find_in_log with them, and `log find` shows
 * them of a folder that no broker has open. Their types are checked against the operation's schema by whoever uses them.
 */
import type { TimedOffset } from "../indexes/segment-times.ts";
import type { LookupStep } from "../segment/lookup.ts";
import type { FoundRecord } from "./log-find.ts";

export function lookupStepFields(step: LookupStep) {
  const { kind, segment } = step;
  switch (kind) {
    case "segment": {
      const { nextOffset, maxTimestampMs, taken } = step;
      return { step: kind, segment, next_offset: nextOffset, max_timestamp_ms: maxTimestampMs, taken };
    }
    case "time_index":
      return { step: kind, segment, after: timeEntry(step.after), until: timeEntry(step.until) };
    case "offset_index":
      return { step: kind, segment, offset: step.offset, position: step.position };
    case "scan":
      return { step: kind, segment, position: step.position, batches: step.batches };
    case "index_refused":
      return { step: kind, segment, problem: step.problem };
  }
}

export function foundRecordFields({ offset, timestampMs, place }: FoundRecord) {
  return { offset, timestamp_ms: timestampMs, place };
}

function timeEntry(entry: TimedOffset | null) {
  return entry && { timestamp_ms: entry.timestampMs, offset: entry.offset };
}
