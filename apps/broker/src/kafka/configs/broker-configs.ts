/** What Kafka would call a broker's settings: told, never changed here, since they are flags of the daemon. */
import { CONFIG_SOURCE, CONFIG_TYPE } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { areAll, type ConfigDescription } from "./topic-configs.ts";

const { boolean, int, long } = CONFIG_TYPE;
const MINUTE_MS = 60_000;

/** All of them, or those of `keys`, in the order of their names. */
export function brokerConfigs(
  brokerId: number,
  { cluster: { config }, kafka: { createsTopics, topicDefaults } }: BrokerContext,
  keys: readonly string[] | null,
): ConfigDescription[] {
  const all: [name: string, value: string | number | boolean, type: number][] = [
    ["auto.create.topics.enable", createsTopics, boolean],
    ["broker.id", brokerId, int],
    ["default.replication.factor", topicDefaults.replicationFactor, int],
    ["delete.topic.enable", true, boolean],
    ["group.initial.rebalance.delay.ms", config.groupInitialRebalanceDelayMs, int],
    ["group.max.session.timeout.ms", config.groupMaxSessionTimeoutMs, int],
    ["group.min.session.timeout.ms", config.groupMinSessionTimeoutMs, int],
    ["log.cleaner.dedupe.buffer.size", config.compactionBufferBytes, long],
    ["log.index.interval.bytes", config.indexIntervalBytes, int],
    ["log.segment.bytes", config.segmentBytes, int],
    ["message.max.bytes", config.batchBytesMax, int],
    ["num.partitions", topicDefaults.partitions, int],
    ["offsets.retention.minutes", Math.floor(config.offsetsRetentionMs / MINUTE_MS), int],
    ["offsets.topic.num.partitions", config.offsetsTopicPartitions, int],
    ["producer.id.expiration.ms", config.producerExpirationMs, int],
    ["replica.lag.time.max.ms", config.replicaLagTimeMs, long],
    ["transaction.max.timeout.ms", config.transactionMaxTimeoutMs, int],
    ["transactional.id.expiration.ms", config.transactionalIdExpirationMs, int],
  ];
  return all
    .filter(([name]) => areAll(keys) || keys.includes(name))
    .map(([name, value, configType]) => ({
      name,
      value: String(value),
      readOnly: true,
      configSource: CONFIG_SOURCE.staticBroker,
      isSensitive: false,
      synonyms: [{ name, value: String(value), source: CONFIG_SOURCE.staticBroker }],
      configType,
    }));
}
