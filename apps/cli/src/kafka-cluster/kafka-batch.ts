/**
 * Kafka's record batches of magic 2 (KIP-98), read and written by our own codec of records: what the client of Kafka makes of a record is
 * a map of its headers, which drops names that are there twice, and it misreads times that are more than 2^31 ms apart.
 *
 *   0 base offset i64       8 bytes behind this field i32   12 leader epoch i32     16 magic i8
 *  17 CRC-32C u32, of all that follows it                   21 attributes i16       23 last offset delta i32
 *  27 base timestamp i64   35 max timestamp i64             43 producer id i64      51 producer epoch i16
 *  53 base sequence i32    57 record count i32              61 the records
 */
import { compression } from "@minikafka/compression";
import {
  CODECS,
  type Codec,
  CompressionError,
  decodeRecordsAs,
  frameRecords,
  plainFrame,
  type Record,
  readInt64,
  recordBodyBytes,
  recordBytes,
  type StoredRecord,
  writeInt64,
  writeRecord,
} from "@minikafka/record";
import { CliError } from "../failure.ts";

const HEADER_BYTES = 61;
/** What the length does not count. */
const PREFIX_BYTES = 12;
const MAGIC = 2;
const AT = {
  ...{ length: 8, leaderEpoch: 12, magic: 16, crc: 17, attributes: 21, lastOffsetDelta: 23 },
  ...{ baseTimestamp: 27, maxTimestamp: 35, producerId: 43, producerEpoch: 51, baseSequence: 53 },
  recordCount: 57,
} as const;
const CODEC = 0x07;
const APPEND_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

export type Crc32c = (bytes: Buffer) => number;

export interface KafkaBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
  /** As text: it may be beyond what a number holds exactly. */
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly recordCount: number;
  readonly isTransactional: boolean;
  /** The marker of a transaction's end. */
  readonly isControl: boolean;
  readonly bytes: Buffer;
}

/** The whole batches in what was fetched; the last one may be cut, and is fetched again. Throws CORRUPT_BATCH. */
export function batchesIn(bytes: Buffer, crc32c: Crc32c): KafkaBatch[] {
  const batches: KafkaBatch[] = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const size = PREFIX_BYTES + bytes.readInt32BE(at + AT.length);
    if (size < HEADER_BYTES) throw corrupt(at, `says that it has ${size} bytes`);
    if (at + size > bytes.length) break;
    batches.push(checked(bytes.subarray(at, at + size), at, crc32c));
    at += size;
  }
  return batches;
}

function corrupt(at: number, problem: string): CliError {
  return new CliError("CORRUPT_BATCH", `the batch at byte ${at} of what was read ${problem}`, {
    hint: "look after the disks of the cluster that it came from",
  });
}

function checked(bytes: Buffer, at: number, crc32c: Crc32c): KafkaBatch {
  const magic = bytes.readInt8(AT.magic);
  if (magic !== MAGIC) throw corrupt(at, `has magic ${magic}; expected ${MAGIC}, of Kafka 0.11 and later`);
  const computed = crc32c(bytes.subarray(AT.attributes));
  const stored = bytes.readUInt32BE(AT.crc);
  if (computed !== stored)
    throw corrupt(at, `has CRC 0x${stored.toString(16)}; expected 0x${computed.toString(16)}`);
  const attributes = bytes.readInt16BE(AT.attributes);
  const baseOffset = readInt64(bytes, 0);
  return {
    baseOffset,
    nextOffset: baseOffset + bytes.readInt32BE(AT.lastOffsetDelta) + 1,
    producerId: String(bytes.readBigInt64BE(AT.producerId)),
    producerEpoch: bytes.readInt16BE(AT.producerEpoch),
    baseSequence: bytes.readInt32BE(AT.baseSequence),
    recordCount: bytes.readInt32BE(AT.recordCount),
    isTransactional: (attributes & TRANSACTIONAL) !== 0,
    isControl: (attributes & CONTROL) !== 0,
    bytes,
  };
}

