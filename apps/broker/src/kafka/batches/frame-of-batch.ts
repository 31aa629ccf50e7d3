/**
 * What a producer of Kafka's sends, as a frame of ours: the header is translated, the records are copied as they are.
 *
 * Refused here is what a frame cannot say or would no longer show, with the errors of Kafka's ProduceRequest, UnifiedLog and
 * LogValidator. The kernel judges the rest, as it does with every frame: size, producer, and each record.
 */
import {
  CODECS,
  type Codec,
  type FramedFields,
  frameRecords,
  isRecordTimestampMs,
  latestTimestampMs,
  readInt64,
} from "@minikafka/record";
import { ATTRIBUTE, BATCH_HEADER_BYTES, BATCH_MAGIC, BATCH_PREFIX_BYTES, PLACE } from "./batch-layout.ts";
import { BatchRefused } from "./batch-refused.ts";
import { crc32c } from "./crc32c.ts";

/** Kafka: LegacyRecord.RECORD_OVERHEAD_V0, the least that any message has behind its length. */
const LEGACY_BYTES_MIN = 14;
/** Produce has carried zstd since this version (KIP-110). */
const ZSTD_SINCE = 7;

/**
 * The unassigned frame of the one batch that `records` must be; `version` is that of the Produce request. Throws nothing but
 * {@link BatchRefused}, and believes no length and no count.
 */
export function frameOfBatch(records: Buffer | null, version: number): Buffer {
  if (records === null) throw noBatch();
  requireOneBatch(records);
  const attributes = records.readInt16BE(PLACE.attributes);
  const fields = fieldsOf(records, attributes, version);
  const section = records.subarray(BATCH_HEADER_BYTES);
  const frame = frameRecords(section, fields);
  if (fields.codec !== "none") return frame;
  const latestMs = latestTimestampMs(frame, fields.firstTimestampMs);
  if (latestMs === null || latestMs === fields.maxTimestampMs || !isRecordTimestampMs(latestMs)) return frame;
  // Kafka's leader sets it right as well: kafkajs passes over the records that it gave a time itself.
  return frameRecords(section, { ...fields, maxTimestampMs: latestMs });
}

/** Whether the first batch says that it is of a transaction, whatever else may be amiss with it. */
export function isTransactional(records: Buffer): boolean {
  if (records.length < BATCH_HEADER_BYTES || records.readInt8(PLACE.magic) !== BATCH_MAGIC) return false;
  return (records.readInt16BE(PLACE.attributes) & ATTRIBUTE.transactional) !== 0;
}

function noBatch(): BatchRefused {
  return new BatchRefused("INVALID_RECORD", "there is no whole record batch; expected one");
}

/** Throws unless the bytes are exactly one whole batch of magic 2 with a right checksum. */
function requireOneBatch(bytes: Buffer): void {
  if (bytes.length < BATCH_PREFIX_BYTES) throw noBatch();
  const length = bytes.readInt32BE(PLACE.length);
  if (length < LEGACY_BYTES_MIN)
    throw new BatchRefused(
      "CORRUPT_MESSAGE",
      `the batch says that ${length} bytes follow; expected ${LEGACY_BYTES_MIN} or more`,
    );
  if (bytes.length <= PLACE.magic) throw noBatch();
  const magic = bytes.readInt8(PLACE.magic);
  if (magic < 0 || magic > BATCH_MAGIC)
    throw new BatchRefused("CORRUPT_MESSAGE", `the batch has magic ${magic}; expected ${BATCH_MAGIC}`);
  const batchBytes = BATCH_PREFIX_BYTES + length;
  if (batchBytes > bytes.length) throw noBatch();
  if (magic !== BATCH_MAGIC)
    throw new BatchRefused(
      "INVALID_RECORD",
      `the message has magic ${magic}; since version 3 of Produce it is a batch of magic ${BATCH_MAGIC}`,
    );
  if (batchBytes < bytes.length)
    throw new BatchRefused(
      "INVALID_RECORD",
      `${bytes.length - batchBytes} bytes follow the batch; expected exactly one batch for each partition`,
    );
  if (batchBytes < BATCH_HEADER_BYTES)
    throw new BatchRefused(
      "CORRUPT_MESSAGE",
      `the batch has ${batchBytes} bytes; expected ${BATCH_HEADER_BYTES} or more`,
    );
  const stored = bytes.readUInt32BE(PLACE.crc);
  const computed = crc32c(bytes.subarray(PLACE.attributes));
  if (stored !== computed)
    throw new BatchRefused(
      "CORRUPT_MESSAGE",
      `the CRC-32C is 0x${stored.toString(16)}; expected 0x${computed.toString(16)}`,
    );
}

