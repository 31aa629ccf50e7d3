/** What can be seen of transactions in a cluster: by who reads committed records, by a group, by who reads the logs. As values. */
import { decodeRecords, readBatchHeader, splitFrames } from "@minikafka/record";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { partitionName, type TopicPartition } from "../src/replica/topic-partition.ts";
import { committed, OFFSETS_TOPIC } from "./offsets-world.ts";
import { A, B, committedIn } from "./transactional-producer.ts";

/** A batch of a transaction, or a marker. */
export interface LogEntry {
  readonly offset: number;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly kind: "data" | "commit" | "abort";
  readonly values: readonly string[];
}

export interface PartitionObservation {
  readonly name: string;
  /** What a reader of committed records gets, in order. */
  readonly read: readonly string[];
  /** The batches of transactions and the markers in the leader's log, in order. */
  readonly log: readonly LogEntry[];
  readonly lastStableOffset: number;
  readonly highWatermark: number;
  readonly logEndOffset: number;
}

export interface Observation {
  readonly partitions: readonly PartitionObservation[];
  /** As `a:0=5`. */
  readonly offsets: readonly string[];
  /** Each transactional id, its state, and what belongs to that. */
  readonly ids: readonly string[];
}

export const GROUP = "readers";

export const OFFSETS: TopicPartition = { topic: OFFSETS_TOPIC, partition: 0 };

export function placesOf(cluster: BrokerCluster): TopicPartition[] {
  return [A, B, OFFSETS].filter(({ topic }) => cluster.hasTopic(topic));
}

export async function observationOf(cluster: BrokerCluster): Promise<Observation> {
  const { transactions } = await cluster.transactions.list();
  const ids: string[] = [];
  for (const { transactionalId } of transactions) {
    const { state, producerId, producerEpoch, partitions } =
      await cluster.transactions.describe(transactionalId);
    ids.push(
      `${transactionalId} ${state} ${producerId}:${producerEpoch} ${partitions.map(partitionName).join()}`,
    );
  }
  const partitions = placesOf(cluster).map((place) => partitionOf(cluster, place));
  return { partitions, offsets: await committed(cluster, GROUP), ids: ids.sort() };
}

function partitionOf(cluster: BrokerCluster, place: TopicPartition): PartitionObservation {
  const set = cluster.replicaSet(place);
  return {
    name: partitionName(place),
    read: place.topic === OFFSETS_TOPIC ? [] : committedIn(cluster, place),
    log: entriesOf(set.leaderLog),
    lastStableOffset: set.lastStableOffset,
    highWatermark: set.highWatermark,
    logEndOffset: set.leaderLog.logEndOffset,
  };
}

export function entriesOf(log: PartitionLog): LogEntry[] {
  const entries: LogEntry[] = [];
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    for (const frame of splitFrames(batches)) {
      const { baseOffset, control, transactional, producerId, producerEpoch } = readBatchHeader(frame);
      if (control === null && !transactional) continue;
      const isData = control === null;
      const values = isData ? decodeRecords(frame).map(({ value }) => String(value ?? "")) : [];
      entries.push({ offset: baseOffset, producerId, producerEpoch, kind: control ?? "data", values });
    }
    offset = nextOffset;
  }
  return entries;
}
