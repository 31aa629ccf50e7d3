/**
 * create_partitions: when it answers, the new partitions are durable and led.
 * Refuses: UNKNOWN_TOPIC, INVALID_CONFIG (no more than there are, or too many), STORAGE_ERROR, BROKER_FAILED.
 */
import type { Handler } from "../handler.ts";

export const createPartitions: Handler<"create_partitions"> = async ({ topic, partitions }, { cluster }) => {
  await cluster.growTopic(topic, partitions);
  return { topic, partitions };
};
