/**
 * The settings of a topic: which exist, what they may be, and what holds where a topic says nothing. A setting is only
 * here when something obeys it.
 */
import { HEADER_BYTES } from "@minikafka/record";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { quoted } from "./quoted.ts";

/** What a topic was created with. What is not set follows the cluster's configuration. */
export interface TopicConfig {
  /** Kafka: segment.bytes. A segment is closed before it would grow past this. */
  readonly segment_bytes?: number;
  /** Kafka: max.message.bytes. The largest batch that is taken, header included. */
  readonly max_message_bytes?: number;
}

/** As it comes from outside: any key, any of JSON's simple values. */
export interface RawTopicConfig {
  readonly [key: string]: string | number | boolean;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

const SETTINGS: { readonly [Key in keyof Required<TopicConfig>]: Bounds } = {
  segment_bytes: { min: LIMITS.segmentBytesMin, max: LIMITS.segmentBytesMax },
  max_message_bytes: { min: HEADER_BYTES, max: LIMITS.batchBytesMax },
};

/** The settings that exist. */
export const TOPIC_CONFIG_KEYS: readonly string[] = Object.keys(SETTINGS);

/** Throws INVALID_CONFIG, which names the key and what was expected. */
export function parseTopicConfig(raw: RawTopicConfig): TopicConfig {
  const config: { -readonly [Key in keyof TopicConfig]: TopicConfig[Key] } = {};
  for (const [key, value] of Object.entries(raw)) {
    if (!isSetting(key)) throw unknownSetting(key);
    config[key] = parseBytes(key, value);
  }
  return config;
}

function isSetting(key: string): key is keyof TopicConfig {
  return Object.hasOwn(SETTINGS, key);
}

function unknownSetting(key: string): BrokerError {
  const snakeCase = key.replaceAll(".", "_");
  const known = isSetting(snakeCase)
    ? `it is written ${snakeCase}`
    : `known are ${TOPIC_CONFIG_KEYS.join(", ")}`;
  return new BrokerError("INVALID_CONFIG", `there is no setting ${quoted(key)}; ${known}`);
}

/** A command line has only text, so that digits are taken as a number. */
function parseBytes(key: keyof TopicConfig, value: string | number | boolean): number {
  const { min, max } = SETTINGS[key];
  const bytes = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof bytes === "number" && Number.isInteger(bytes) && bytes >= min && bytes <= max) return bytes;
  const seen = typeof value === "string" ? quoted(value) : String(value);
  throw new BrokerError(
    "INVALID_CONFIG",
    `${key} is ${seen}; expected a whole number of bytes, ${min} to ${max}`,
    {
      key,
      min,
      max,
    },
  );
}
