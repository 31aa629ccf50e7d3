/**
 * What a cluster is opened with. Checked once, here, and frozen; nothing below asks for a default again.
 */
import { HEADER_BYTES } from "@minikafka/record";
import { BrokerError } from "../errors.ts";
import type { GroupConfig } from "../group/group-config.ts";
import { REBALANCE_DIALS } from "../group/rebalance.ts";
import { LIMITS } from "../limits.ts";
import { FLUSH_POLICIES, type FlushPolicy } from "../replica/acknowledgement.ts";
import { ACK_RULES, RECONCILIATIONS, type ReplicationConfig } from "../replica/replication-config.ts";
import type { TransactionConfig } from "../transaction/transaction-config.ts";

export interface ClusterConfig
  extends Partial<ReplicationConfig>,
    Partial<GroupConfig>,
    Partial<TransactionConfig> {
  /** Where everything durable lives, with "/" between its parts. It is made when it is missing. */
  readonly dataFolder: string;
  /**
   * The brokers that this process hosts, each with a folder of its own. Default [1]. Their order is the order of
   * placement. Kafka: broker.id (node.id), one for each process.
   */
  readonly brokerIds?: readonly number[];
  /** Kafka: log.segment.bytes (segment.bytes of a topic, which goes before it). Default 1 MiB. */
  readonly segmentBytes?: number;
  /** Kafka: log.index.interval.bytes. Default 4096. */
  readonly indexIntervalBytes?: number;
  /** Kafka: message.max.bytes (max.message.bytes of a topic, which goes before it). Default 2 MiB, which is the most. */
  readonly batchBytesMax?: number;
  /**
   * Kafka: log.cleaner.dedupe.buffer.size. How much memory the keys of one pass of compaction may take; a pass covers one
   * key for every 32 bytes, and another pass goes on behind it. Default 128 MiB, as in Kafka.
   */
  readonly compactionBufferBytes?: number;
  /**
   * What an acknowledgement of acks=all waits for: "ack" (default) for the disk; "interval" and "os" for the write alone,
   * which does not survive a power cut (acknowledgement.ts). "os" is Kafka's own habit (log.flush.interval.messages and
   * log.flush.interval.ms unset).
   */
  readonly flush?: FlushPolicy;
  /**
   * Descriptors that the files and folders of all partitions together take at once (../env/bounded-disk.ts); fewer are open
   * where the system allows fewer. Kafka keeps every segment open and asks for a limit of 100,000. Default 512, least 10.
   */
  readonly openFilesMax?: number;
  /**
   * A dial: of so many last batches of an idempotent producer a retry is known as one, 1 to 5. Default 5, as in Kafka, and
   * as many as a producer may have in flight. With 1 a retry of batch N after N + 1 is OUT_OF_ORDER_SEQUENCE.
   */
  readonly duplicateWindow?: number;
  /** What is put by in the data folder for what has to go on when the disk is full (disk-reserve.ts). Default 0: nothing. */
  readonly reserveBytes?: number;
  /**
   * Kafka: offsets.topic.num.partitions, 50: into how many partitions the internal topic of offsets and groups is divided when it
   * is made. Default 4.
   */
  readonly offsetsTopicPartitions?: number;
  /** Kafka: offsets.retention.minutes (KIP-211): how long the offsets of a group without members are kept. Default 7 days. */
  readonly offsetsRetentionMs?: number;
  /** Kafka: producer.id.expiration.ms. A partition may forget a producer that was silent for so long. Default one day. */
  readonly producerExpirationMs?: number;
}

export type ResolvedConfig = Required<ClusterConfig>;

/** What the system did that this one carries on, where it differs (`profile: "original"`). */
export const ORIGINAL_DIALS = Object.freeze({
  reconciliation: "high-watermark",
  highWatermarkCheckpoint: false,
  duplicateWindow: 1,
  ackRule: "captured-isr",
  replicaLagMaxOffsets: 10_000,
  rebalance: "immediate",
} satisfies Partial<ClusterConfig>);

