/**
 * `metadata.json`: which topics there are, who holds and leads their partitions, and which folders still have to go.
 *
 * Owns: the file and the shape of its payload.
 * Invariants: replacing it is the one commit point of a topic's creation and deletion; it is there from the moment at
 * which the data folder becomes ours; what was read passed the rules that a client's request passes.
 * Never: a topic whose folder would lie outside the data folder, whatever the file says.
 */
import { posix } from "node:path";
import type { Env } from "../env/env.ts";
import { LIMITS } from "../limits.ts";
import { CheckpointFile } from "../log/files/checkpoint-file.ts";
import { fieldsOf, integerOf, listOf, mismatch, textOf } from "../log/files/parsed-json.ts";
import { METADATA_FILE_NAME } from "../log/inspection/folder-survey.ts";
import { quoted } from "../quoted.ts";
import { newPartitionState, stateProblem } from "../replica/partition-state.ts";
import { parseTopicConfig, type RawTopicConfig } from "./topic-config.ts";
import { collisionKey, topicNameProblem } from "./topic-name.ts";
import type { PartitionAssignment, Topic } from "./topics.ts";
import { isUuid } from "./uuid.ts";

/**
 * 2: each partition says who is in sync, and where its leader's epoch began; `held_out` is there only where somebody is, and whoever
 * does not know it lets them in; so is `deleted_before`, without which the logs alone tell what was deleted, and `copy_anew`, without which
 * those replicas are not. Version 1 knew one replica of each.
 */
const VERSION = 2;

/** By broker: the epoch of the last start whose replicas were judged (broker-epoch.ts). */
export type BrokerEpochs = ReadonlyMap<number, number>;

export interface ClusterMetadata {
  readonly topics: readonly Topic[];
  /** Deleted topics of which some folder may still be there. A name stands here once, and may stand in `topics` never. */
  readonly deletions: readonly Topic[];
  /** Left out when no broker has started since epochs are noted. */
  readonly brokerEpochs?: BrokerEpochs;
}

export function openMetadataFile(dataFolder: string, env: Env): CheckpointFile<ClusterMetadata> {
  return new CheckpointFile<ClusterMetadata>({
    disk: env.disk,
    faults: env.faults,
    path: posix.join(dataFolder, METADATA_FILE_NAME),
    name: "metadata",
    version: VERSION,
    parse: parseMetadata,
    format: formatMetadata,
  });
}

function formatMetadata({ topics, deletions, brokerEpochs }: ClusterMetadata): unknown {
  const named = { topics: topics.map(formatTopic), deletions: deletions.map(formatTopic) };
  if (brokerEpochs === undefined) return named;
  const epochs = [...brokerEpochs].map(([brokerId, epoch]) => ({ broker_id: brokerId, broker_epoch: epoch }));
  return { ...named, broker_epochs: epochs };
}

function formatTopic({ topic, topicId, config, partitions }: Topic): unknown {
  return {
    topic,
    topic_id: topicId,
    config,
    partitions: partitions.map((partition) => ({
      replicas: partition.replicas,
      leader_id: partition.leaderId,
      leader_epoch: partition.leaderEpoch,
      leader_epoch_start_offset: partition.leaderEpochStartOffset,
      isr: partition.inSyncReplicas,
      ...(partition.heldOut === undefined ? {} : { held_out: partition.heldOut }),
      ...(partition.copyAnew === undefined ? {} : { copy_anew: partition.copyAnew }),
      ...(partition.deletedBefore === undefined ? {} : { deleted_before: partition.deletedBefore }),
    })),
  };
}

function parseMetadata(payload: unknown, version: number): ClusterMetadata {
  const fields = fieldsOf(payload, "the metadata");
  const topicsOf = (name: string) =>
    listOf(fields.get(name), name).map((topic) => parseTopic(topic, version));
  const [topics, deletions] = [topicsOf("topics"), topicsOf("deletions")];
  const taken = new Map<string, string>();
  for (const { topic } of [...topics, ...deletions]) {
    const rival = taken.get(collisionKey(topic));
    if (rival !== undefined)
      throw new Error(`it names ${quoted(topic)} beside ${quoted(rival)}, which collide`);
    taken.set(collisionKey(topic), topic);
  }
  if (!fields.has("broker_epochs")) return { topics, deletions };
  const epochs = listOf(fields.get("broker_epochs"), "broker_epochs").map(parseBrokerEpoch);
  return { topics, deletions, brokerEpochs: new Map(epochs) };
}

