/** One topic of startBroker's `topics`: what a test says of it, checked, made, and refused by its name. */
import { ConfigProblem } from "@minikafka/broker";
import { type Admin, MiniKafkaError, type NewTopic } from "@minikafka/client";
import { LIMITS, topicSettingMeant } from "@minikafka/core";
import { nearest, shownValue } from "@minikafka/record";
import { isNamed } from "./usage.ts";

/** As `admin().createTopic` takes it. */
export type TopicOptions = Omit<NewTopic, "topic">;

const OPTIONS: readonly string[] = Object.keys({
  partitions: true,
  replicationFactor: true,
  config: true,
} satisfies { readonly [Name in keyof TopicOptions]-?: true });

/** What kafkajs calls them. */
const OTHERWISE: { readonly [name: string]: string } = {
  numPartitions: "partitions",
  configEntries: "config",
};

const PARTITIONS = `from 1 to ${LIMITS.partitionsPerTopicMax}`;

/** The codes by which a broker refuses what was said of a topic. Any other is trouble of its own. */
const REFUSALS: readonly string[] = ["INVALID_TOPIC", "INVALID_CONFIG", "INVALID_REQUEST"];

/** Throws {@link ConfigProblem}. */
export function newTopic(topic: string, said: unknown): NewTopic {
  const name = `topics.${topic}`;
  if (isCount(said) && said <= LIMITS.partitionsPerTopicMax) return { topic, partitions: said };
  if (!isNamed(said)) {
    const options = `{ ${OPTIONS.join(", ")} }`;
    throw wrong(name, said, `a number of partitions, ${PARTITIONS}, or ${options}`);
  }
  const stranger = Object.keys(said).find((option) => !OPTIONS.includes(option));
  if (stranger !== undefined) throw new ConfigProblem(`${name} has no ${strangeOption(stranger)}`);
  const { partitions, replicationFactor, config } = said;
  if (partitions !== undefined && !(isCount(partitions) && partitions <= LIMITS.partitionsPerTopicMax))
    throw wrong(`${name}.partitions`, partitions, `a whole number ${PARTITIONS}`);
  if (replicationFactor !== undefined && !isCount(replicationFactor))
    throw wrong(`${name}.replicationFactor`, replicationFactor, "a whole number from 1 to that of brokers");
  if (config !== undefined) requireSettings(`${name}.config`, config);
  return { topic, ...(said as TopicOptions) };
}

/** With what may be meant: a setting of the topic, which stands in its config, or one of these with a slip of the pen. */
function strangeOption(option: string): string {
  const setting = topicSettingMeant(option);
  const meant = setting === null ? (OTHERWISE[option] ?? nearest(option, OPTIONS)) : `config: { ${setting} }`;
  const asked = meant === null ? "" : `did you mean ${meant}? `;
  return `${JSON.stringify(option)}; ${asked}expected ${OPTIONS.join(", ")}`;
}

/** Rejects with {@link ConfigProblem} for what the broker does not take, in its words. */
export async function makeTopic(admin: Admin, topic: NewTopic): Promise<void> {
  try {
    await admin.createTopic(topic);
  } catch (error) {
    if (!(error instanceof MiniKafkaError && REFUSALS.includes(error.code))) throw error;
    throw new ConfigProblem(`topics.${topic.topic}: ${error.message}`, { cause: error });
  }
}

/** Which there are, and what each takes, is the broker's to say; but not of values that have no JSON. */
function requireSettings(name: string, config: unknown): void {
  if (!isNamed(config)) throw wrong(name, config, "an object of settings by their names");
  for (const [setting, value] of Object.entries(config))
    if (!["string", "boolean"].includes(typeof value) && !Number.isFinite(value))
      throw wrong(`${name}.${setting}`, value, "text, a number, true or false");
}

function wrong(name: string, value: unknown, expected: string): ConfigProblem {
  return new ConfigProblem(`${name} is ${shownValue(value)}; expected ${expected}`);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
