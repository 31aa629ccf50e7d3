/** The batches of a replica's log as a history compares them. Each was sent with one record. */
import assert from "node:assert/strict";
import { decodeRecords, readBatchHeader, splitFrames } from "@minikafka/record";
import type { PartitionLog } from "../src/log/partition-log.ts";

export interface Held {
  readonly offset: number;
  readonly nextOffset: number;
  readonly epoch: number;
  readonly crc: number;
  /** `null` where compaction has taken the record. */
  readonly record: HeldRecord | null;
  /** Of an idempotent producer: who sent it, in which epoch, with which sequence; a marker has none. */
  readonly sequence: string | null;
  /** Whether it is part of a transaction, or ends one: compaction asks more than which record is the latest of its key. */
  readonly isTransactional: boolean;
}

export interface HeldRecord {
  readonly key: string;
  /** `null` for a tombstone. */
  readonly value: string | null;
}

export function heldIn(frames: Buffer): Held[] {
  return splitFrames(frames).map((frame) => {
    const { baseOffset: offset, nextOffset, leaderEpoch: epoch, crc, ...header } = readBatchHeader(frame);
    const [record] = decodeRecords(frame);
    const { producerId, producerEpoch, baseSequence } = header;
    return {
      offset,
      nextOffset,
      epoch,
      crc,
      record:
        record === undefined
          ? null
          : { key: String(record.key), value: record.value === null ? null : record.value.toString() },
      sequence:
        producerId < 0 || baseSequence < 0 ? null : sequenceName(producerId, producerEpoch, baseSequence),
      isTransactional: header.transactional,
    };
  });
}

/** From the log's start on. */
export function heldBy(log: PartitionLog): Held[] {
  const held: Held[] = [];
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    held.push(...heldIn(batches));
    offset = nextOffset;
  }
  return held;
}

export function sequenceName(producerId: number, producerEpoch: number, sequence: number): string {
  return `producer ${producerId}, epoch ${producerEpoch}, sequence ${sequence}`;
}

export interface OffsetRange {
  readonly startOffset: number;
  /** Exclusive. */
  readonly endOffset: number;
}

export function heldWithin(held: readonly Held[], { startOffset, endOffset }: OffsetRange): Held[] {
  return held.filter(({ offset }) => offset >= startOffset && offset < endOffset);
}

/** The same offset of the same epoch is the same batch, and so is everything before it (Raft: log matching). */
export function matchedEnd(ones: readonly Held[], others: readonly Held[]): number {
  const epochs = new Map(others.map(({ offset, epoch }) => [offset, epoch]));
  return ones.findLast(({ offset, epoch }) => epochs.get(offset) === epoch)?.nextOffset ?? 0;
}

/** Of compacted logs: each may have dropped what the other has not yet, but for the last record of a key. */
export function assertAgree(
  ones: readonly Held[],
  others: readonly Held[],
  range: OffsetRange,
  what: string,
): void {
  const [within, beside] = [heldWithin(ones, range), heldWithin(others, range)];
  assert.deepEqual(latestOf(within), latestOf(beside), what);
  const records = new Map(beside.map(({ offset, record }) => [offset, record]));
  for (const { offset, record } of within) {
    const other = records.get(offset) ?? null;
    if (record !== null && other !== null) assert.deepEqual(record, other, `${what}, at ${offset}`);
  }
}

/** The last record of each key outside of transactions, but for tombstones: those go in time. */
function latestOf(held: readonly Held[]): ReadonlyMap<string, string> {
  const latest = new Map<string, string>();
  for (const { offset, record, isTransactional } of held) {
    if (record === null || isTransactional) continue;
    if (record.value === null) latest.delete(record.key);
    else latest.set(record.key, `${offset}: ${record.value}`);
  }
  return latest;
}
