/** How a coordinator reaches the cluster: an internal topic's partitions, its making, and appends to it. */
import type { CoordinatorTopicParts } from "../coordinator/coordinator-topic.ts";
import type { RecordKinds } from "../coordinator/record-kinds.ts";
import type { Env } from "../env/env.ts";
import { LIMITS } from "../limits.ts";
import type { BehindPartitions } from "./behind-partitions.ts";
import type { Brokers } from "./brokers.ts";
import type { ResolvedConfig } from "./config.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { PartitionTable } from "./partition-table.ts";
import type { TopicChanges } from "./topic-changes.ts";
import { planTopic, type TopicRequest } from "./topic-request.ts";

export interface InternalTopicParts {
  readonly brokers: Brokers;
  readonly table: PartitionTable;
  readonly topics: TopicChanges;
  readonly behind: BehindPartitions;
  readonly config: ResolvedConfig;
  readonly lifecycle: Lifecycle;
}

/**
 * `request` says what the topic is like when it is made: on as many brokers as there are, up to three, of those that run. It
 * is refused while there are fewer that run (Kafka: the same, with the number configured).
 */
export function openInternalTopic(
  { brokers, table, topics, behind, lifecycle }: InternalTopicParts,
  request: Omit<TopicRequest, "replicationFactor">,
  env: Env,
): Omit<CoordinatorTopicParts<RecordKinds>, "newKinds"> {
  const { topic } = request;
  const { catalogue } = topics;
  return {
    topic,
    partitions: () => (catalogue.get(topic) === undefined ? null : table.of(topic)),
    make: async () => {
      const replicationFactor = Math.min(LIMITS.internalTopicReplicationMax, brokers.ids.length);
      const running = brokers.ids.filter((brokerId) => brokers.get(brokerId).isRunning);
      const brokerIds = running.length < replicationFactor ? brokers.ids : running;
      const topicId = env.random.uuid();
      const planned = planTopic(
        { ...request, replicationFactor },
        { catalogue, brokerIds, topicId, isInternal: true },
      );
      await topics.createLater(planned, () => lifecycle.requireRunning());
    },
    append: (set, frame, { inTransaction }) => {
      const appended = set.append(frame, { acks: "all", origin: "coordinator", inTransaction });
      behind.add(set);
      return appended;
    },
    appendMarker: (set, end, onAppended) =>
      set.appendMarker(end, (appended) => {
        behind.add(set);
        onAppended(appended);
      }),
  };
}
