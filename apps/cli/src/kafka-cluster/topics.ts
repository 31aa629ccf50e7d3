/** What a topic is like in a cluster of Kafka's, and how one is made there like that. */
import { CliError } from "../failure.ts";
import type { KafkaLink } from "./kafka-link.ts";
import { problemOf } from "./kafka-problem.ts";

export interface Setting {
  readonly name: string;
  readonly value: string;
}

export interface TopicShape {
  readonly topic: string;
  /** Changes when a topic is deleted and made again. */
  readonly topicId: string;
  readonly partitions: number;
}

/** `null` where there is none. As the leader of `partition` knows it, where one is named. */
export async function topicShape(
  link: Pick<KafkaLink, "metadata">,
  topic: string,
  partition?: number,
): Promise<TopicShape | null> {
  const place = partition === undefined ? null : { topic, partition };
  const found = (await link.metadata([topic], place)).get(topic);
  return found === undefined ? null : { topic, topicId: found.topicId, partitions: found.leaders.length };
}

const RESOURCE_TOPIC = 2;
/** Kafka: ConfigSource.DYNAMIC_TOPIC_CONFIG, what somebody has set of this topic. */
const SET_OF_TOPIC = 1;

/** The settings that somebody has given the topic; what it has from its cluster stays there. */
export async function ownSettings(link: KafkaLink, topic: string): Promise<Setting[]> {
  const { api } = link.kafkaClient.describeConfigsV4;
  const resource = { resourceType: RESOURCE_TOPIC, resourceName: topic, configurationKeys: null } as const;
  const answer = await link.ask(`asking for the settings of ${topic}`, { kind: "any" }, (connection) =>
    api.async(connection, [resource], false, false),
  );
  const configs = answer.results[0]?.configs ?? [];
  return configs
    .filter(({ configSource, value }) => configSource === SET_OF_TOPIC && typeof value === "string")
    .map(({ name, value }) => ({ name, value: value ?? "" }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

export interface NewTopic {
  readonly topic: string;
  readonly partitions: number;
  /** -1: as many as that cluster gives by default (KIP-464). */
  readonly replicas: number;
  readonly settings: readonly Setting[];
}

export interface LeftOut extends Setting {
  readonly why: string;
}

const CREATE_MS_MAX = 30_000;

/** Which of the settings that cluster does not take, each with its reason. Nothing is made. */
export async function settingsRefused(link: KafkaLink, wanted: NewTopic): Promise<LeftOut[]> {
  if ((await refusalOf(link, wanted)) === null) return [];
  const refused: LeftOut[] = [];
  for (const setting of wanted.settings) {
    const why = await refusalOf(link, { ...wanted, settings: [setting] });
    if (why !== null) refused.push({ ...setting, why });
  }
  return refused;
}

/** Only what is said of settings is an answer here; the rest is thrown. */
async function refusalOf(link: KafkaLink, wanted: NewTopic): Promise<string | null> {
  try {
    await request(link, wanted, true);
    return null;
  } catch (error) {
    if (error instanceof CliError && error.details.kafka_error === "INVALID_CONFIG")
      return error.message.replace(/^.*INVALID_CONFIG: /, "");
    throw error;
  }
}

/** Resolves when the topic is led there. One that somebody else has made in the meantime is as good. */
export async function createTopic(link: KafkaLink, wanted: NewTopic): Promise<TopicShape> {
  await request(link, wanted, false);
  const { topic } = wanted;
  return await link.patiently(`waiting for the leaders of ${topic}`, async () => {
    const found = (await link.metadata([topic])).get(topic);
    if (found !== undefined && found.leaders.length === wanted.partitions && !found.leaders.includes(-1))
      return { topic, topicId: found.topicId, partitions: found.leaders.length };
    throw new link.kafkaClient.ProtocolError("LEADER_NOT_AVAILABLE", `${topic} is not led yet`);
  });
}

async function request(link: KafkaLink, wanted: NewTopic, isTrial: boolean): Promise<void> {
  const { topic, partitions, replicas, settings } = wanted;
  const asked = {
    name: topic,
    numPartitions: partitions,
    replicationFactor: replicas,
    assignments: [],
    configs: settings.map(({ name, value }) => ({ name, value })),
  };
  await link.ask(`creating ${topic}`, { kind: "controller" }, (connection) =>
    link.kafkaClient.createTopicsV7.api
      .async(connection, [asked], CREATE_MS_MAX, isTrial)
      .then(() => undefined, there),
  );
}

function there(error: unknown): undefined {
  if (problemOf(error).error !== "TOPIC_ALREADY_EXISTS") throw error;
}
