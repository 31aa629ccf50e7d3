/**
 * The settings of topics in Kafka's names and spellings. Those that we have are changed and told as they are. Some that every topic of
 * Kafka's has besides are told with the one value that they have here, and may be set to just that: tools write back what they were
 * told, and programs set what they are used to.
 */
import {
  BrokerError,
  type ConfigChanges,
  type ConfigEntry,
  type RawTopicConfig,
  TOPIC_CONFIG_KEYS,
  topicNameProblem,
} from "@minikafka/core";
import { CONFIG_SOURCE, CONFIG_TYPE, type ResponseOf } from "@minikafka/protocol/kafka";

import { KafkaRefusal } from "../error-numbers.ts";
import { namedTwice } from "../repeats.ts";

export type ConfigDescription = ResponseOf<"DescribeConfigs">["results"][number]["configs"][number];

/** Java's Long.MAX_VALUE, which stands for no limit. */
const LONG_MAX = "9223372036854775807";

/** What holds for every topic here, and cannot be changed. */
const FIXED: readonly (readonly [name: string, value: string, type: number, why: string])[] = [
  ["flush.messages", LONG_MAX, CONFIG_TYPE.long, "when the log is flushed is the broker's flag --flush"],
  ["flush.ms", LONG_MAX, CONFIG_TYPE.long, "when the log is flushed is the broker's flag --flush"],
  ["message.timestamp.after.max.ms", LONG_MAX, CONFIG_TYPE.long, "any time that a date can hold is taken"],
  ["message.timestamp.before.max.ms", LONG_MAX, CONFIG_TYPE.long, "any time since 1970 is taken"],
  ["preallocate", "false", CONFIG_TYPE.boolean, "a segment's file grows as it is written"],
  ["remote.storage.enable", "false", CONFIG_TYPE.boolean, "there is no tiered storage"],
  ["segment.jitter.ms", "0", CONFIG_TYPE.long, "segments roll when their time has come"],
  [
    "unclean.leader.election.enable",
    "false",
    CONFIG_TYPE.boolean,
    "only the step promote does so, when told",
  ],
];

const TYPES: { readonly [name: string]: number } = {
  "cleanup.policy": CONFIG_TYPE.list,
  "segment.bytes": CONFIG_TYPE.int,
  "max.message.bytes": CONFIG_TYPE.int,
  "min.insync.replicas": CONFIG_TYPE.int,
  "min.cleanable.dirty.ratio": CONFIG_TYPE.double,
  "message.timestamp.type": CONFIG_TYPE.string,
  "compression.type": CONFIG_TYPE.string,
};

/**
 * What holds where a topic says nothing is a setting of the broker, and told by its name there. Those that are left out have no default
 * in Kafka under the name that comes first (`log.retention.ms` beside `log.retention.hours`), and nothing is told of them.
 */
const BROKER_NAMES: { readonly [name: string]: string } = {
  "cleanup.policy": "log.cleanup.policy",
  "compression.type": "compression.type",
  "delete.retention.ms": "log.cleaner.delete.retention.ms",
  "flush.messages": "log.flush.interval.messages",
  "max.compaction.lag.ms": "log.cleaner.max.compaction.lag.ms",
  "max.message.bytes": "message.max.bytes",
  "message.timestamp.after.max.ms": "log.message.timestamp.after.max.ms",
  "message.timestamp.before.max.ms": "log.message.timestamp.before.max.ms",
  "message.timestamp.type": "log.message.timestamp.type",
  "min.cleanable.dirty.ratio": "log.cleaner.min.cleanable.ratio",
  "min.compaction.lag.ms": "log.cleaner.min.compaction.lag.ms",
  "min.insync.replicas": "min.insync.replicas",
  preallocate: "log.preallocate",
  "retention.bytes": "log.retention.bytes",
  "segment.bytes": "log.segment.bytes",
  "unclean.leader.election.enable": "unclean.leader.election.enable",
};

/** Throws INVALID_TOPIC for what is the name of no topic, whether there is one or not. */
export function requireTopicName(name: string): void {
  const problem = topicNameProblem(name);
  if (problem !== null) throw new BrokerError("INVALID_TOPIC", problem);
}

