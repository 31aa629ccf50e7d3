/**
 * What one fetch brought of one partition: whole frames, decoded one at a time when their turn comes.
 *
 * Owns the bytes and the place in them. Invariants: records come out once, in the order of their offsets, none below the
 * position that is asked for (the first frame may begin before it), none of a control batch, and none of a transaction that is
 * said to be aborted; compressed ones are unpacked, within the bound that brokers hold them to. No byte is believed before its frame's CRC was checked.
 */
import { compression } from "@minikafka/compression";
import {
  CompressionError,
  decodeRecordsAs,
  frameProblem,
  MalformedVarint,
  plainFrame,
  readBatchHeader,
} from "@minikafka/record";
import { MiniKafkaError } from "../errors.ts";
import type { TopicPartition } from "../topic-partition.ts";
import { type AbortedRange, AbortedRanges } from "./aborted-ranges.ts";
import { type ConsumerRecord, consumerRecords } from "./consumer-record.ts";
import type { DeserializeRecord, HandedOutRecord } from "./deserialized-record.ts";

export class FetchedChunk {
  readonly #place: TopicPartition;
  readonly #bytes: Buffer;
  readonly #aborted: AbortedRanges;
  readonly #deserialize: DeserializeRecord | null;
  /** Where the partition goes on after this chunk: past gaps, control markers and hidden records. */
  readonly nextOffset: number;
  /** Where the next frame begins. */
  #at = 0;
  #records: readonly ConsumerRecord[] = [];
  #index = 0;
  #problem: MiniKafkaError | null = null;

  /** `aborted`: by first offset, those whose records are not to be shown. */
  constructor(
    place: TopicPartition,
    bytes: Buffer,
    nextOffset: number,
    aborted: readonly AbortedRange[] = [],
    deserialize: DeserializeRecord | null = null,
  ) {
    this.#deserialize = deserialize;
    this.#place = place;
    this.#bytes = bytes;
    this.#aborted = new AbortedRanges(aborted);
    this.nextOffset = nextOffset;
  }

  /** Whether nothing came, which shows without decoding a frame. */
  get isEmpty(): boolean {
    return this.#bytes.length === 0;
  }

  /** Bytes of frames that were not decoded yet. */
  get undecodedBytes(): number {
    return this.#bytes.length - this.#at;
  }

  /** Whether nothing is left. Looks for the next record at or after `position`, so it may decode a frame. */
  isExhausted(position: number): boolean {
    this.#find(position);
    return this.#problem === null && this.#index === this.#records.length;
  }

  /**
   * Adds at most `countMax` records from `position` on to `into`. Throws CORRUPT_BATCH, UNSUPPORTED_COMPRESSION_TYPE or
   * RECORD_DESERIALIZATION when such is next.
   */
  take(position: number, countMax: number, into: HandedOutRecord[]): void {
    for (let left = countMax; left > 0; ) {
      this.#find(position);
      if (this.#problem !== null) {
        if (left < countMax) return;
        throw this.#problem;
      }
      // Offsets rise: from one that is not below the position on, none is.
      const end = Math.min(this.#records.length, this.#index + left);
      if (this.#index === end) return;
      const count = end - this.#index;
      if (!this.#handOut(end, into, left < countMax)) return;
      left -= count;
    }
  }

  /** Up to `end`, or to the first that is refused, which throws when nothing was before it. Returns whether it came to `end`. */
  #handOut(end: number, into: HandedOutRecord[], hasBefore: boolean): boolean {
    const deserialize = this.#deserialize;
    if (deserialize === null) {
      for (; this.#index < end; this.#index += 1) into.push(this.#records[this.#index] as ConsumerRecord);
      return true;
    }
    const begin = this.#index;
    for (; this.#index < end; this.#index += 1) {
      try {
        into.push(deserialize(this.#records[this.#index] as ConsumerRecord));
      } catch (error) {
        if (!hasBefore && this.#index === begin) throw error;
        return false;
      }
    }
    return true;
  }

  /** Makes the record at `#index` the next to hand out, if there is one. */
  #find(position: number): void {
    for (;;) {
      for (; this.#index < this.#records.length; this.#index += 1) {
        if ((this.#records[this.#index] as ConsumerRecord).offset >= position) return;
      }
      if (this.#problem !== null || this.#at >= this.#bytes.length) return;
      this.#decodeNext(position);
    }
  }

  #decodeNext(position: number): void {
    const problem = frameProblem(this.#bytes, this.#at, this.#bytes.length);
    if (problem !== null) {
      this.#problem = this.#corrupt(problem);
      return;
    }
    const header = readBatchHeader(this.#bytes, this.#at);
    const frame = this.#bytes.subarray(this.#at, this.#at + header.frameBytes);
    if (header.control === null && header.nextOffset > position && !this.#aborted.hides(header)) {
      try {
        const plain = plainFrame(frame, compression);
        this.#records = decodeRecordsAs(plain, consumerRecords(this.#place, header));
      } catch (error) {
        if (error instanceof CompressionError && error.problem === "unsupported")
          this.#problem = this.#refused("UNSUPPORTED_COMPRESSION_TYPE", error.message);
        else if (error instanceof MalformedVarint || error instanceof CompressionError)
          this.#problem = this.#corrupt(error.message);
        else throw error;
        return;
      }
      this.#index = 0;
    }
    this.#at += header.frameBytes;
  }

  #corrupt(problem: string): MiniKafkaError {
    const { topic, partition } = this.#place;
    const message = `what was fetched of ${topic}/${partition} is damaged at byte ${this.#at} of ${this.#bytes.length}: ${problem}`;
    return this.#refused("CORRUPT_BATCH", message);
  }

  #refused(code: "CORRUPT_BATCH" | "UNSUPPORTED_COMPRESSION_TYPE", message: string): MiniKafkaError {
    const { topic, partition } = this.#place;
    return new MiniKafkaError(code, message, { details: { topic, partition, position: this.#at } });
  }
}
