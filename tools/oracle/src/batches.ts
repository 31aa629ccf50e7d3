/**
 * Kafka's record batches of format 2, made and read here by themselves and not by the broker's own code: a judge must not share
 * the mistakes of who is judged. Made ones may be wrong in any part.
 */
import { crc32c } from "./crc32c.ts";

const HEADER_BYTES = 61;
const CRC_AT = 17;
const ATTRIBUTES_AT = 21;
const LENGTH_AT = 8;
const PREFIX_BYTES = 12;

/** Bits of a batch's attributes. */
export const GZIP = 1;
export const APPEND_TIME = 8;
export const TRANSACTIONAL = 16;
export const CONTROL = 32;
const CODECS = 7;

export interface RecordParts {
  readonly key?: string | null;
  readonly value?: string | null;
  readonly headers?: readonly (readonly [string, string | null])[];
  readonly timestampDelta?: number;
  /** Left out: its place. */
  readonly offsetDelta?: number;
}

export interface BatchParts {
  readonly records?: readonly RecordParts[];
  /** Instead of the records' bytes, as for what is packed. */
  readonly section?: Buffer;
  readonly baseOffset?: bigint;
  readonly leaderEpoch?: number;
  readonly magic?: number;
  readonly attributes?: number;
  readonly lastOffsetDelta?: number;
  readonly baseTimestamp?: number;
  readonly maxTimestamp?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly count?: number;
  /** The CRC is one that does not fit. */
  readonly isDamaged?: boolean;
  /** Added to the batch's length. */
  readonly lengthOffBy?: number;
}

/** The time of all records that do not say another: long ago, and the same on both sides. */
export const LONG_AGO_MS = 1_000_000;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = (BigInt(value) << 1n) ^ (value < 0 ? -1n : 0n);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

function bytesOf(text: string | null): Buffer {
  if (text === null) return varint(-1);
  const bytes = Buffer.from(text);
  return Buffer.concat([varint(bytes.length), bytes]);
}

export function recordBytes(parts: RecordParts, place: number): Buffer {
  const { key = null, value = null, headers = [], timestampDelta = 0, offsetDelta = place } = parts;
  const body = Buffer.concat([
    Buffer.of(0),
    varint(timestampDelta),
    varint(offsetDelta),
    bytesOf(key),
    bytesOf(value),
    varint(headers.length),
    ...headers.flatMap(([name, each]) => [bytesOf(name), bytesOf(each)]),
  ]);
  return Buffer.concat([varint(body.length), body]);
}

export function batch(parts: BatchParts = {}): Buffer {
  const { records = [{ value: "v" }] } = parts;
  const { section = Buffer.concat(records.map(recordBytes)), count = records.length } = parts;
  const { baseTimestamp = LONG_AGO_MS } = parts;
  const latest = Math.max(0, ...records.map(({ timestampDelta = 0 }) => timestampDelta));
  const { lastOffsetDelta = count - 1, maxTimestamp = baseTimestamp + latest } = parts;
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeBigInt64BE(parts.baseOffset ?? 0n, 0);
  header.writeInt32BE(HEADER_BYTES + section.length - PREFIX_BYTES + (parts.lengthOffBy ?? 0), LENGTH_AT);
  header.writeInt32BE(parts.leaderEpoch ?? -1, 12);
  header.writeInt8(parts.magic ?? 2, 16);
  header.writeInt16BE(parts.attributes ?? 0, ATTRIBUTES_AT);
  header.writeInt32BE(lastOffsetDelta, 23);
  header.writeBigInt64BE(BigInt(baseTimestamp), 27);
  header.writeBigInt64BE(BigInt(maxTimestamp), 35);
  header.writeBigInt64BE(BigInt(parts.producerId ?? -1), 43);
  header.writeInt16BE(parts.producerEpoch ?? -1, 51);
  header.writeInt32BE(parts.baseSequence ?? -1, 53);
  header.writeInt32BE(count, 57);
  const whole = Buffer.concat([header, section]);
  const crc = crc32c(whole.subarray(ATTRIBUTES_AT));
  whole.writeUInt32BE(parts.isDamaged === true ? (crc ^ 1) >>> 0 : crc, CRC_AT);
  return whole;
}

export interface ReadRecord {
  readonly key: string | null;
  readonly value: string | null;
  readonly timestamp: number;
  readonly headers: readonly (readonly [string, string | null])[];
}

export interface ReadBatch {
  readonly baseOffset: number;
  readonly lastOffsetDelta: number;
  readonly partitionLeaderEpoch: number;
  readonly attributes: number;
  readonly maxTimestamp: number;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly isIntact: boolean;
  /** Of a packed batch its bytes in hexadecimal. */
  readonly content: readonly ReadRecord[] | string;
}

/** Reads records one after another. */
class Section {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  varint(): number {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = BigInt(this.#bytes[this.#at] ?? 0);
      this.#at += 1;
      value |= (byte & 0x7fn) << shift;
      if (byte < 0x80n) return Number((value >> 1n) ^ -(value & 1n));
      shift += 7n;
    }
  }

  text(): string | null {
    const length = this.varint();
    if (length < 0) return null;
    this.#at += length;
    return this.#bytes.toString("utf8", this.#at - length, this.#at);
  }

  record(baseTimestamp: number): ReadRecord {
    this.varint();
    this.#at += 1;
    const timestamp = baseTimestamp + this.varint();
    this.varint();
    const [key, value] = [this.text(), this.text()];
    const headers = Array.from({ length: this.varint() }, () => [this.text() ?? "", this.text()] as const);
    return { key, value, timestamp, headers };
  }
}

function contentOf(bytes: Buffer, attributes: number): ReadBatch["content"] {
  const section = bytes.subarray(HEADER_BYTES);
  if ((attributes & CODECS) !== 0) return section.toString("hex");
  const reader = new Section(section);
  const baseTimestamp = Number(bytes.readBigInt64BE(27));
  return Array.from({ length: bytes.readInt32BE(57) }, () => reader.record(baseTimestamp));
}

/** The whole batches among `records`; a fetch may end in a part of one. */
export function readBatches(records: Buffer): ReadBatch[] {
  const found: ReadBatch[] = [];
  for (let at = 0; at + HEADER_BYTES <= records.length; ) {
    const bytes = records.subarray(at, at + PREFIX_BYTES + records.readInt32BE(at + LENGTH_AT));
    if (at + PREFIX_BYTES + records.readInt32BE(at + LENGTH_AT) > records.length) break;
    const attributes = bytes.readInt16BE(ATTRIBUTES_AT);
    found.push({
      baseOffset: Number(bytes.readBigInt64BE(0)),
      lastOffsetDelta: bytes.readInt32BE(23),
      partitionLeaderEpoch: bytes.readInt32BE(12),
      attributes,
      maxTimestamp: Number(bytes.readBigInt64BE(35)),
      producerId: Number(bytes.readBigInt64BE(43)),
      producerEpoch: bytes.readInt16BE(51),
      baseSequence: bytes.readInt32BE(53),
      isIntact: crc32c(bytes.subarray(ATTRIBUTES_AT)) === bytes.readUInt32BE(CRC_AT),
      content: contentOf(bytes, attributes),
    });
    at += bytes.length;
  }
  return found;
}
