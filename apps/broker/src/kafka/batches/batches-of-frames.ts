/**
 * What a fetch has read, as Kafka's batches one behind the other: headers are translated, records are copied as they are.
 *
 * Frames without a record are left out where others go with them: a consumer takes the offsets of what it gets, and steps over
 * what is missing, as it does in every compacted topic. Where there are no others, the last one goes as an empty batch, so
 * that a consumer's position moves on; kafkajs's does not move by an empty batch, and who asks for it has to read on.
 */
import { type BatchHeader, CODECS, HEADER_BYTES, readBatchHeader, writeInt64 } from "@minikafka/record";
import { ATTRIBUTE, BATCH_HEADER_BYTES, BATCH_MAGIC, BATCH_PREFIX_BYTES, PLACE } from "./batch-layout.ts";
import { crc32c } from "./crc32c.ts";
import { markerRecord } from "./marker-record.ts";

export interface FetchedBatches {
  readonly batches: Buffer;
  /** False where all frames were empty, or there was none: there is nothing in it that a consumer would see. */
  readonly hasRecords: boolean;
}

interface Batch {
  readonly header: BatchHeader;
  readonly records: Buffer;
}

/** `frames` are whole frames that follow each other, as a log gives them; a RangeError tells of anything else. */
export function batchesOfFrames(frames: Buffer): FetchedBatches {
  const full: Batch[] = [];
  let lastEmpty: Batch | null = null;
  for (let position = 0; position < frames.length; ) {
    const batch = batchAt(frames, position);
    if (batch.header.recordCount > 0) full.push(batch);
    else lastEmpty = batch;
    position += batch.header.frameBytes;
  }
  const hasRecords = full.length > 0;
  const sent = hasRecords || lastEmpty === null ? full : [lastEmpty];
  return { batches: encode(sent), hasRecords };
}

function batchAt(frames: Buffer, position: number): Batch {
  const header = readBatchHeader(frames, position);
  const end = position + header.frameBytes;
  if (header.frameBytes < HEADER_BYTES || end > frames.length)
    throw new RangeError(`a frame of ${header.frameBytes} bytes at ${position} of ${frames.length}`);
  const isMarker = header.control !== null && header.recordCount > 0;
  const records = isMarker
    ? markerRecord(frames.subarray(position, end))
    : frames.subarray(position + HEADER_BYTES, end);
  return { header, records };
}

function encode(batches: readonly Batch[]): Buffer {
  const bytes = batches.reduce((sum, { records }) => sum + BATCH_HEADER_BYTES + records.length, 0);
  const target = Buffer.allocUnsafe(bytes);
  let position = 0;
  for (const { header, records } of batches) {
    const end = position + BATCH_HEADER_BYTES + records.length;
    writeBatch(target.subarray(position, end), header, records);
    position = end;
  }
  return target;
}

function writeBatch(target: Buffer, header: BatchHeader, records: Buffer): void {
  writeInt64(target, PLACE.baseOffset, header.baseOffset);
  target.writeInt32BE(target.length - BATCH_PREFIX_BYTES, PLACE.length);
  target.writeInt32BE(header.leaderEpoch, PLACE.leaderEpoch);
  target.writeInt8(BATCH_MAGIC, PLACE.magic);
  target.writeInt16BE(attributesOf(header), PLACE.attributes);
  target.writeInt32BE(header.lastOffsetDelta, PLACE.lastOffsetDelta);
  writeInt64(target, PLACE.baseTimestampMs, header.firstTimestampMs);
  writeInt64(target, PLACE.maxTimestampMs, header.maxTimestampMs);
  writeInt64(target, PLACE.producerId, header.producerId);
  target.writeInt16BE(header.producerEpoch, PLACE.producerEpoch);
  target.writeInt32BE(header.baseSequence, PLACE.baseSequence);
  target.writeInt32BE(header.recordCount, PLACE.recordCount);
  target.set(records, BATCH_HEADER_BYTES);
  target.writeUInt32BE(crc32c(target.subarray(PLACE.attributes)), PLACE.crc);
}

function attributesOf(header: BatchHeader): number {
  const { codec, timestampType, transactional, control, deleteHorizonMs } = header;
  return (
    (codec === null ? 0 : CODECS.indexOf(codec)) |
    (timestampType === "append" ? ATTRIBUTE.appendTime : 0) |
    (transactional ? ATTRIBUTE.transactional : 0) |
    (control === null ? 0 : ATTRIBUTE.control) |
    (deleteHorizonMs === null ? 0 : ATTRIBUTE.deleteHorizon)
  );
}
