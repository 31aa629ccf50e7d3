import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { resolveConfig } from "./config.ts";
import {
  parseTopicConfig,
  settingsOf,
  TOPIC_CONFIG_KEYS,
  TOPIC_SETTINGS,
  topicSettingMeant,
} from "./topic-config.ts";
import { TOPIC_DEFAULT_NAMES } from "./topic-default-names.ts";
import { logConfigOf, partitionConfigOf } from "./topic-log-config.ts";

const KNOWN =
  "known are cleanup_policy, retention_ms, retention_bytes, segment_bytes, segment_ms, delete_retention_ms, " +
  "min_cleanable_dirty_ratio, min_compaction_lag_ms, max_compaction_lag_ms, max_message_bytes, " +
  "message_timestamp_type, compression_type, min_insync_replicas";
const CLUSTER = resolveConfig({ dataFolder: "/d", segmentBytes: 4096, batchBytesMax: 1000 });

test("a setting is taken as a number, or as its digits from a command line", () => {
  expect(parseTopicConfig({})).toEqual({});
  expect(parseTopicConfig({ segment_bytes: 4096, max_message_bytes: "1000" })).toEqual({
    segment_bytes: 4096,
    max_message_bytes: 1000,
  });
  expect(parseTopicConfig({ retention_ms: "-1", min_cleanable_dirty_ratio: "0.25" })).toEqual({
    retention_ms: -1,
    min_cleanable_dirty_ratio: 0.25,
  });
});

test.each([
  ["delete", "delete"],
  ["compact", "compact"],
  ["compact,delete", "compact,delete"],
  ["delete, compact", "compact,delete"],
])("the cleanup policy %j is kept as %j", (raw, cleanup_policy) => {
  expect(parseTopicConfig({ cleanup_policy: raw })).toEqual({ cleanup_policy });
});

const BYTES = "expected a whole number of bytes,";
const MS = "expected a whole number of milliseconds,";