function parseBrokerEpoch(value: unknown): [brokerId: number, epoch: number] {
  const fields = fieldsOf(value, "a broker's epoch");
  return [
    integerOf(fields.get("broker_id"), "broker_id", { min: 0, max: LIMITS.brokerIdMax }),
    integerOf(fields.get("broker_epoch"), "broker_epoch", { min: 0, max: Number.MAX_SAFE_INTEGER }),
  ];
}

function parseTopic(value: unknown, version: number): Topic {
  const fields = fieldsOf(value, "a topic");
  const topic = textOf(fields.get("topic"), "a topic's name");
  const problem = topicNameProblem(topic);
  if (problem !== null) throw new Error(problem);
  const topicId = textOf(fields.get("topic_id"), `topic_id of ${topic}`);
  if (!isUuid(topicId)) throw mismatch(topicId, `topic_id of ${topic}`, "a UUID");
  const partitions = listOf(fields.get("partitions"), `partitions of ${topic}`);
  const bounds = { min: 1, max: LIMITS.partitionsPerTopicMax };
  integerOf(partitions.length, `the number of partitions of ${topic}`, bounds);
  return {
    topic,
    topicId,
    config: parseTopicConfig(parseRawConfig(fields.get("config"), topic)),
    partitions: partitions.map((partition) => parseAssignment(partition, topic, version)),
  };
}

function parseRawConfig(value: unknown, topic: string): RawTopicConfig {
  const raw: Record<string, string | number | boolean> = {};
  for (const [key, setting] of fieldsOf(value, `config of ${topic}`)) {
    if (typeof setting !== "string" && typeof setting !== "number" && typeof setting !== "boolean") {
      throw mismatch(setting, `${quoted(key)} of ${topic}`, "text, a number or a boolean");
    }
    raw[key] = setting;
  }
  return raw;
}

function parseAssignment(value: unknown, topic: string, version: number): PartitionAssignment {
  const fields = fieldsOf(value, `a partition of ${topic}`);
  const brokerId = (id: unknown, what: string) =>
    integerOf(id, `${what} of ${topic}`, { min: 0, max: LIMITS.brokerIdMax });
  const offset = (name: string) =>
    integerOf(fields.get(name), `${name} of ${topic}`, { min: 0, max: Number.MAX_SAFE_INTEGER });
  const brokerIds = (name: string, what: string) =>
    listOf(fields.get(name), `${name} of ${topic}`).map((id) => brokerId(id, what));
  const replicas = brokerIds("replicas", "a replica");
  const epoch = integerOf(fields.get("leader_epoch"), `leader_epoch of ${topic}`, {
    min: 0,
    max: 2 ** 31 - 1,
  });
  if (version === 1) return withOneReplica(replicas, brokerId(fields.get("leader_id"), "leader_id"), epoch);
  const leaderId = fields.get("leader_id");
  const assignment = {
    replicas,
    leaderId: leaderId === null ? null : brokerId(leaderId, "leader_id"),
    leaderEpoch: epoch,
    leaderEpochStartOffset: offset("leader_epoch_start_offset"),
    inSyncReplicas: brokerIds("isr", "an in-sync replica"),
    ...(fields.has("deleted_before") ? { deletedBefore: offset("deleted_before") } : {}),
    ...(fields.has("copy_anew") ? { copyAnew: brokerIds("copy_anew", "a replica to be copied anew") } : {}),
    ...(fields.has("held_out") ? { heldOut: brokerIds("held_out", "a replica held out") } : {}),
  };
  const problem = stateProblem(assignment, replicas);
  if (problem !== null) throw new Error(`of a partition of ${topic}, ${problem}`);
  return assignment;
}

/** A partition of version 1: its leader alone holds it, and has led it for ever. */
function withOneReplica(
  replicas: readonly number[],
  leaderId: number,
  leaderEpoch: number,
): PartitionAssignment {
  if (replicas.length !== 1 || replicas[0] !== leaderId)
    throw new Error(`replicas ${replicas.join(", ")} are led by ${leaderId}, expected the leader alone`);
  return { ...newPartitionState(replicas), replicas, leaderEpoch };
}
