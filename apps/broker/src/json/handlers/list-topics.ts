/** list_topics: by name. */
import type { Handler } from "../handler.ts";

export const listTopics: Handler<"list_topics"> = (_request, { cluster }) => ({
  topics: cluster.listTopics().map(({ topic, partitions, replicationFactor, isInternal }) => ({
    topic,
    partitions,
    replication_factor: replicationFactor,
    ...(isInternal && { internal: true }),
  })),
});
