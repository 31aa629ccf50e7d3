/** Topics are made, grow, and go, while others write to them and read. */
import type { TopicFacts } from "../history/history.ts";
import type { ActOf } from "../script/entry.ts";
import type { TopicShape } from "../shape/shape.ts";
import { operate } from "./operator.ts";
import type { RunWorld } from "./world.ts";

const PARTITIONS_MAX = 5;

/** What judges have to know of a topic. */
export function factsOf({ topic, partitions, replicationFactor, config }: TopicShape): TopicFacts {
  const { cleanup_policy = "delete", retention_ms = -1, retention_bytes = -1 } = config;
  return {
    topic,
    partitions,
    replicationFactor,
    minInsyncReplicas: Number(config.min_insync_replicas ?? 1),
    isCompacted: String(cleanup_policy).includes("compact"),
    isRetained: retention_ms !== -1 || retention_bytes !== -1,
  };
}

/** One of those that come later. No name is ever given twice. */
export function createTopic(world: RunWorld, { topic }: ActOf<"create_topic">): void {
  const { recorder, topics, witness, shape } = world;
  const made = shape.laterTopics.find((each) => each.topic === topic);
  if (made === undefined || world.process.cluster === null || !topics.claims(topic)) return;
  const recorded = recorder.asked("create_topic", "operator", factsOf(made));
  const ends = topics.begins(world.process.life);
  operate(world, (cluster) => cluster.createTopicLater(made).then(() => cluster), {
    done: (cluster) => {
      ends();
      recorded.ok({});
      topics.made(made);
      witness.noteTopic(cluster, topic);
    },
    refused: (code) => {
      ends();
      recorded.unknown(code);
    },
  });
}

export function deleteTopic(world: RunWorld, { topic }: ActOf<"delete_topic">): void {
  const { recorder, topics } = world;
  if (!topics.has(topic)) return;
  const recorded = recorder.asked("delete_topic", "operator", { topic });
  // Whatever comes of it, nobody counts on it any more.
  topics.gone(topic);
  operate(world, (cluster) => cluster.deleteTopicLater(topic), {
    done: () => recorded.ok({}),
    refused: (code) => recorded.unknown(code),
  });
}

export function growTopic(world: RunWorld, { topic }: ActOf<"grow">): void {
  const { recorder, topics, witness } = world;
  const partitions = topics.partitionsOf(topic) + 1;
  if (partitions === 1 || partitions > PARTITIONS_MAX) return;
  const recorded = recorder.asked("grow_topic", "operator", { topic, partitions });
  const ends = topics.begins(world.process.life);
  operate(world, (cluster) => cluster.growTopic(topic, partitions).then(() => cluster), {
    done: (cluster) => {
      ends();
      recorded.ok({});
      topics.grown(topic, partitions);
      witness.noteTopic(cluster, topic);
    },
    refused: (code) => {
      ends();
      recorded.unknown(code);
    },
  });
}
