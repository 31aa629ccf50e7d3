/**
 * replicate_once: one follower-fetch round. Refuses: STEPPING_DISABLED, INVALID_REQUEST (a partition without its topic,
 * a broker that there is not or that holds no copy of the partition), UNKNOWN_TOPIC, UNKNOWN_PARTITION, STORAGE_ERROR, BROKER_FAILED.
 */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";
import { stepFilter } from "../step-filter.ts";

export const replicateOnce: Handler<"replicate_once"> = async (request, context) => {
  requireLab(context);
  const { copied, heard } = await context.cluster.steps.replicateOnce(stepFilter(request));
  return {
    copied: copied.map((round) => ({
      topic: round.topic,
      partition: round.partition,
      broker_id: round.brokerId,
      batches: round.batches,
      bytes: round.bytes,
      truncated_to: round.truncatedTo,
      problem: round.problem,
    })),
    heard: heard.map((round) => ({
      topic: round.topic,
      partition: round.partition,
      broker_id: round.brokerId,
      log_start_offset: round.logStartOffset,
      log_end_offset: round.logEndOffset,
      high_watermark: round.highWatermark,
      leader_high_watermark: round.leaderHighWatermark,
    })),
  };
};