function fieldsOf(batch: Buffer, attributes: number, version: number): FramedFields {
  requireProducers(batch, attributes);
  const codec = codecOf(attributes, version);
  const recordCount = batch.readInt32BE(PLACE.recordCount);
  const lastOffsetDelta = batch.readInt32BE(PLACE.lastOffsetDelta);
  if (recordCount <= 0 || lastOffsetDelta !== recordCount - 1)
    throw new BatchRefused(
      "INVALID_RECORD",
      `the batch says ${recordCount} records and a last offset delta of ${lastOffsetDelta}; expected 1 or more, and one less`,
    );
  return {
    codec,
    transactional: (attributes & ATTRIBUTE.transactional) !== 0,
    recordCount,
    lastOffsetDelta,
    firstTimestampMs: timeOf(batch, PLACE.baseTimestampMs),
    maxTimestampMs: timeOf(batch, PLACE.maxTimestampMs),
    ...producerOf(batch),
  };
}

/** Throws for what only a broker writes into a batch. */
function requireProducers(batch: Buffer, attributes: number): void {
  const baseOffset = readInt64(batch, PLACE.baseOffset);
  if (baseOffset !== 0)
    throw new BatchRefused(
      "INVALID_RECORD",
      `the batch has base offset ${baseOffset}; expected 0 of a producer`,
    );
  if ((attributes & ATTRIBUTE.control) !== 0)
    throw new BatchRefused("INVALID_RECORD", "the batch is a control batch, which only a broker writes");
  if ((attributes & ATTRIBUTE.deleteHorizon) !== 0)
    throw new BatchRefused("INVALID_RECORD", "the batch has a delete horizon, which only compaction gives");
  if ((attributes & ATTRIBUTE.appendTime) !== 0)
    throw new BatchRefused("INVALID_TIMESTAMP", "the batch claims append times, which only a broker gives");
}

function codecOf(attributes: number, version: number): Codec {
  const number = attributes & ATTRIBUTE.codec;
  const codec = CODECS[number];
  if (codec === undefined)
    throw new BatchRefused(
      "UNSUPPORTED_COMPRESSION_TYPE",
      `the batch has codec ${number}, which has no name`,
    );
  if (codec === "zstd" && version < ZSTD_SINCE)
    throw new BatchRefused(
      "UNSUPPORTED_COMPRESSION_TYPE",
      `zstd in version ${version} of Produce; expected ${ZSTD_SINCE} or later`,
    );
  return codec;
}

function timeOf(batch: Buffer, position: number): number {
  const timestampMs = readInt64(batch, position);
  if (isRecordTimestampMs(timestampMs)) return timestampMs;
  throw new BatchRefused(
    "INVALID_TIMESTAMP",
    `a timestamp of the batch is ${timestampMs}; expected milliseconds since 1970, or -1`,
  );
}

/** kafkajs and @platformatic/kafka write an epoch and a sequence of 0 where there is no producer id; they mean none. */
function producerOf(batch: Buffer): Pick<FramedFields, "producerId" | "producerEpoch" | "baseSequence"> {
  const producerId = readInt64(batch, PLACE.producerId);
  if (producerId < 0) return { producerId: -1, producerEpoch: -1, baseSequence: -1 };
  if (!Number.isSafeInteger(producerId))
    throw new BatchRefused("INVALID_RECORD", `the producer id ${producerId} is past 2^53`);
  const producerEpoch = batch.readInt16BE(PLACE.producerEpoch);
  const baseSequence = batch.readInt32BE(PLACE.baseSequence);
  if (producerEpoch < 0 || baseSequence < 0)
    throw new BatchRefused(
      "INVALID_RECORD",
      `producer ${producerId} sends epoch ${producerEpoch} and sequence ${baseSequence}; expected 0 or more`,
    );
  return { producerId, producerEpoch, baseSequence };
}