/** What somebody wants: `null` takes a setting back. */
export interface NamedConfig {
  readonly name: string;
  readonly value: string | null;
}

/**
 * The changes in our names; what has its one value anyway is left out. Throws INVALID_REQUEST for a name twice, as Kafka does, and
 * INVALID_CONFIG for one that is none and for a value that is not had here; the kernel judges the others.
 */
export function changesOf(configs: readonly NamedConfig[]): ConfigChanges {
  const [twice] = namedTwice(configs.map(({ name }) => name));
  if (twice !== undefined) throw new KafkaRefusal("INVALID_REQUEST", `${twice} is named more than once`);
  const changes: { [key: string]: string | number | null } = {};
  for (const { name, value } of configs)
    if (!isFixed({ name, value })) changes[keyOf(name)] = value === null ? null : rawValue(value);
  return changes;
}

/** The same for a topic that is made: of a name that is there twice the last counts, and none is without a value, as in Kafka. */
export function settingsOf(configs: readonly NamedConfig[]): RawTopicConfig {
  const settings: { [key: string]: string | number } = {};
  for (const { name, value } of configs) {
    if (value === null) throw new BrokerError("INVALID_CONFIG", `${name} has no value; expected one`);
    if (!isFixed({ name, value })) settings[keyOf(name)] = rawValue(value);
  }
  return settings;
}

function isFixed({ name, value }: NamedConfig): boolean {
  const fixed = FIXED.find(([each]) => each === name);
  if (fixed === undefined) return false;
  const [, only, , why] = fixed;
  if (value === null || value.toLowerCase() === only) return true;
  throw new BrokerError("INVALID_CONFIG", `${name} is ${value}; here it is ${only} for every topic: ${why}`);
}

/** Ours is Kafka's with another sign between its words. */
function keyOf(name: string): string {
  const key = TOPIC_CONFIG_KEYS.find((each) => each.replaceAll("_", ".") === name);
  if (key !== undefined) return key;
  throw new BrokerError("INVALID_CONFIG", `there is no topic setting ${name.slice(0, 80)}`);
}

/** A long of Kafka's may be larger than any number of ours; nobody waits that long. */
function rawValue(value: string): string | number {
  return /^\d{16,19}$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : value;
}

function shown(value: string | number): string {
  return value === Number.MAX_SAFE_INTEGER ? LONG_MAX : String(value);
}

/** Whether `keys` ask for all settings (Kafka: ConfigHelper). */
export function areAll(keys: readonly string[] | null): keys is null | readonly [] {
  return keys === null || keys.length === 0;
}

/** All settings of a topic, or those of `keys`, in the order of their names. */
export function topicConfigs(
  entries: readonly ConfigEntry[],
  keys: readonly string[] | null = null,
): ConfigDescription[] {
  const all = [...entries.map(ownConfig), ...FIXED.map(fixedConfig)];
  return all
    .filter(({ name }) => areAll(keys) || keys.includes(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function ownConfig({
  kafkaName: name,
  value,
  source,
  defaultValue,
  meaning,
}: ConfigEntry): ConfigDescription {
  const isOwn = source === "topic";
  const defaults = brokerSynonyms(name, shown(defaultValue));
  return {
    name,
    value: shown(value),
    readOnly: false,
    configSource: isOwn ? CONFIG_SOURCE.topic : CONFIG_SOURCE.default,
    isSensitive: false,
    synonyms: isOwn ? [{ name, value: shown(value), source: CONFIG_SOURCE.topic }, ...defaults] : defaults,
    configType: TYPES[name] ?? CONFIG_TYPE.long,
    documentation: meaning,
  };
}

function brokerSynonyms(name: string, value: string): NonNullable<ConfigDescription["synonyms"]> {
  const brokerName = BROKER_NAMES[name];
  return brokerName === undefined ? [] : [{ name: brokerName, value, source: CONFIG_SOURCE.default }];
}

function fixedConfig([name, value, configType, documentation]: (typeof FIXED)[number]): ConfigDescription {
  return {
    name,
    value,
    // As all settings of Kafka's topics: it may be set, to this value alone.
    readOnly: false,
    configSource: CONFIG_SOURCE.default,
    isSensitive: false,
    synonyms: brokerSynonyms(name, value),
    configType,
    documentation,
  };
}
