/**
 * The daemon's configuration: one table of settings, read from a file, the environment and the flags (the later goes before
 * the earlier), checked once and frozen.
 */
import { readFileSync } from "node:fs";
import { ACK_RULES, FLUSH_POLICIES, LIMITS, RECONCILIATIONS } from "@minikafka/core";
import { issueText } from "@minikafka/protocol";
import { nearest, shownValue, TIMESTAMP_MS_MAX } from "@minikafka/record";
import { z } from "zod";
import { connectionSettings } from "./connections/connection-settings.ts";
import { groupSettings } from "./group-settings.ts";
import { httpSettings } from "./http/http-settings.ts";
import { kafkaProblem, kafkaSettings } from "./kafka/kafka-settings.ts";
import { LOG_LEVELS } from "./logging.ts";
import { transactionSettings } from "./transaction-settings.ts";

const MIB = 1024 * 1024;

/** Every setting, by its name in a file; `MINIKAFKA_` and capitals in the environment; dashes on the command line. */
export const settings = z.strictObject({
  data: z.string().min(1).describe("the folder that holds everything durable"),
  host: z.string().min(1).default("127.0.0.1").describe("the address to listen on"),
  port: z.int().min(0).max(65_535).default(9192).describe("the port to listen on; 0 picks a free one"),
  ...kafkaSettings,
  ...httpSettings,
  brokers: z.int().min(1).max(LIMITS.brokersMax).default(1).describe("how many brokers this process hosts"),
  clock: z
    .enum(["auto", "manual"])
    .default("auto")
    .describe("auto: time goes by; manual: only stepping moves it"),
  start_time: z
    .int()
    .min(0)
    .max(TIMESTAMP_MS_MAX)
    .optional()
    .describe("where a manual clock starts, in ms since 1970"),
  seed: z
    .int()
    .optional()
    .describe(
      "what chance is drawn from with a manual clock: equal runs with equal seeds give equal bytes (default 0)",
    ),
  history_max_bytes: z
    .int()
    .min(MIB)
    .default(64 * MIB)
    .describe("what a daemon with a manual clock keeps of its history, its folder at the start included"),
  snapshots_max_bytes: z
    .int()
    .min(MIB)
    .default(256 * MIB)
    .describe("what all snapshots in memory may hold together, beside the history"),
  lab: z.boolean().default(false).describe("allow stepping operations (always so with a manual clock)"),
  profile: z
    .enum(["kafka", "original"])
    .default("kafka")
    .describe("which dials are set where nothing else is said: Kafka's behaviour, or the original's"),
  reconciliation: z
    .enum(RECONCILIATIONS)
    .optional()
    .describe("a dial: where logs meet after a promotion, by leader-epoch or at the high-watermark"),
  ack_rule: z
    .enum(ACK_RULES)
    .optional()
    .describe("a dial: acks all waits for the high-watermark, or for the captured-isr of the append"),
  high_watermark_checkpoint: z
    .boolean()
    .optional()
    .describe("a dial: whether high watermarks survive a restart"),
  replica_lag_max_offsets: z
    .int()
    .min(0)
    .optional()
    .describe("a dial: records that an in-sync replica may lag; 0: time alone decides"),
  duplicate_window: z
    .int()
    .min(1)
    .max(LIMITS.batchesPerProducerMax)
    .optional()
    .describe("a dial: of so many last batches of a producer a retry is known as one"),
  replica_lag_time_ms: z
    .int()
    .min(1)
    .default(LIMITS.replicaLagTimeMsDefault)
    .describe("a replica that was not caught up for so long is out of sync"),
  replica_fetch_max_bytes: z
    .int()
    .min(1)
    .max(LIMITS.fetchBytesMax)
    .default(LIMITS.replicaFetchBytesDefault)
    .describe("what a follower copies of a partition in one round, but always one batch"),
  ...groupSettings,
  ...transactionSettings,
  log_level: z.enum(LOG_LEVELS).default("info").describe("how much is logged, on stderr"),
  ...connectionSettings,
  segment_bytes: z
    .int()
    .min(LIMITS.segmentBytesMin)
    .max(LIMITS.segmentBytesMax)
    .optional()
    .describe("when a log begins a new segment; 64 MiB, with a manual clock 1 MiB"),
  open_files_max: z
    .int()
    .min(LIMITS.openFilesMin)
    .max(LIMITS.openFilesMax)
    .optional()
    .describe(
      "files that all logs together keep open; 512, or half of what the system allows if that is less",
    ),
  flush: z
    .enum(FLUSH_POLICIES)
    .default("ack")
    .describe(
      "ack: acks all waits for the disk; interval: a flush now and then; os: the system writes when it likes",
    ),
  flush_interval_ms: z
    .int()
    .min(10)
    .default(5_000)
    .describe("how often everything is flushed in auto mode, but with flush os"),
  retention_interval_ms: z
    .int()
    .min(10)
    .default(300_000)
    .describe("how often retention is applied in auto mode"),
  compaction_interval_ms: z
    .int()
    .min(10)
    .default(15_000)
    .describe("how often compaction looks for work in auto mode"),
  compaction_buffer_bytes: z
    .int()
    .min(LIMITS.compactionBufferBytesMin)
    .max(LIMITS.compactionBufferBytesMax)
    .default(LIMITS.compactionBufferBytesDefault)
    .describe("memory for the keys of a compaction, 32 bytes each"),
});

