/** The kernel in this process, on the machine's disk: what a client and a socket would hide can be measured. */
import {
  BrokerCluster,
  type Env,
  FaultPoints,
  IndexMemory,
  LIMITS,
  LOG_CONFIG_DEFAULTS,
  type LogConfig,
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

interface Place {
  readonly folder: string;
  readonly topic: string;
  readonly topicId: string;
}

/** One partition's log alone, of a cluster that is closed. */
export function openLogAlone(dataFolder: string, topic: string, topicId: string): PartitionLog {
  return openLog({ folder: `${dataFolder}/broker-1/${topic}-0`, topic, topicId }, { create: false });
}

/** A new log in `folder`, as the daemon keeps it by default but for `config`. */
export function makeLog(folder: string, config: Partial<LogConfig>): PartitionLog {
  const place = { folder, topic: "bench", topicId: "4c1f6a0e-6d0a-4d55-8f53-3c3c1b6c2d10" };
  return openLog(place, { create: true, ...config });
}

function openLog(
  { folder, topic, topicId }: Place,
  { create, ...config }: Partial<LogConfig> & { readonly create: boolean },
): PartitionLog {
  return PartitionLog.open(
    {
      folder,
      create,
      place: { brokerId: 1, topic, partition: 0 },
      topicId,
      config: { ...LOG_CONFIG_DEFAULTS, segmentBytes: LIMITS.segmentBytesDefault, ...config },
      indexMemory: new IndexMemory(LIMITS.indexMemoryBytesMax),
      indexIntervalBytes: LIMITS.indexIntervalBytesDefault,
      flushesAtRoll: true,
      frameBytesMax: LIMITS.batchBytesMax,
      onFailedSync: (problem) => {
        throw new Error(problem);
      },
      onUnmarked: () => {},
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
