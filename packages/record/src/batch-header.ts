/**
 * The MKB1 frame: where each field of a batch's header stands. All integers are big-endian. The header answers every
 * question that storage, replication, deduplication and visibility ask, so that none of them touches a record.
 *
 *   0 magic "MKB1"      4 payload bytes u32       8 CRC-32 of the payload u32
 *  12 format version   13 flags                  14 base offset i64        22 leader epoch i32
 *  26 last offset delta i32   30 first timestamp i64   38 max timestamp i64
 *  46 producer id i64  54 producer epoch i16     56 base sequence i32      60 record count u32
 *  64 records: each as in Kafka's record batch v2
 */

export const MAGIC = 0x4d4b4231;
export const FORMAT_VERSION = 1;
/** Bytes before the payload: magic, length and CRC. */
export const FRAME_PREFIX_BYTES = 12;
/** Bytes before the first record. */
export const HEADER_BYTES = 64;

export const POSITION = {
  payloadBytes: 4,
  crc: 8,
  version: 12,
  flags: 13,
  baseOffset: 14,
  leaderEpoch: 22,
  lastOffsetDelta: 26,
  firstTimestampMs: 30,
  maxTimestampMs: 38,
  producerId: 46,
  producerEpoch: 54,
  baseSequence: 56,
  recordCount: 60,
} as const;

export const FLAG = {
  transactional: 0x01,
  commit: 0x02,
  abort: 0x04,
  codec: 0x38,
  appendTime: 0x40,
  deleteHorizon: 0x80,
} as const;

/** Names of the codec bits; the number is the index. */
export const CODECS = ["none", "gzip", "snappy", "lz4", "zstd"] as const;
export type Codec = (typeof CODECS)[number];

/** A batch's header, decoded. Offsets and times are safe integers. */
export interface BatchHeader {
  /** The whole frame: prefix, header and records. */
  readonly frameBytes: number;
  readonly crc: number;
  readonly version: number;
  readonly transactional: boolean;
  /** A control batch holds a transaction's marker and no user record. */
  readonly control: "commit" | "abort" | null;
  /** `null` for a codec number that has no name. */
  readonly codec: Codec | null;
  readonly timestampType: "create" | "append";
  /** -1 while unassigned: the leader gives it at append. */
  readonly baseOffset: number;
  /** -1 while unassigned. */
  readonly leaderEpoch: number;
  readonly lastOffsetDelta: number;
  /** What the records' timestamps are counted from: the first record's time, or once that is set the delete horizon. */
  readonly firstTimestampMs: number;
  readonly maxTimestampMs: number;
  /** -1 for a producer that is not idempotent (KIP-98); the next two likewise. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  /** Fewer than `lastOffsetDelta + 1` once compaction has left gaps. */
  readonly recordCount: number;
  /** From when on compaction may drop the batch's tombstones, or the marker that it is (KIP-534); `null` while none is set. */
  readonly deleteHorizonMs: number | null;
  /** `baseOffset + lastOffsetDelta + 1`: where the next batch begins, also after compaction left gaps. */
  readonly nextOffset: number;
}

const TWO_32 = 0x1_0000_0000;

/** An i64 as a number. Past 2^53 it is not exact, which the frame check refuses. */
export function readInt64(bytes: Buffer, position: number): number {
  return bytes.readInt32BE(position) * TWO_32 + bytes.readUInt32BE(position + 4);
}

export function writeInt64(bytes: Buffer, position: number, value: number): void {
  bytes.writeInt32BE(Math.floor(value / TWO_32), position);
  bytes.writeUInt32BE(((value % TWO_32) + TWO_32) % TWO_32, position + 4);
}

/**
 * Decodes the header of the frame at `position`. At least {@link HEADER_BYTES} must be there; whether the bytes are worth
 * believing is for `frameProblem` to say.
 */
export function readBatchHeader(bytes: Buffer, position = 0): BatchHeader {
  const flags = bytes.readUInt8(position + POSITION.flags);
  const baseOffset = readInt64(bytes, position + POSITION.baseOffset);
  const lastOffsetDelta = bytes.readInt32BE(position + POSITION.lastOffsetDelta);
  const firstTimestampMs = readInt64(bytes, position + POSITION.firstTimestampMs);
  return {
    frameBytes: FRAME_PREFIX_BYTES + bytes.readUInt32BE(position + POSITION.payloadBytes),
    crc: bytes.readUInt32BE(position + POSITION.crc),
    version: bytes.readUInt8(position + POSITION.version),
    transactional: (flags & FLAG.transactional) !== 0,
    control: (flags & FLAG.commit) !== 0 ? "commit" : (flags & FLAG.abort) !== 0 ? "abort" : null,
    codec: CODECS[(flags & FLAG.codec) >> 3] ?? null,
    timestampType: (flags & FLAG.appendTime) !== 0 ? "append" : "create",
    baseOffset,
    leaderEpoch: bytes.readInt32BE(position + POSITION.leaderEpoch),
    lastOffsetDelta,
    firstTimestampMs,
    maxTimestampMs: readInt64(bytes, position + POSITION.maxTimestampMs),
    producerId: readInt64(bytes, position + POSITION.producerId),
    producerEpoch: bytes.readInt16BE(position + POSITION.producerEpoch),
    baseSequence: bytes.readInt32BE(position + POSITION.baseSequence),
    recordCount: bytes.readUInt32BE(position + POSITION.recordCount),
    deleteHorizonMs: (flags & FLAG.deleteHorizon) !== 0 ? firstTimestampMs : null,
    nextOffset: baseOffset + lastOffsetDelta + 1,
  };
}
