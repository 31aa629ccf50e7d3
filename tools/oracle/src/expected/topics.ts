/** Of topics and their settings. */
import type { Expectation } from "../compare.ts";

/** Settings of Kafka's that are nobody's here. */
const NOT_HERE = [
  ...["compression.gzip.level", "compression.lz4.level", "compression.zstd.level", "file.delete.delay.ms"],
  ...["follower.replication.throttled.replicas", "leader.replication.throttled.replicas"],
  ...["index.interval.bytes", "local.retention.bytes", "local.retention.ms", "remote.log.copy.disable"],
  ...["remote.log.delete.on.disable", "segment.index.bytes"],
];

const OTHER_DEFAULTS: readonly (readonly [name: string, ours: string, kafka: string])[] = [
  ["max.message.bytes", "2097152", "1048588"],
  ["message.timestamp.after.max.ms", "9223372036854775807", "3600000"],
  ["segment.bytes", "67108864", "1073741824"],
];

const SETTINGS: readonly Expectation[] = [
  ...NOT_HERE.map((name) => ({
    ...{ scenario: "*", path: `*.configs.${name}`, ours: "(nothing)" },
    reason: "nothing here is set by it",
  })),
  ...OTHER_DEFAULTS.map(([name, ours, kafka]) => ({
    ...{ scenario: "*", path: `*.configs.${name}.*`, ours, kafka },
    reason: "another default, or another bound",
  })),
  {
    ...{ scenario: "*", path: "*.configs.min.insync.replicas.configSource", ours: "5", kafka: "3" },
    reason: "Kafka sets it for the whole cluster when eligible leader replicas are there (KIP-966)",
  },
  {
    ...{ scenario: "describe configs", step: "some of a broker" },
    reason: "a broker's settings are its flags: read only, and other ones",
  },
  {
    ...{ scenario: "describe configs", step: "loggers", path: "*errorCode", ours: "INVALID_REQUEST" },
    reason: "loggers are not changed from outside",
  },
  {
    ...{ scenario: "alter configs", path: "*.configs.cleanup.policy.value" },
    ...{ ours: "compact,delete", kafka: "delete,compact" },
    reason: "a list is told in one order, whatever the order in which it was set",
  },
  ...["the last policy less", "after the last policy less", "at the end"].map((step) => ({
    ...{ scenario: "alter configs", step },
    reason: "a topic has a cleanup policy",
  })),
];

/** Topics that are made there and not here. */
const MADE_THERE: readonly (readonly [step: string, reason: string])[] = [
  ["an empty policy", "a topic has a cleanup policy"],
  ["a setting with spaces", "a number is written without spaces"],
  ["large batches", "a batch has 2 MiB at most"],
  ["unclean elections", "only the step promote does so, when told"],
  ["a name that differs by case", "names that differ by case alone are not told apart by every disk"],
  ["an internal name", "names that begin with __ are the broker's own"],
];

export const TOPIC_BOUNDARIES: readonly Expectation[] = [
  ...SETTINGS,
  ...MADE_THERE.map(([step, reason]) => ({ scenario: "create topics", step, reason })),
  {
    ...{ scenario: "create topics", step: "the internal topic", path: "*.errorCode" },
    ...{ ours: "INVALID_TOPIC_EXCEPTION", kafka: "TOPIC_ALREADY_EXISTS" },
    reason: "names that begin with __ are the broker's own, whether they are there or not",
  },
  ...["topicId", "configs"].map((what) => ({
    ...{ scenario: "create topics", step: "a try", path: `topics.again.${what}` },
    reason: "what was only tried has no id, and its settings are not told",
  })),
  {
    ...{ scenario: "create partitions", step: "by hand" },
    reason: "new partitions cannot be placed by hand",
  },
  {
    ...{ scenario: "delete topics", step: "an id and its name, apart" },
    reason: "the topic is told by its id, as it was first named, and not by its name",
  },
  ...["totalBytes", "usableBytes"].map((what) => ({
    ...{ scenario: "log dirs", path: `results.<folder>.${what}`, ours: "-1", kafka: "<bytes>" },
    reason: "the size of the volume (KIP-827) is not told",
  })),
];
