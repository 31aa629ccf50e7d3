/**
 * compact: one pass over each log in which enough has gathered (min_cleanable_dirty_ratio); segments that were closed and
 * flushed take part. A partition whose log fails is no reason to leave the others alone; it is told after all were tried.
 * Refuses: STEPPING_DISABLED, UNKNOWN_TOPIC, STORAGE_ERROR, BROKER_FAILED.
 */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const compact: Handler<"compact"> = async ({ topic }, context) => {
  requireLab(context);
  const answer: ParsedResponse<"compact"> = { compacted: [], gave_way: [] };
  for (const { place, result, waitsFor } of await context.cluster.steps.compact(context.pause, topic)) {
    const log = { topic: place.topic, partition: place.partition, broker_id: place.brokerId };
    const { passes } = result;
    const waits_for = [...waitsFor];
    if ("gaveWayTo" in result)
      answer.gave_way.push({ ...log, gave_way_to: result.gaveWayTo, waits_for, passes });
    else
      answer.compacted.push({
        ...log,
        first_dirty_offset: result.firstDirtyOffset,
        complete: result.isComplete,
        segments_before: result.segmentsBefore,
        segments_after: result.segmentsAfter,
        bytes_before: result.bytesBefore,
        bytes_after: result.bytesAfter,
        records_kept: result.recordsKept,
        records_dropped: result.recordsDropped,
        tombstones_dropped: result.tombstonesDropped,
        records_held: result.recordsHeld,
        waits_for,
        passes,
      });
  }
  return answer;
};
