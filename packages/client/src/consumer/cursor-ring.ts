/**
 * The partitions of an assignment, taking turns.
 *
 * Owns the cursors and whose turn it is, to be asked for and to be handed out. Invariant: after a partition was served, all
 * others come before it again, so that none starves behind one that always has records.
 */
import { type TopicPartition, topicPartitionKey } from "../topic-partition.ts";
import { usageError } from "../usage.ts";
import type { ConsumerRecord } from "./consumer-record.ts";
import type { HandedOutRecord } from "./deserialized-record.ts";
import type { PartitionCursor } from "./partition-cursor.ts";

/** Records of one partition, in order. */
export interface ConsumerBatch<K = Buffer, V = Buffer> extends TopicPartition {
  readonly records: readonly ConsumerRecord<K, V>[];
  /** The end of what was visible at the last fetch; with isolation read_committed the last stable offset. */
  readonly highWatermark: number;
  /** The consumer's position after these records. */
  readonly nextOffset: number;
}

export type HandedOutBatch = ConsumerBatch<unknown, unknown>;

export class CursorRing {
  /** In the order of their turns to be handed out. */
  #cursors: PartitionCursor[] = [];
  /** In the order of the assignment. */
  #assigned: readonly PartitionCursor[] = [];
  #asked = 0;

  get all(): readonly PartitionCursor[] {
    return this.#assigned;
  }

  replace(cursors: readonly PartitionCursor[]): void {
    this.#assigned = [...cursors];
    this.#cursors = [...cursors];
    this.#asked = 0;
  }

  find(place: TopicPartition): PartitionCursor | undefined {
    const { topic, partition } = place;
    return this.#cursors.find(({ place: own }) => own.topic === topic && own.partition === partition);
  }

  /** Throws USAGE for a partition that is not assigned. */
  get(place: TopicPartition): PartitionCursor {
    const cursor = this.find(place);
    if (cursor === undefined)
      throw usageError(`${topicPartitionKey(place)} is not assigned to this consumer`);
    return cursor;
  }

  /** All cursors, beginning with another one each time: the broker serves them in this order until the answer is full. */
  toAsk(): PartitionCursor[] {
    if (this.#assigned.length === 0) return [];
    const begin = this.#asked++ % this.#assigned.length;
    return [...this.#assigned.slice(begin), ...this.#assigned.slice(0, begin)];
  }

  /** Records that were fetched, at most `countMax`, from as many partitions as it takes. */
  take(countMax: number): HandedOutRecord[] {
    const records: HandedOutRecord[] = [];
    for (const cursor of [...this.#cursors]) {
      if (cursor.isPaused || !cursor.hasChunks) continue;
      try {
        cursor.take(countMax - records.length, records);
      } catch (error) {
        // It comes again: these records would not.
        if (records.length > 0) break;
        this.#toTheEnd(cursor);
        throw error;
      }
      this.#toTheEnd(cursor);
      if (records.length >= countMax) break;
    }
    return records;
  }

  /** Records of one partition, at most `countMax`; `null` when none were fetched. */
  takeBatch(countMax: number): HandedOutBatch | null {
    for (const cursor of [...this.#cursors]) {
      if (cursor.isPaused || !cursor.hasChunks) continue;
      const records: HandedOutRecord[] = [];
      this.#takeFirst(cursor, countMax, records);
      this.#toTheEnd(cursor);
      if (records.length === 0) continue;
      const nextOffset = cursor.position ?? 0;
      return { ...cursor.place, records, highWatermark: cursor.visibleEnd ?? nextOffset, nextOffset };
    }
    return null;
  }

  /** One record. The partition keeps its turn until its chunk is used up: its frames are decoded as a whole anyway. */
  takeOne(): HandedOutRecord | null {
    const records: HandedOutRecord[] = [];
    for (const cursor of this.#cursors) {
      if (cursor.isPaused || !cursor.hasChunks) continue;
      this.#takeFirst(cursor, 1, records);
      if (!cursor.hasChunks) this.#toTheEnd(cursor);
      const record = records[0];
      if (record !== undefined) return record;
    }
    return null;
  }

  /** One that fails lets the others come before it again. */
  #takeFirst(cursor: PartitionCursor, countMax: number, into: HandedOutRecord[]): void {
    try {
      cursor.take(countMax, into);
    } catch (error) {
      this.#toTheEnd(cursor);
      throw error;
    }
  }

  #toTheEnd(cursor: PartitionCursor): void {
    if (this.#cursors.length === 1) return;
    this.#cursors = this.#cursors.filter((other) => other !== cursor);
    this.#cursors.push(cursor);
  }
}
