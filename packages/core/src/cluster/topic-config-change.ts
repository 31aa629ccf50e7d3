/** Looking at a topic's settings, and changing some of them: pure, so that what is durable is decided before it is written. */
import type { ResolvedConfig } from "./config.ts";
import {
  parseSetting,
  requireConsistent,
  requireSetting,
  TOPIC_CONFIG_KEYS,
  TOPIC_SETTINGS,
  type TopicConfig,
  type TopicConfigKey,
} from "./topic-config.ts";
import type { RawSetting } from "./topic-setting.ts";

/** What becomes of the keys that are named; the others stay. `null` takes the topic's own value back (KIP-339). */
export interface ConfigChanges {
  readonly [key: string]: RawSetting | null;
}

/** The changes as they were understood, each value in its one spelling. */
export type ParsedChanges = { readonly [Key in TopicConfigKey]?: string | number | null };

export interface ConfigEntry {
  readonly name: TopicConfigKey;
  readonly value: string | number;
  /** Whether the topic says so itself. */
  readonly source: "topic" | "default";
  /** What holds when the topic says nothing. */
  readonly defaultValue: string | number;
  readonly kafkaName: string;
  readonly meaning: string;
}

/** Every setting, in the order of the table. Kafka: DescribeConfigs. */
export function describeConfig(config: TopicConfig, cluster: ResolvedConfig): ConfigEntry[] {
  return TOPIC_CONFIG_KEYS.map((name) => {
    const { kafkaName, meaning, defaultIn } = TOPIC_SETTINGS[name];
    const defaultValue = defaultIn(cluster);
    const own = config[name];
    const source = own === undefined ? "default" : "topic";
    return { name, value: own ?? defaultValue, source, defaultValue, kafkaName, meaning };
  });
}

/** Throws INVALID_CONFIG for the first key or value that cannot be used; then nothing is changed. */
export function parseChanges(changes: ConfigChanges): ParsedChanges {
  return Object.fromEntries(
    Object.entries(changes).map(([key, value]) => [
      requireSetting(key),
      value === null ? null : parseSetting(key, value),
    ]),
  );
}

/** `config` after the changes. Throws INVALID_CONFIG where they contradict each other, or what stays. */
export function changedConfig(config: TopicConfig, changes: ParsedChanges): TopicConfig {
  const merged = Object.entries({ ...config, ...changes });
  return requireConsistent(Object.fromEntries(merged.filter(([, value]) => value !== null)));
}
