/**
 * The settings of a topic, as one table: which exist, what they may be, what Kafka calls them, and what holds where a topic
 * says nothing. A setting is only here when something obeys it. Bounds and defaults are Kafka's (its TopicConfig) but where
 * a line says otherwise.
 */
import { HEADER_BYTES, nearest } from "@minikafka/record";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { LOG_CONFIG_DEFAULTS } from "../log/context/log-config.ts";
import { quoted } from "../quoted.ts";
import type { ResolvedConfig } from "./config.ts";
import { TOPIC_DEFAULT_NAMES } from "./topic-default-names.ts";
import {
  type CleanupPolicy,
  cleanupPolicy,
  oneOf,
  type RawSetting,
  ratio,
  type SettingKind,
  wholeNumber,
} from "./topic-setting.ts";

/** Kafka's names of the two (KIP-32). */
export type MessageTimestampType = "CreateTime" | "LogAppendTime";

/** Kafka: BrokerCompressionType. */
export type CompressionType = "producer" | "uncompressed" | "gzip" | "snappy" | "lz4" | "zstd";

/** Every setting with its value. */
export interface TopicSettings {
  readonly cleanup_policy: CleanupPolicy;
  readonly retention_ms: number;
  readonly retention_bytes: number;
  readonly segment_bytes: number;
  readonly segment_ms: number;
  readonly delete_retention_ms: number;
  readonly min_cleanable_dirty_ratio: number;
  readonly min_compaction_lag_ms: number;
  readonly max_compaction_lag_ms: number;
  readonly max_message_bytes: number;
  readonly message_timestamp_type: MessageTimestampType;
  readonly compression_type: CompressionType;
  readonly min_insync_replicas: number;
}

export type TopicConfigKey = keyof TopicSettings;

/** What a topic says of its own. What is not set follows the cluster's configuration, then Kafka's defaults. */
export type TopicConfig = Partial<TopicSettings>;

/** As it comes from outside: any key, any of JSON's simple values. */
export interface RawTopicConfig {
  readonly [key: string]: RawSetting;
}

interface Setting<Value extends string | number> extends SettingKind<Value> {
  readonly kafkaName: string;
  /** One line, for who looks at a topic. */
  readonly meaning: string;
  /** What holds where the topic says nothing. */
  readonly defaultIn: (cluster: ResolvedConfig) => Value;
}

function setting<Value extends string | number>(
  kafkaName: string,
  kind: SettingKind<Value>,
  defaultIn: (cluster: ResolvedConfig) => Value,
  meaning: string,
): Setting<Value> {
  return { ...kind, kafkaName, meaning, defaultIn };
}

const NO_LIMIT = -1;
const milliseconds = (min: number, minimum?: string) => wholeNumber("of milliseconds", { min }, minimum);
const { segmentMs, retentionMs, retentionBytes, deleteRetentionMs, minCleanableDirtyRatio } =
  LOG_CONFIG_DEFAULTS;
const { minCompactionLagMs, maxCompactionLagMs } = LOG_CONFIG_DEFAULTS;

export const TOPIC_SETTINGS: { readonly [Key in TopicConfigKey]: Setting<TopicSettings[Key]> } = {
  cleanup_policy: setting(
    "cleanup.policy",
    cleanupPolicy,
    () => "delete",
    "what becomes of old records: deleted by age and size, compacted to the latest of each key, or both",
  ),
  retention_ms: setting(
    "retention.ms",
    milliseconds(NO_LIMIT, "no limit"),
    () => retentionMs ?? NO_LIMIT,
    "how old a segment's latest record gets before retention deletes the segment",
  ),
  retention_bytes: setting(
    "retention.bytes",
    wholeNumber("of bytes", { min: NO_LIMIT }, "no limit"),
    () => retentionBytes ?? NO_LIMIT,
    "how large a partition's log gets before retention deletes its oldest segments",
  ),
  // Kafka's least is 1 MiB (KIP-1030); a lesson needs segments that fill in a few records.
  segment_bytes: setting(
    "segment.bytes",
    wholeNumber("of bytes", { min: LIMITS.segmentBytesMin, max: LIMITS.segmentBytesMax }),
    (cluster) => cluster.segmentBytes,
    "a batch that would make its segment larger than this begins a new segment",
  ),
  segment_ms: setting(
    "segment.ms",
    milliseconds(1),
    () => segmentMs,
    "how old a segment gets before a new one is begun, so that retention and compaction can reach it",
  ),
  delete_retention_ms: setting(
    "delete.retention.ms",
    milliseconds(0),
    () => deleteRetentionMs,
    "how long a tombstone stays after compaction first met it (KIP-534), and besides until every replica has it on its disk. A reader that is behind it for longer may never meet it, and keeps what it deleted",
  ),
  min_cleanable_dirty_ratio: setting(
    "min.cleanable.dirty.ratio",
    ratio,
    () => minCleanableDirtyRatio,
    "compaction leaves a log alone whose share of bytes not yet compacted is less",
  ),
  min_compaction_lag_ms: setting(
    "min.compaction.lag.ms",
    milliseconds(0),
    () => minCompactionLagMs,
    "so long no record is compacted away: compaction ends before the first segment with a later one (KIP-58)",
  ),
  max_compaction_lag_ms: setting(
    "max.compaction.lag.ms",
    milliseconds(1),
    () => maxCompactionLagMs,
    "after that a pass is due, whatever the dirty ratio, and a segment of a compacted topic is closed (KIP-354)",
  ),
  // Kafka's least is 0, which takes nothing; its default is 1 MiB and a header.
  max_message_bytes: setting(
    "max.message.bytes",
    wholeNumber("of bytes", { min: HEADER_BYTES, max: LIMITS.batchBytesMax }),
    (cluster) => cluster.batchBytesMax,
    "the largest batch that is taken, header included",
  ),
  message_timestamp_type: setting(
    "message.timestamp.type",
    oneOf("CreateTime", "LogAppendTime"),
    () => "CreateTime",
    "whose time a record carries: its producer's, or the leader's at the append (KIP-32)",
  ),
  compression_type: setting(
    "compression.type",
    oneOf("producer", "uncompressed", "gzip", "snappy", "lz4", "zstd"),
    () => "producer",
    "how the leader keeps a batch: as its producer packed it, or packed anew with this codec, or not packed",
  ),
  min_insync_replicas: setting(
    "min.insync.replicas",
    wholeNumber("", { min: 1, max: 2 ** 31 - 1 }),
    () => 1,
    "a produce with acks all is refused while fewer replicas are in sync",
  ),
};