/** Throws INVALID_CONFIG, which names the field, the value seen and what was expected. */
export function resolveConfig(config: ClusterConfig): ResolvedConfig {
  const { dataFolder, brokerIds = [1], flush = "ack" } = config;
  if (dataFolder === "") throw new BrokerError("INVALID_CONFIG", "dataFolder is empty; expected a path");
  requireBrokerIds(brokerIds);
  if (!FLUSH_POLICIES.includes(flush)) {
    throw new BrokerError("INVALID_CONFIG", `flush is ${flush}; expected ${FLUSH_POLICIES.join(", ")}`);
  }
  return Object.freeze({
    dataFolder,
    brokerIds: Object.freeze([...brokerIds]),
    segmentBytes: bounded("segmentBytes", config.segmentBytes ?? LIMITS.segmentBytesManualDefault, {
      min: LIMITS.segmentBytesMin,
      max: LIMITS.segmentBytesMax,
    }),
    indexIntervalBytes: bounded(
      "indexIntervalBytes",
      config.indexIntervalBytes ?? LIMITS.indexIntervalBytesDefault,
      { min: LIMITS.indexIntervalBytesMin, max: LIMITS.segmentBytesMax },
    ),
    batchBytesMax: bounded("batchBytesMax", config.batchBytesMax ?? LIMITS.batchBytesMax, {
      min: HEADER_BYTES,
      max: LIMITS.batchBytesMax,
    }),
    compactionBufferBytes: bounded(
      "compactionBufferBytes",
      config.compactionBufferBytes ?? LIMITS.compactionBufferBytesDefault,
      { min: LIMITS.compactionBufferBytesMin, max: LIMITS.compactionBufferBytesMax },
    ),
    flush,
    openFilesMax: bounded("openFilesMax", config.openFilesMax ?? LIMITS.openFilesDefault, {
      min: LIMITS.openFilesMin,
      max: LIMITS.openFilesMax,
    }),
    duplicateWindow: bounded("duplicateWindow", config.duplicateWindow ?? LIMITS.batchesPerProducerMax, {
      min: 1,
      max: LIMITS.batchesPerProducerMax,
    }),
    producerExpirationMs: bounded(
      "producerExpirationMs",
      config.producerExpirationMs ?? LIMITS.producerExpirationMsDefault,
      { min: 1, max: Number.MAX_SAFE_INTEGER },
    ),
    offsetsTopicPartitions: bounded(
      "offsetsTopicPartitions",
      config.offsetsTopicPartitions ?? LIMITS.offsetsTopicPartitionsDefault,
      { min: 1, max: LIMITS.partitionsPerTopicMax },
    ),
    offsetsRetentionMs: bounded(
      "offsetsRetentionMs",
      config.offsetsRetentionMs ?? LIMITS.offsetsRetentionMsDefault,
      { min: 1, max: Number.MAX_SAFE_INTEGER },
    ),
    reserveBytes: bounded("reserveBytes", config.reserveBytes ?? 0, { min: 0, max: LIMITS.reserveBytesMax }),
    ...resolveReplication(config),
    ...resolveGroups(config),
    ...resolveTransactions(config),
  });
}

function resolveTransactions(config: ClusterConfig): TransactionConfig {
  const fromOne = { min: 1, max: Number.MAX_SAFE_INTEGER };
  return {
    transactionMaxTimeoutMs: bounded(
      "transactionMaxTimeoutMs",
      config.transactionMaxTimeoutMs ?? LIMITS.transactionMaxTimeoutMsDefault,
      fromOne,
    ),
    transactionalIdExpirationMs: bounded(
      "transactionalIdExpirationMs",
      config.transactionalIdExpirationMs ?? LIMITS.transactionalIdExpirationMsDefault,
      fromOne,
    ),
    transactionsTopicPartitions: bounded(
      "transactionsTopicPartitions",
      config.transactionsTopicPartitions ?? LIMITS.transactionsTopicPartitionsDefault,
      { min: 1, max: LIMITS.partitionsPerTopicMax },
    ),
  };
}

