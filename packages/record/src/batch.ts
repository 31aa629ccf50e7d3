/** A batch as bytes: made by a producer, given its place by the leader, read by everybody else without being re-encoded. */
import { BatchBuilder, type BatchProducer, requireTimestamp } from "./batch-builder.ts";
import { FLAG, FRAME_PREFIX_BYTES, HEADER_BYTES, POSITION, writeInt64 } from "./batch-header.ts";
import { changedCrc } from "./crc-change.ts";
import type { Record } from "./record.ts";
import { recordBytes } from "./records-section.ts";

export interface BatchContent extends BatchProducer {
  /** At least one. */
  readonly records: readonly Record[];
}

/**
 * One unassigned frame: base offset and leader epoch are -1 until {@link assignBatch}. Throws a RangeError for an empty
 * batch or a timestamp out of range.
 */
export function encodeBatch(content: BatchContent): Buffer {
  const builder = new BatchBuilder(frameBytesOf(content.records));
  for (const record of content.records) builder.add(record);
  return builder.finish(content);
}

function frameBytesOf(records: readonly Record[]): number {
  const firstTimestampMs = records[0]?.timestampMs ?? 0;
  return records.reduce((bytes, record, index) => {
    requireTimestamp(record.timestampMs, index);
    return bytes + recordBytes(record, index, firstTimestampMs);
  }, HEADER_BYTES);
}

/** Where a leader puts a batch. */
export interface BatchPlace {
  readonly baseOffset: number;
  readonly leaderEpoch: number;
}

/** The payload's bytes up to the last that a place changes, that an append time does, and that a producer does. */
const PLACED_END = POSITION.lastOffsetDelta;
const STAMPED_END = POSITION.producerId;
const SEQUENCED_END = POSITION.recordCount;

/**
 * Gives `frame` its place, in its own bytes. The CRC follows the change: one that was right stays right, and damage that it
 * would have shown it still shows. Nothing else changes, and the records are not read.
 */
export function assignBatch(frame: Buffer, place: BatchPlace): void {
  change(frame, PLACED_END, () => {
    writeInt64(frame, POSITION.baseOffset, place.baseOffset);
    frame.writeInt32BE(place.leaderEpoch, POSITION.leaderEpoch);
  });
}

/**
 * Makes `appendTimeMs` the time of every record of `frame` (Kafka: LogAppendTime, KIP-32), in its own bytes: the latest
 * timestamp and a flag say it. What the producer wrote stays in the records and is read no more. The CRC follows as above.
 */
export function stampAppendTime(frame: Buffer, appendTimeMs: number): void {
  change(frame, STAMPED_END, () => {
    frame.writeUInt8(frame.readUInt8(POSITION.flags) | FLAG.appendTime, POSITION.flags);
    writeInt64(frame, POSITION.maxTimestampMs, appendTimeMs);
  });
}

/**
 * Makes `latestTimestampMs` what the header says of the records' times, in its own bytes: for records that a leader was the first to
 * unpack (Kafka's does so too). The CRC follows as above.
 */
export function stampLatestTime(frame: Buffer, latestTimestampMs: number): void {
  change(frame, STAMPED_END, () => writeInt64(frame, POSITION.maxTimestampMs, latestTimestampMs));
}

/** Where a batch stands among those of its producer in a partition (KIP-98). */
export interface BatchSequence {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  /** The batch is a part of the producer's transaction. */
  readonly transactional?: boolean;
}

/** Makes `frame` one of an idempotent producer, in its own bytes. The CRC follows as above. */
export function stampProducer(frame: Buffer, sequence: BatchSequence): void {
  change(frame, SEQUENCED_END, () => {
    writeInt64(frame, POSITION.producerId, sequence.producerId);
    frame.writeInt16BE(sequence.producerEpoch, POSITION.producerEpoch);
    frame.writeInt32BE(sequence.baseSequence, POSITION.baseSequence);
    if (sequence.transactional === true)
      frame.writeUInt8(frame.readUInt8(POSITION.flags) | FLAG.transactional, POSITION.flags);
  });
}

/** Lets `act` change bytes of the payload below `end`. */
function change(frame: Buffer, end: number, act: () => void): void {
  const after = frame.subarray(FRAME_PREFIX_BYTES, end);
  const before = Buffer.from(after);
  act();
  const followingBytes = frame.length - end;
  const crc = changedCrc(frame.readUInt32BE(POSITION.crc), { before, after, followingBytes });
  frame.writeUInt32BE(crc, POSITION.crc);
}
