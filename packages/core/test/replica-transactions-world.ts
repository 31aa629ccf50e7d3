/** Transactions in a replicated partition: batches in and markers behind them, and what a reader of committed records gets. */
import { decodeRecords, encodeBatch, readBatchHeader, readMarker, splitFrames } from "@minikafka/record";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { AppendResult } from "../src/replica/append-options.ts";
import type { ProducerIdentity } from "../src/replica/producer-identity.ts";
import type { PartitionReplicaSet } from "../src/replica/replica-set.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";
import type { MarkerResult, TransactionEnd } from "../src/replica/transaction-end.ts";
import { ORDERS } from "./replica-world.ts";

export interface Written extends ProducerIdentity {
  readonly value: string;
  readonly baseSequence?: number;
  readonly key?: string;
}

/** The batch of one record of a producer's transaction. */
export function transactional({ value, key, baseSequence = 0, producerId, producerEpoch }: Written): Buffer {
  const record = {
    key: key === undefined ? null : Buffer.from(key),
    value: Buffer.from(value),
    timestampMs: 0,
    headers: [],
  };
  return encodeBatch({ records: [record], producerId, producerEpoch, baseSequence, transactional: true });
}

/** Writes as one whose coordinator has said that the transaction is open. */
export function write(cluster: BrokerCluster, written: Written, place = ORDERS): Promise<AppendResult> {
  return cluster.appendBatch(place, transactional(written), { acks: "all", inTransaction: true });
}

/** Ends the producer's transaction, with the epoch that follows. */
export function end(
  cluster: BrokerCluster,
  { producerId, producerEpoch }: ProducerIdentity,
  control: "commit" | "abort",
  place: TopicPartition = ORDERS,
): Promise<MarkerResult> {
  const next = producerEpoch + 1;
  const set = cluster.replicaSet(place);
  return endTransaction(set, { producerId, producerEpoch: next, coordinatorEpoch: 3, control });
}

/** Resolves once the marker and all before it are acknowledged as acks=all is. */
export async function endTransaction(
  set: PartitionReplicaSet,
  transactionEnd: TransactionEnd,
): Promise<MarkerResult> {
  const { offset, acknowledged } = set.appendMarker(transactionEnd);
  await acknowledged;
  return { offset };
}

/** Every follower copies what there is, and hears that it is visible. */
export async function replicated(cluster: BrokerCluster): Promise<void> {
  await cluster.replicateOnce();
  await cluster.replicateOnce();
}

/** What a reader of committed records gets, from the beginning to where it has to wait. */
export function committedValues(cluster: BrokerCluster, place: TopicPartition = ORDERS): string[] {
  return committedRecords(cluster, place).map(({ value }) => value);
}

export interface CommittedRecord {
  readonly offset: number;
  readonly value: string;
  readonly isTransactional: boolean;
}

/** The same with their places. */
export function committedRecords(cluster: BrokerCluster, place: TopicPartition): CommittedRecord[] {
  const records: CommittedRecord[] = [];
  const isolation = "read_committed";
  let offset = cluster.listOffsets(place, -2).offset ?? 0;
  while (offset < cluster.visibleEnd(place, isolation)) {
    const fetched = cluster.fetch(place, offset, { bytesMax: 1 << 20, isolation });
    for (const frame of splitFrames(fetched.batches)) {
      const { control, transactional, producerId, baseOffset } = readBatchHeader(frame);
      const isAborted = fetched.abortedTransactions.some(
        (aborted) =>
          aborted.producerId === producerId &&
          aborted.firstOffset <= baseOffset &&
          baseOffset < aborted.lastOffset,
      );
      if (control !== null || (transactional && isAborted)) continue;
      for (const record of decodeRecords(frame))
        if (record.offset >= offset)
          records.push({
            offset: record.offset,
            value: Buffer.from(record.value ?? []).toString(),
            isTransactional: transactional,
          });
    }
    offset = fetched.nextOffset;
  }
  return records;
}

/** The markers in one replica's log, as `offset control producer:epoch from first`. */
export function markersOn(
  cluster: BrokerCluster,
  brokerId: number,
  place: TopicPartition = ORDERS,
): string[] {
  const { log } = cluster.replicaSet(place).leadership.requireCopy(brokerId);
  const markers: string[] = [];
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    for (const frame of splitFrames(batches)) {
      const { control, producerId, producerEpoch, baseOffset } = readBatchHeader(frame);
      if (control === null) continue;
      const first = readMarker(frame)?.firstOffset;
      markers.push(`${baseOffset} ${control} ${producerId}:${producerEpoch} from ${first}`);
    }
    offset = nextOffset;
  }
  return markers;
}
