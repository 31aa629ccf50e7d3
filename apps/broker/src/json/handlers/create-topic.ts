/**
 * create_topic: when it answers, the topic is durable and its partitions are led.
 * Refuses: INVALID_TOPIC, TOPIC_ALREADY_EXISTS, INVALID_CONFIG (also for more than one replica).
 */
import type { Handler } from "../handler.ts";

export const createTopic: Handler<"create_topic"> = async (request, { cluster }) => {
  const { topic, partitions, replication_factor: replicationFactor, config = {} } = request;
  await cluster.createTopicLater({ topic, partitions, replicationFactor, config });
  return { topic };
};