/** The settings that exist. */
export const TOPIC_CONFIG_KEYS = Object.keys(TOPIC_SETTINGS) as readonly TopicConfigKey[];

/** Throws INVALID_CONFIG, which names the key and what was expected. */
export function parseTopicConfig(raw: RawTopicConfig): TopicConfig {
  const entries = Object.entries(raw).map(([key, value]) => [key, parseSetting(key, value)]);
  return requireConsistent(Object.fromEntries(entries));
}

/** Throws INVALID_CONFIG where two settings contradict each other. Kafka: the same (KIP-354). */
export function requireConsistent(config: TopicConfig): TopicConfig {
  const { min_compaction_lag_ms: min = minCompactionLagMs, max_compaction_lag_ms: max = maxCompactionLagMs } =
    config;
  if (min <= max) return config;
  const message = `min_compaction_lag_ms is ${min}; expected at most ${max}, which max_compaction_lag_ms is`;
  throw new BrokerError("INVALID_CONFIG", message, { key: "min_compaction_lag_ms", max });
}

/** One setting's value. Throws INVALID_CONFIG. */
export function parseSetting(key: string, raw: RawSetting): string | number {
  const { parse, expected, bounds } = TOPIC_SETTINGS[requireSetting(key)];
  const value = parse(raw);
  if (value !== null) return value;
  throw new BrokerError("INVALID_CONFIG", `${key} is ${seen(raw)}; expected ${expected}`, { key, ...bounds });
}

/** Behind the numbers that JSON carries exactly nobody knows any more what was written. */
function seen(raw: RawSetting): string {
  if (typeof raw === "string") return quoted(raw);
  if (typeof raw !== "number" || Math.abs(raw) <= Number.MAX_SAFE_INTEGER) return String(raw);
  return raw > 0 ? `more than ${Number.MAX_SAFE_INTEGER}` : `less than -${Number.MAX_SAFE_INTEGER}`;
}

/** Throws INVALID_CONFIG for what is no setting. */
export function requireSetting(key: string): TopicConfigKey {
  if (isSetting(key)) return key;
  const meant = topicSettingMeant(key);
  const known = meant === null ? knownSettings(key.replaceAll(".", "_")) : `it is written ${meant}`;
  throw new BrokerError("INVALID_CONFIG", `there is no setting ${quoted(key)}; ${known}`, {
    key: key.slice(0, 80),
  });
}

/**
 * The setting that is called otherwise somewhere: with Kafka's dots, as JavaScript spells names, or as the brokers of Kafka call
 * what holds where a topic says nothing; `null` where it is nowhere.
 */
export function topicSettingMeant(name: string): TopicConfigKey | null {
  const topicName = Object.hasOwn(TOPIC_DEFAULT_NAMES, name) ? (TOPIC_DEFAULT_NAMES[name] ?? name) : name;
  const snakeCase = topicName
    .replaceAll(".", "_")
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return isSetting(snakeCase) ? snakeCase : null;
}

function knownSettings(key: string): string {
  const meant = nearest(key, TOPIC_CONFIG_KEYS);
  return `${meant === null ? "" : `did you mean ${meant}? `}known are ${TOPIC_CONFIG_KEYS.join(", ")}`;
}

function isSetting(key: string): key is TopicConfigKey {
  return Object.hasOwn(TOPIC_SETTINGS, key);
}

/** Every setting of a topic: its own where it has one. */
export function settingsOf(topic: TopicConfig, cluster: ResolvedConfig): TopicSettings {
  const defaults = TOPIC_CONFIG_KEYS.map((key) => [key, TOPIC_SETTINGS[key].defaultIn(cluster)] as const);
  // The table has a default of the right type for each key, which a list of entries cannot say.
  return { ...(Object.fromEntries(defaults) as unknown as TopicSettings), ...topic };
}