function resolveGroups(config: ClusterConfig): GroupConfig {
  const { groupSessionTimeoutMsDefault, groupRebalanceTimeoutMsDefault } = LIMITS;
  return {
    rebalance: oneOf("rebalance", config.rebalance ?? "barrier", REBALANCE_DIALS),
    groupSessionTimeoutMs: bounded(
      "groupSessionTimeoutMs",
      config.groupSessionTimeoutMs ?? groupSessionTimeoutMsDefault,
      { min: 1, max: LIMITS.groupSessionTimeoutMsMax },
    ),
    groupRebalanceTimeoutMs: bounded(
      "groupRebalanceTimeoutMs",
      config.groupRebalanceTimeoutMs ?? groupRebalanceTimeoutMsDefault,
      { min: 1, max: LIMITS.groupRebalanceTimeoutMsMax },
    ),
    ...resolveClassicGroups(config),
  };
}

function resolveClassicGroups(config: ClusterConfig) {
  const { groupMinSessionTimeoutMsDefault, groupMaxSessionTimeoutMsDefault } = LIMITS;
  const min = config.groupMinSessionTimeoutMs ?? groupMinSessionTimeoutMsDefault;
  const max = config.groupMaxSessionTimeoutMs ?? groupMaxSessionTimeoutMsDefault;
  const delayMs = config.groupInitialRebalanceDelayMs ?? LIMITS.groupInitialRebalanceDelayMsDefault;
  const size = config.groupMaxSize ?? LIMITS.membersPerGroupMax;
  const timeouts = { min: 1, max: LIMITS.groupSessionTimeoutMsMax };
  const groupMinSessionTimeoutMs = bounded("groupMinSessionTimeoutMs", min, timeouts);
  return {
    groupMinSessionTimeoutMs,
    groupMaxSessionTimeoutMs: bounded("groupMaxSessionTimeoutMs", max, {
      ...timeouts,
      min: groupMinSessionTimeoutMs,
    }),
    groupMaxSize: bounded("groupMaxSize", size, { min: 1, max: LIMITS.membersPerGroupMax }),
    groupInitialRebalanceDelayMs: bounded("groupInitialRebalanceDelayMs", delayMs, {
      min: 0,
      max: LIMITS.groupRebalanceTimeoutMsMax,
    }),
  };
}

function resolveReplication(config: ClusterConfig): ReplicationConfig {
  const { replicaLagMaxOffsets = null } = config;
  const fromOne = { min: 1, max: Number.MAX_SAFE_INTEGER };
  return {
    reconciliation: oneOf("reconciliation", config.reconciliation ?? "leader-epoch", RECONCILIATIONS),
    ackRule: oneOf("ackRule", config.ackRule ?? "high-watermark", ACK_RULES),
    highWatermarkCheckpoint: config.highWatermarkCheckpoint ?? true,
    replicaLagTimeMs: bounded(
      "replicaLagTimeMs",
      config.replicaLagTimeMs ?? LIMITS.replicaLagTimeMsDefault,
      fromOne,
    ),
    replicaLagMaxOffsets:
      replicaLagMaxOffsets === null ? null : bounded("replicaLagMaxOffsets", replicaLagMaxOffsets, fromOne),
    replicaFetchMaxBytes: bounded(
      "replicaFetchMaxBytes",
      config.replicaFetchMaxBytes ?? LIMITS.replicaFetchBytesDefault,
      { min: 1, max: LIMITS.fetchBytesMax },
    ),
  };
}

function oneOf<Value extends string>(name: string, value: Value, values: readonly Value[]): Value {
  if (values.includes(value)) return value;
  throw new BrokerError("INVALID_CONFIG", `${name} is ${value}; expected ${values.join(" or ")}`);
}

function requireBrokerIds(brokerIds: readonly number[]): void {
  if (brokerIds.length < 1 || brokerIds.length > LIMITS.brokersMax) {
    throw new BrokerError(
      "INVALID_CONFIG",
      `brokerIds names ${brokerIds.length} brokers; expected 1 to ${LIMITS.brokersMax}`,
    );
  }
  for (const brokerId of brokerIds) {
    bounded("a broker's id", brokerId, { min: 0, max: LIMITS.brokerIdMax });
    if (brokerIds.indexOf(brokerId) !== brokerIds.lastIndexOf(brokerId)) {
      throw new BrokerError("INVALID_CONFIG", `brokerIds names broker ${brokerId} twice; expected each once`);
    }
  }
}

function bounded(name: string, value: number, { min, max }: { min: number; max: number }): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new BrokerError("INVALID_CONFIG", `${name} is ${value}; expected a whole number, ${min} to ${max}`);
}