export type Settings = Readonly<z.output<typeof settings>>;
export type SettingName = keyof Settings;
/** What a source says, before it is checked. */
export type RawSettings = { readonly [name: string]: unknown };

/** A setting that cannot be used; the message names it, where it was set, and what was expected. */
export class ConfigProblem extends Error {
  override readonly name = "ConfigProblem";
  /** For programs, as the broker's own codes are. */
  readonly code = "INVALID_CONFIG";
}

/** `log_level` on the command line: `--log-level`. */
export function flagName(setting: string): string {
  return `--${setting.replaceAll("_", "-")}`;
}

/** `log_level` in the environment: `MINIKAFKA_LOG_LEVEL`. */
export function variableName(setting: string): string {
  return `MINIKAFKA_${setting.toUpperCase()}`;
}

const NAMES = Object.keys(settings.shape) as SettingName[];

/** Text from the environment or a flag as the value it stands for; what stands for none is left to the check. */
export function settingValue(name: SettingName, text: string): unknown {
  const schema: z.ZodType = settings.shape[name];
  if (schema.safeParse(text).success) return text;
  if (/^-?\d+$/.test(text)) return Number(text);
  return text === "true" || text === "false" ? text === "true" : text;
}

/** The settings among the environment's variables. Variables of other programs, such as the command line's, are left alone. */
export function fromEnvironment(environment: NodeJS.ProcessEnv): RawSettings {
  const found: [string, unknown][] = [];
  for (const name of NAMES) {
    const text = environment[variableName(name)];
    if (text !== undefined && text !== "") found.push([name, settingValue(name, text)]);
  }
  return Object.fromEntries(found);
}

/** The settings of a JSON file. Throws {@link ConfigProblem}. */
export function fromFile(path: string): RawSettings {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigProblem(`the configuration file cannot be read: ${(error as Error).message}`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value as RawSettings;
  } catch (error) {
    throw new ConfigProblem(`the configuration file ${path} is not JSON: ${(error as Error).message}`);
  }
  throw new ConfigProblem(`the configuration file ${path} holds no JSON object`);
}

export interface ConfigSource {
  /** For messages: "the flags", "the environment", a file's path. */
  readonly name: string;
  /** What a setting is called there, when it has a name of its own: `--port`, `MINIKAFKA_PORT`. */
  readonly callsIt?: (setting: string) => string;
  readonly values: RawSettings;
}

/** Checks what the sources say; a later one goes before an earlier. Throws {@link ConfigProblem}. */
export function resolveSettings(sources: readonly ConfigSource[]): Settings {
  const merged = Object.assign(Object.create(null), ...sources.map(({ values }) => values));
  const parsed = settings.safeParse({ ...merged }, { error: issueText });
  if (!parsed.success)
    throw new ConfigProblem(parsed.error.issues.map((issue) => sentence(issue, sources)).join("; "));
  const found = parsed.data;
  if (found.start_time !== undefined && found.clock !== "manual") {
    throw new ConfigProblem("start_time is for a manual clock; add clock manual, or leave it out");
  }
  if (found.seed !== undefined && found.clock !== "manual") {
    throw new ConfigProblem("seed is for a manual clock; add clock manual, or leave it out");
  }
  const problem = kafkaProblem(found);
  if (problem !== null) throw new ConfigProblem(problem);
  return Object.freeze(found);
}

function sentence(issue: z.core.$ZodIssue, sources: readonly ConfigSource[]): string {
  if (issue.code === "unrecognized_keys") {
    const origin = sources.findLast(({ values }) => issue.keys.some((key) => Object.hasOwn(values, key)));
    const meant = issue.keys.map((key) => nearest(key, NAMES)).filter((name) => name !== null);
    const asked = meant.length === 0 ? "" : `did you mean ${meant.join(", ")}? `;
    return `there is no setting ${issue.keys.join(", ")} (in ${origin?.name}); ${asked}the settings are ${NAMES.join(", ")}`;
  }
  const name = String(issue.path[0]);
  const origin = sources.findLast(({ values }) => Object.hasOwn(values, name));
  if (origin === undefined) {
    return `${name} is missing; give ${flagName(name)}, ${variableName(name)}, or ${name} in the file of --config`;
  }
  const from = origin.callsIt?.(name) ?? origin.name;
  return `${name} is ${shownValue(origin.values[name])} (from ${from}): ${issue.message}`;
}
