/** The line that starts a broker, spelled as `minikafka-broker` takes it. */
import { type ClusterConfig, ORIGINAL_DIALS } from "../../src/cluster/config.ts";
import { given, parseUsage, wordsOf } from "./command-line.ts";

const USAGE = parseUsage(
  "minikafka-broker [--data DIR] [--clock MODE] [--brokers N] [--profile NAME] [--reconciliation DIAL] [--ack-rule DIAL] " +
    "[--high-watermark-checkpoint DIAL] [--replica-lag-max-offsets N] [--duplicate-window N] [--rebalance DIAL] " +
    "[--replica-lag-time-ms N] [--segment-bytes N] [--group-rebalance-timeout-ms N] [--flush POLICY]",
);

/** Flags whose value is a number, or one of a few words, of the same name in the cluster's configuration. */
const NUMBERS = ["duplicate-window", "replica-lag-time-ms", "segment-bytes", "group-rebalance-timeout-ms"];
const WORDS = ["reconciliation", "ack-rule", "rebalance", "flush"];

export interface BrokerCommand {
  /** What it calls its folder: a broker that is started again there finds what was left. */
  readonly data: string;
  readonly config: Omit<ClusterConfig, "dataFolder">;
}

export function brokerCommandOf(line: string): BrokerCommand {
  const [program, ...words] = wordsOf(line);
  if (program !== "minikafka-broker") throw new Error(`${program} is no program that a scenario starts`);
  const flags = given(USAGE, words);
  if (flags.text("clock") !== "manual") throw new Error("a scenario goes by --clock manual");
  const config: Record<string, unknown> = flags.text("profile") === "original" ? { ...ORIGINAL_DIALS } : {};
  const brokers = flags.number("brokers") ?? 1;
  config.brokerIds = Array.from({ length: brokers }, (_, index) => index + 1);
  for (const name of NUMBERS) if (flags.has(name)) config[camelCase(name)] = flags.number(name);
  for (const name of WORDS) if (flags.has(name)) config[camelCase(name)] = flags.text(name);
  if (flags.has("high-watermark-checkpoint"))
    config.highWatermarkCheckpoint = flags.text("high-watermark-checkpoint") === "true";
  if (flags.has("replica-lag-max-offsets"))
    config.replicaLagMaxOffsets = flags.number("replica-lag-max-offsets") || null;
  // What is internal lies in one partition, so that its rounds are few.
  return {
    data: flags.required("data"),
    config: { offsetsTopicPartitions: 1, transactionsTopicPartitions: 1, ...config },
  };
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
