/** How a time index comes about: told of every batch in order, it keeps those that its invariants ask for. */
import type { BatchHeader } from "@minikafka/record";
import { TimeIndex } from "./time-index.ts";

/** The latest timestamp of a batch's records; -1 for a frame that compaction has emptied, whatever its header keeps. */
export function latestRecordMs({ recordCount, maxTimestampMs }: BatchHeader): number {
  return recordCount === 0 ? -1 : maxTimestampMs;
}

export interface TimeIndexStart {
  readonly segmentBaseOffset: number;
  readonly intervalBytes: number;
  /** The latest timestamp of what lies before the first batch that is told of; -1 for the beginning of the segment. */
  readonly maxTimestampMs: number;
}

/** The batch at which an index ends. */
export interface LastBatch {
  readonly position: number;
  readonly crc: number;
}

export class TimeIndexBuilder {
  readonly #start: TimeIndexStart;
  #index = new TimeIndex();
  #maxTimestampMs: number;
  /** From where on a later batch gets an entry. */
  #dueAt: number;
  #last: LastBatch | null = null;

  constructor(start: TimeIndexStart) {
    this.#start = start;
    this.#maxTimestampMs = start.maxTimestampMs;
    // Where the beginning of the segment is not among what is told of, nobody knows how far back the last entry lies.
    this.#dueAt = start.maxTimestampMs === -1 ? start.intervalBytes : 0;
  }

  get index(): TimeIndex {
    return this.#index;
  }

  /** The latest batch that was told of, or `null`. */
  get last(): LastBatch | null {
    return this.#last;
  }

  note(header: BatchHeader, position: number): void {
    this.#last = { position, crc: header.crc };
    const timestampMs = latestRecordMs(header);
    if (timestampMs <= this.#maxTimestampMs) return;
    this.#maxTimestampMs = timestampMs;
    if (position < this.#dueAt) return;
    this.#index.add({ timestampMs, relativeOffset: header.baseOffset - this.#start.segmentBaseOffset });
    this.#dueAt = position + this.#start.intervalBytes;
  }

  /** Everything from `relativeOffset` on is gone; `maxTimestampMs` is the latest of what is left, -1 when nothing is. */
  cut(relativeOffset: number, maxTimestampMs: number): void {
    this.#index = this.#index.upTo(relativeOffset);
    this.#maxTimestampMs = maxTimestampMs;
    // How far back the last entry lies is not known here: the next batch that is later gets one.
    this.#dueAt = maxTimestampMs === -1 ? this.#start.intervalBytes : 0;
    this.#last = null;
  }

  /**
   * Puts `below` before everything that was told of; `last` is the batch at which it ends, where that is known. Returns
   * false, and changes nothing, when the two do not continue each other.
   */
  startBehind(below: TimeIndex, last: LastBatch | null): boolean {
    const [end, first] = [below.last, this.#index.at(0)];
    const continues =
      end === null ||
      first === null ||
      (first.timestampMs > end.timestampMs && first.relativeOffset > end.relativeOffset);
    if (!continues) return false;
    below.append(this.#index);
    this.#index = below;
    this.#last ??= last;
    return true;
  }
}
