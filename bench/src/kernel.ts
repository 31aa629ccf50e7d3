/** The kernel in this process, on the machine's disk: what a client and a socket would hide can be measured. */
import {
  BrokerCluster,
  type Env,
  FaultPoints,
  IndexMemory,
  LIMITS,
  LOG_CONFIG_DEFAULTS,
  NodeDisk,
  noTrace,
  PartitionLog,
  SystemClock,
  SystemRandom,
} from "@minikafka/core";
import { encodeBatch } from "@minikafka/record";

const env: Env = {
  clock: new SystemClock(),
  disk: new NodeDisk(),
  random: new SystemRandom(),
  trace: noTrace,
  faults: new FaultPoints(),
};

/** A cluster as the daemon opens it by default. */
export function openCluster(dataFolder: string): Promise<BrokerCluster> {
  return BrokerCluster.open({ dataFolder, segmentBytes: LIMITS.segmentBytesDefault }, env);
}

/** One partition's log alone, of a cluster that is closed. */
export function openLogAlone(dataFolder: string, topic: string, topicId: string): PartitionLog {
  return PartitionLog.open(
    {
      folder: `${dataFolder}/broker-1/${topic}-0`,
      create: false,
      place: { brokerId: 1, topic, partition: 0 },
      topicId,
      config: { ...LOG_CONFIG_DEFAULTS, segmentBytes: LIMITS.segmentBytesDefault },
      indexMemory: new IndexMemory(LIMITS.indexMemoryBytesMax),
      indexIntervalBytes: LIMITS.indexIntervalBytesDefault,
      flushesAtRoll: true,
      frameBytesMax: LIMITS.batchBytesMax,
      onFailedSync: (problem) => {
        throw new Error(problem);
      },
    },
    env,
  );
}

/** A batch of `records` values of `valueBytes` bytes each, all of one time. */
export function frameOf(records: number, valueBytes: number, timestampMs: number): Buffer {
  const value = Buffer.alloc(valueBytes, timestampMs % 251);
  return encodeBatch({
    records: Array.from({ length: records }, () => ({ key: null, value, timestampMs, headers: [] })),
  });
}
