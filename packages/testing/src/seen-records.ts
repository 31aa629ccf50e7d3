/** What a topic holds, read off the logs of its leaders as they are in this instant. Nothing of it is an event or a request. */
import { compression } from "@minikafka/compression";
import type { BrokerCluster } from "@minikafka/core";
import {
  type BatchHeader,
  decodeRecords,
  plainFrame,
  readBatchHeader,
  type StoredRecord,
} from "@minikafka/record";
import { requireInteger, requireOneOf, requireText } from "./usage.ts";

const READ_BYTES = 1024 * 1024;

export type Place = Parameters<BrokerCluster["replicaSet"]>[0];

/** Which records of a topic are looked at. */
export interface RecordsQuery {
  /** Default: all of the topic, one after the other. */
  readonly partition?: number | undefined;
  /** "read_committed": what is of no open or aborted transaction. Default "read_uncommitted", as in Kafka. */
  readonly isolation?: "read_uncommitted" | "read_committed" | undefined;
}

export const RECORDS_OPTIONS = ["partition", "isolation"] as const;

const ISOLATIONS = ["read_uncommitted", "read_committed"];

/** Throws USAGE for what names no topic and none of its partitions. */
export function requireQuery(topic: string, { partition, isolation }: RecordsQuery): void {
  requireText("topic", topic);
  if (partition !== undefined) requireInteger("partition", partition, 0);
  requireOneOf("isolation", isolation, ISOLATIONS);
}

export interface SeenHeader {
  readonly key: string;
  readonly value: string | null;
}

/** A record in words, as an assertion wants it: a plain object, equal to one of the same words. The bytes are behind, and no part of that. */
export interface SeenRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** As UTF-8. */
  readonly key: string | null;
  /** As UTF-8; `null` is a tombstone. */
  readonly value: string | null;
  readonly headers: readonly SeenHeader[];
  /** Since 1970; -1 where its producer gave none. */
  readonly timestampMs: number;
  /** The key as it lies in the log; `null` for none. Not enumerable. */
  readonly keyBytes: Buffer | null;
  /** The value as it lies in the log; `null` for a tombstone. Not enumerable. */
  readonly valueBytes: Buffer | null;
}

function seenRecord({ topic, partition }: Place, stored: StoredRecord): SeenRecord {
  const words: Omit<SeenRecord, "keyBytes" | "valueBytes"> = {
    topic,
    partition,
    offset: stored.offset,
    key: textOf(stored.key),
    value: textOf(stored.value),
    headers: stored.headers.map(({ key, value }) => ({ key, value: textOf(value) })),
    timestampMs: stored.timestampMs,
  };
  return Object.defineProperties(words, {
    keyBytes: { get: () => bytesOf(stored.key) },
    valueBytes: { get: () => bytesOf(stored.value) },
  }) as SeenRecord;
}

/** By partition and offset, up to what a consumer may read. Throws UNKNOWN_TOPIC, UNKNOWN_PARTITION, LEADER_NOT_AVAILABLE, STORAGE_ERROR. */
export function seenRecords(cluster: BrokerCluster, topic: string, query: RecordsQuery = {}): SeenRecord[] {
  return placesOf(cluster, topic, query).flatMap((place) => {
    const set = cluster.replicaSet(place);
    const span = { offset: set.leaderLog.logStartOffset, endOffset: set.visibleEnd(query.isolation) };
    return recordsIn(cluster, place, query, span);
  });
}

/** How many offsets lie before a consumer, which are at least as many as the records. Throws as seenRecords. */
export function offsetsAhead(cluster: BrokerCluster, topic: string, query: RecordsQuery = {}): number {
  const counts = placesOf(cluster, topic, query).map((place) => {
    const set = cluster.replicaSet(place);
    return set.visibleEnd(query.isolation) - set.leaderLog.logStartOffset;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

export function placesOf(cluster: BrokerCluster, topic: string, { partition }: RecordsQuery): Place[] {
  const { partitions } = cluster.describeTopic(topic);
  if (partition !== undefined) return [{ topic, partition }];
  return Array.from({ length: partitions }, (_none, number) => ({ topic, partition: number }));
}

/** Of the leader's log, from an offset to another, which is not one of them. Throws as seenRecords. */
export function recordsIn(
  cluster: BrokerCluster,
  place: Place,
  { isolation }: RecordsQuery,
  { offset: fromOffset, endOffset }: { readonly offset: number; readonly endOffset: number },
): SeenRecord[] {
  const log = cluster.replicaSet(place).leaderLog.looked;
  const records: SeenRecord[] = [];
  for (let offset = fromOffset; offset < endOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: READ_BYTES, endOffset });
    const aborted = isolation === "read_committed" ? log.abortedTransactions(offset, nextOffset) : [];
    const isAborted = ({ transactional, producerId, baseOffset, nextOffset: end }: BatchHeader) =>
      transactional &&
      aborted.some((one) => {
        return one.producerId === producerId && one.firstOffset <= baseOffset && end <= one.lastOffset;
      });
    for (let position = 0; position < batches.length; ) {
      const header = readBatchHeader(batches, position);
      const frame = batches.subarray(position, position + header.frameBytes);
      position += header.frameBytes;
      if (header.control !== null || isAborted(header)) continue;
      // A batch is read whole, also where the log, or what may be read of it, begins or ends inside.
      for (const record of decodeRecords(plainFrame(frame, compression)))
        if (record.offset >= offset && record.offset < endOffset) records.push(seenRecord(place, record));
    }
    if (nextOffset <= offset) break;
    offset = nextOffset;
  }
  return records;
}

function textOf(bytes: Uint8Array | string | null): string | null {
  return bytes === null || typeof bytes === "string" ? bytes : Buffer.from(bytes).toString();
}

function bytesOf(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : Buffer.from(bytes);
}
