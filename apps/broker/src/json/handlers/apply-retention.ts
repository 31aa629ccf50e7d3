/**
 * apply_retention: what is too old or too much is gone when it answers, and does not come back. A partition whose log
 * fails is no reason to leave the others alone; it is told after all were tried.
 * Refuses: STEPPING_DISABLED, UNKNOWN_TOPIC, STORAGE_ERROR, BROKER_FAILED.
 */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly brokerId: number;
}

interface Segment {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
}

export const applyRetention: Handler<"apply_retention"> = async ({ topic }, context) => {
  requireLab(context);
  const logs = await context.cluster.steps.applyRetention(topic);
  return {
    closed: logs.flatMap(({ place, closed }) => (closed === null ? [] : [segmentFields(place, closed)])),
    deleted: logs.flatMap(({ place, deleted }) =>
      deleted.map((segment) => ({ ...segmentFields(place, segment), reason: segment.reason })),
    ),
  };
};

function segmentFields(
  { topic, partition, brokerId }: Place,
  { baseOffset, nextOffset, sizeBytes }: Segment,
) {
  return {
    topic,
    partition,
    broker_id: brokerId,
    base_offset: baseOffset,
    next_offset: nextOffset,
    size_bytes: sizeBytes,
  };
}