/** Keys, values and headers are the bytes that came, in views; null and empty are two things. Throws CORRUPT_BATCH, and UNSUPPORTED_COMPRESSION_TYPE. */
export function recordsOf({ bytes, baseOffset }: KafkaBatch): StoredRecord[] {
  const attributes = bytes.readInt16BE(AT.attributes);
  const codec = CODECS[attributes & CODEC];
  if (codec === undefined) throw corrupt(0, `has codec ${attributes & CODEC}, which has no name`);
  const maxTimestampMs = readInt64(bytes, AT.maxTimestamp);
  const hasAppendTime = (attributes & APPEND_TIME) !== 0;
  const frame = frameRecords(bytes.subarray(HEADER_BYTES), {
    codec,
    transactional: false,
    lastOffsetDelta: bytes.readInt32BE(AT.lastOffsetDelta),
    firstTimestampMs: readInt64(bytes, AT.baseTimestamp),
    maxTimestampMs,
    recordCount: bytes.readInt32BE(AT.recordCount),
    ...{ producerId: -1, producerEpoch: -1, baseSequence: -1 },
  });
  try {
    // An unassigned frame begins at -1.
    return decodeRecordsAs(plainFrame(frame, compression), (offset, timestampMs, key, value, headers) => ({
      offset: baseOffset + offset + 1,
      timestampMs: hasAppendTime ? maxTimestampMs : timestampMs,
      ...{ key, value, headers },
    }));
  } catch (error) {
    throw unreadable(error, codec);
  }
}

function unreadable(error: unknown, codec: Codec): unknown {
  if (error instanceof CompressionError && error.problem === "unsupported")
    return new CliError("UNSUPPORTED_COMPRESSION_TYPE", `${codec} cannot be read here: ${error.message}`);
  return corrupt(0, `cannot be read: ${(error as Error).message}`);
}

/** Who sends a batch, by which a cluster knows it when it comes again (KIP-98). */
export interface BatchSender {
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly sequence: number;
}

/** One batch, as a producer sends it. At least one record. */
export function encodeBatch(
  records: readonly Record[],
  { producerId, producerEpoch, sequence }: BatchSender,
  codec: Codec,
  crc32c: Crc32c,
): Buffer {
  const section = sectionOf(records);
  const packed = codec === "none" ? section : compression.compress(codec, section);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32BE(HEADER_BYTES - PREFIX_BYTES + packed.length, AT.length);
  header.writeInt32BE(-1, AT.leaderEpoch);
  header.writeInt8(MAGIC, AT.magic);
  header.writeInt16BE(CODECS.indexOf(codec), AT.attributes);
  header.writeInt32BE(records.length - 1, AT.lastOffsetDelta);
  writeInt64(header, AT.baseTimestamp, records[0]?.timestampMs ?? -1);
  writeInt64(
    header,
    AT.maxTimestamp,
    records.reduce((max, { timestampMs }) => Math.max(max, timestampMs), -1),
  );
  header.writeBigInt64BE(producerId, AT.producerId);
  header.writeInt16BE(producerEpoch, AT.producerEpoch);
  header.writeInt32BE(sequence, AT.baseSequence);
  header.writeInt32BE(records.length, AT.recordCount);
  const batch = Buffer.concat([header, packed]);
  batch.writeUInt32BE(crc32c(batch.subarray(AT.attributes)), AT.crc);
  return batch;
}

function sectionOf(records: readonly Record[]): Buffer {
  const firstTimestampMs = records[0]?.timestampMs ?? -1;
  const size = records.reduce((sum, record, index) => sum + recordBytes(record, index, firstTimestampMs), 0);
  const section = Buffer.allocUnsafe(size);
  let at = 0;
  for (const [index, record] of records.entries()) {
    const delta = record.timestampMs - firstTimestampMs;
    at = writeRecord(section, at, record, recordBodyBytes(record, index, delta), index, delta);
  }
  return section;
}