test.each([
  [{ flush_ms: 1 }, `there is no setting "flush_ms"; ${KNOWN}`],
  [{ "segment.bytes": 4096 }, 'there is no setting "segment.bytes"; it is written segment_bytes'],
  [
    { "min.insync.replicas": 2 },
    'there is no setting "min.insync.replicas"; it is written min_insync_replicas',
  ],
  [{ minInsyncReplicas: 2 }, 'there is no setting "minInsyncReplicas"; it is written min_insync_replicas'],
  [{ "log.retention.hours": 2 }, 'there is no setting "log.retention.hours"; it is written retention_ms'],
  [{ "message.max.bytes": 2 }, 'there is no setting "message.max.bytes"; it is written max_message_bytes'],
  [{ retention: 1 }, `there is no setting "retention"; did you mean retention_ms? ${KNOWN}`],
  [{ "segment.byte": 1 }, `there is no setting "segment.byte"; did you mean segment_bytes? ${KNOWN}`],
  [
    { min_insync_replica: 1 },
    `there is no setting "min_insync_replica"; did you mean min_insync_replicas? ${KNOWN}`,
  ],
  [{ toString: 1 }, `there is no setting "toString"; ${KNOWN}`],
  [{ "a\u001b[2J": 1 }, `there is no setting "a\\u{1b}[2J"; ${KNOWN}`],
  [{ segment_bytes: true }, `segment_bytes is true; ${BYTES} 1024 to 2147483647`],
  [{ segment_bytes: 1.5 }, `segment_bytes is 1.5; ${BYTES} 1024 to 2147483647`],
  [{ segment_bytes: "1e6" }, `segment_bytes is "1e6"; ${BYTES} 1024 to 2147483647`],
  [{ segment_bytes: 1023 }, `segment_bytes is 1023; ${BYTES} 1024 to 2147483647`],
  [
    { max_message_bytes: LIMITS.batchBytesMax + 1 },
    `max_message_bytes is ${LIMITS.batchBytesMax + 1}; ${BYTES} 64 to ${LIMITS.batchBytesMax}`,
  ],
  [{ retention_ms: -2 }, `retention_ms is -2; ${MS} from -1 (-1: no limit)`],
  // 9007199254740993 is the same number, which nobody has to have written.
  [{ retention_ms: 2 ** 53 }, `retention_ms is more than 9007199254740991; ${MS} from -1 (-1: no limit)`],
  [{ retention_ms: -(2 ** 53) }, `retention_ms is less than -9007199254740991; ${MS} from -1 (-1: no limit)`],
  [{ retention_ms: "9007199254740993" }, `retention_ms is "9007199254740993"; ${MS} from -1 (-1: no limit)`],
  [{ retention_bytes: "-" }, `retention_bytes is "-"; ${BYTES} from -1 (-1: no limit)`],
  [{ segment_ms: 0 }, `segment_ms is 0; ${MS} from 1`],
  [{ delete_retention_ms: -1 }, `delete_retention_ms is -1; ${MS} from 0`],
  [{ min_cleanable_dirty_ratio: 1.01 }, "min_cleanable_dirty_ratio is 1.01; expected a number from 0 to 1"],
  [{ min_cleanable_dirty_ratio: "" }, 'min_cleanable_dirty_ratio is ""; expected a number from 0 to 1'],
  [{ min_cleanable_dirty_ratio: "1.5" }, 'min_cleanable_dirty_ratio is "1.5"; expected a number from 0 to 1'],
  [{ min_compaction_lag_ms: -1 }, `min_compaction_lag_ms is -1; ${MS} from 0`],
  [{ max_compaction_lag_ms: 0 }, `max_compaction_lag_ms is 0; ${MS} from 1`],
  [
    { min_compaction_lag_ms: 6, max_compaction_lag_ms: 5 },
    "min_compaction_lag_ms is 6; expected at most 5, which max_compaction_lag_ms is",
  ],
  [{ min_insync_replicas: 0 }, "min_insync_replicas is 0; expected a whole number, 1 to 2147483647"],
  [
    { message_timestamp_type: "createtime" },
    'message_timestamp_type is "createtime"; expected CreateTime or LogAppendTime',
  ],
  [
    { compression_type: "none" },
    'compression_type is "none"; expected producer, uncompressed, gzip, snappy, lz4 or zstd',
  ],
  [{ cleanup_policy: "" }, 'cleanup_policy is ""; expected delete, compact, or both as "compact,delete"'],
  [
    { cleanup_policy: "delete,delete" },
    'cleanup_policy is "delete,delete"; expected delete, compact, or both as "compact,delete"',
  ],
  [{ cleanup_policy: true }, 'cleanup_policy is true; expected delete, compact, or both as "compact,delete"'],
])("the config %j is refused, and the message names key and bounds", (raw, message) => {
  expect(() => parseTopicConfig(raw)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG", message }));
});

test("a setting called __proto__ is unknown like any other, and changes no prototype", () => {
  const raw = JSON.parse('{"__proto__": 4096}');
  expect(() => parseTopicConfig(raw)).toThrow('there is no setting "__proto__"');
});

test("where a topic says nothing, the cluster's configuration holds, and then Kafka's defaults", () => {
  expect(settingsOf({ segment_ms: 1000 }, CLUSTER)).toEqual({
    cleanup_policy: "delete",
    retention_ms: 604_800_000,
    retention_bytes: -1,
    segment_bytes: 4096,
    segment_ms: 1000,
    delete_retention_ms: 86_400_000,
    min_cleanable_dirty_ratio: 0.5,
    min_compaction_lag_ms: 0,
    max_compaction_lag_ms: Number.MAX_SAFE_INTEGER,
    max_message_bytes: 1000,
    message_timestamp_type: "CreateTime",
    compression_type: "producer",
    min_insync_replicas: 1,
  });
});

test("every default is a value that the setting itself takes, and Kafka's name has dots for underscores", () => {
  for (const key of TOPIC_CONFIG_KEYS) {
    const { defaultIn, kafkaName } = TOPIC_SETTINGS[key];
    expect(parseTopicConfig({ [key]: defaultIn(CLUSTER) })).toEqual({ [key]: defaultIn(CLUSTER) });
    expect(kafkaName).toBe(key.replaceAll("_", "."));
  }
});

test("a log and a partition go by the settings, and -1 is no limit to them", () => {
  expect(logConfigOf({}, CLUSTER)).toMatchObject({
    deletes: true,
    compacts: false,
    retentionMs: 604_800_000,
  });
  expect(logConfigOf({ cleanup_policy: "compact", retention_ms: -1 }, CLUSTER)).toEqual({
    segmentBytes: 4096,
    segmentMs: 604_800_000,
    deletes: false,
    compacts: true,
    retentionMs: null,
    retentionBytes: null,
    deleteRetentionMs: 86_400_000,
    minCleanableDirtyRatio: 0.5,
    minCompactionLagMs: 0,
    maxCompactionLagMs: Number.MAX_SAFE_INTEGER,
  });
  const lagging = { max_compaction_lag_ms: 1000, min_compaction_lag_ms: 500 };
  expect(logConfigOf({ ...lagging, cleanup_policy: "compact" }, CLUSTER)).toMatchObject({
    segmentMs: 1000,
    minCompactionLagMs: 500,
    maxCompactionLagMs: 1000,
  });
  expect(logConfigOf({ ...lagging, segment_ms: 10, cleanup_policy: "compact" }, CLUSTER).segmentMs).toBe(10);
  expect(logConfigOf(lagging, CLUSTER).segmentMs).toBe(604_800_000);
  expect(logConfigOf({ cleanup_policy: "compact,delete" }, CLUSTER)).toMatchObject({
    deletes: true,
    compacts: true,
  });
  expect(
    partitionConfigOf({ message_timestamp_type: "LogAppendTime", min_insync_replicas: 2 }, CLUSTER),
  ).toEqual({
    batchBytesMax: 1000,
    timestampType: "append",
    codec: null,
    minInSyncReplicas: 2,
    requiresKeys: false,
  });
  expect(partitionConfigOf({ compression_type: "zstd" }, CLUSTER).codec).toBe("zstd");
  expect(partitionConfigOf({ compression_type: "uncompressed" }, CLUSTER).codec).toBe("none");
});

test("docs/topic-settings.md has a row for each setting, as the table says it", () => {
  const page = readFileSync(new URL("../../../../docs/topic-settings.md", import.meta.url), "utf8");
  const cluster = resolveConfig({ dataFolder: "/d" });
  const rows = TOPIC_CONFIG_KEYS.map((key) => {
    const { kafkaName, expected, meaning, defaultIn } = TOPIC_SETTINGS[key];
    const fallback = key === "segment_bytes" ? "`--segment-bytes`" : `\`${defaultIn(cluster)}\``;
    return `| \`${key}\` | \`${kafkaName}\` | ${fallback} | ${expected} | ${meaning} |`;
  });
  expect(page.split("\n").filter((line) => line.startsWith("| `"))).toEqual(rows);
});

test("every name of Kafka's brokers that stands for a topic's leads to a setting that there is", () => {
  for (const name of Object.keys(TOPIC_DEFAULT_NAMES))
    expect([name, topicSettingMeant(name)]).not.toContain(null);
});
