/** The kernel in this process, on the machine's disk: what a client and a socket would hide can be measured. */
import {
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

export const realEnv: Env = {
  clock: new SystemClock(),
  disk: new NodeDisk(),
  random: new SystemRandom(),
  trace: noTrace,
  faults: new FaultPoints(),
};

/** The log in `folder`, as the daemon keeps it by default; made when there is none. */
export function openLog(folder: string, create = false): PartitionLog {
  return PartitionLog.open(
    {
      folder,
      create,
      place: { brokerId: 1, topic: "bench", partition: 0 },
      topicId: "4c1f6a0e-6d0a-4d55-8f53-3c3c1b6c2d10",
      config: { ...LOG_CONFIG_DEFAULTS, segmentBytes: LIMITS.segmentBytesDefault },
      indexMemory: new IndexMemory(LIMITS.indexMemoryBytesMax),
      indexIntervalBytes: LIMITS.indexIntervalBytesDefault,
      flushesAtRoll: true,
      frameBytesMax: LIMITS.batchBytesMax,
      onFailedSync: (problem) => {
        throw new Error(problem);
      },
    },
    realEnv,
  );
}

/** A batch of `records` values of `valueBytes` bytes each, all of one time. */
export function frameOf(records: number, valueBytes: number, timestampMs: number): Buffer {
  const value = Buffer.alloc(valueBytes, timestampMs % 251);
  return encodeBatch({
    records: Array.from({ length: records }, () => ({ key: null, value, timestampMs, headers: [] })),
  });
}
