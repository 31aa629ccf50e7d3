/** The table of the daemon's settings: what each is called, may be, and is where nobody says it. */
import { ACK_RULES, FLUSH_POLICIES, LIMITS, RECONCILIATIONS } from "@minikafka/core";
import { TIMESTAMP_MS_MAX } from "@minikafka/record";
import { z } from "zod";
import { connectionSettings } from "./connections/connection-settings.ts";
import { groupSettings } from "./group-settings.ts";
import { httpSettings } from "./http/http-settings.ts";
import { kafkaSettings } from "./kafka/kafka-settings.ts";
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

export type SettingName = keyof typeof settings.shape;

/** `log_level` on the command line: `--log-level`. */
export function flagName(setting: string): string {
  return `--${setting.replaceAll("_", "-")}`;
}

/** `log_level` in the environment: `MINIKAFKA_LOG_LEVEL`. */
export function variableName(setting: string): string {
  return `MINIKAFKA_${setting.toUpperCase()}`;
}
