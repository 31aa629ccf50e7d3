/** What the measurements of committed offsets share: a cluster in this process, and groups that commit side by side. */
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  BrokerCluster,
  FaultPoints,
  LIMITS,
  NodeDisk,
  noTrace,
  SystemClock,
  SystemRandom,
  type TraceEvent,
} from "@minikafka/core";

export const TOPIC = "orders";
/** As many commits wait for their acknowledgement at a time. */
export const IN_FLIGHT = 64;

export const groupName = (index: number) => `group-${index}`;

export async function openForGroups(
  dataFolder: string,
  {
    trace = noTrace,
    pause = () => nextTurn(),
  }: { trace?: (event: TraceEvent) => void; pause?: () => Promise<void> } = {},
): Promise<BrokerCluster> {
  return BrokerCluster.open(
    { dataFolder, segmentBytes: LIMITS.segmentBytesDefault },
    {
      clock: new SystemClock(),
      disk: new NodeDisk(),
      random: new SystemRandom(),
      trace,
      faults: new FaultPoints(),
      pause,
    },
  );
}

/** Takes `act` with 0, 1, … below `count`, so many at a time. */
export async function lanes(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) await act(index);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}

export function commitAll(
  cluster: BrokerCluster,
  group: number,
  partitions: number,
  offset: number,
): Promise<void> {
  const offsets = Array.from({ length: partitions }, (_none, partition) => {
    return { topic: TOPIC, partition, offset: offset + partition, metadata: null };
  });
  return cluster.groups.commit({ groupId: groupName(group), member: null, offsets });
}
