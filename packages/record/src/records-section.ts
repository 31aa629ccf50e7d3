/**
 * The records of a batch, each as in Kafka's record batch v2 (KIP-98): zigzag varints for length, timestamp delta, offset
 * delta, key, value and headers, and one attributes byte that is zero. A length of -1 means null.
 */
import { HEADER_BYTES, readBatchHeader } from "./batch-header.ts";
import type { Record, RecordHeader, StoredRecord } from "./record.ts";
import { MalformedVarint, VarintReader, varintBytes, writeVarint } from "./varint.ts";

const NO_HEADERS: readonly RecordHeader[] = Object.freeze([]);
const ATTRIBUTES_BYTES = 1;

// Most records have no headers, and an iterator for each, over an array that is frozen at that, was half of all garbage that
// a batch of small ones made: hence no loop where there is nothing to loop over.

function nullableBytes(bytes: Uint8Array | null): number {
  return bytes === null ? 1 : varintBytes(bytes.length) + bytes.length;
}

/** The size of a record without the length that stands before it. */
export function recordBodyBytes(record: Record, offsetDelta: number, timestampDelta: number): number {
  let bytes = ATTRIBUTES_BYTES + varintBytes(timestampDelta) + varintBytes(offsetDelta);
  bytes += nullableBytes(record.key) + nullableBytes(record.value) + varintBytes(record.headers.length);
  return record.headers.length === 0 ? bytes : bytes + headersBytes(record.headers);
}

function headersBytes(headers: readonly RecordHeader[]): number {
  let bytes = 0;
  for (const header of headers) {
    const keyBytes = Buffer.byteLength(header.key);
    bytes += varintBytes(keyBytes) + keyBytes + nullableBytes(header.value);
  }
  return bytes;
}

/** The exact size of a record as the `offsetDelta`-th of a batch whose first record is of `firstTimestampMs`. */
export function recordBytes(record: Record, offsetDelta: number, firstTimestampMs: number): number {
  const body = recordBodyBytes(record, offsetDelta, record.timestampMs - firstTimestampMs);
  return varintBytes(body) + body;
}

function writeNullable(target: Buffer, position: number, bytes: Uint8Array | null): number {
  if (bytes === null) return writeVarint(target, position, -1);
  const at = writeVarint(target, position, bytes.length);
  target.set(bytes, at);
  return at + bytes.length;
}

/**
 * Writes one record at `position`, for which the caller has made {@link recordBytes} of room; returns the end. `bodyBytes` is
 * what {@link recordBodyBytes} says of it.
 */
export function writeRecord(
  target: Buffer,
  position: number,
  record: Record,
  bodyBytes: number,
  offsetDelta: number,
  timestampDelta: number,
): number {
  let at = writeVarint(target, position, bodyBytes);
  target[at++] = 0;
  at = writeVarint(target, at, timestampDelta);
  at = writeVarint(target, at, offsetDelta);
  at = writeNullable(target, at, record.key);
  at = writeNullable(target, at, record.value);
  at = writeVarint(target, at, record.headers.length);
  return record.headers.length === 0 ? at : writeHeaders(target, at, record.headers);
}

function writeHeaders(target: Buffer, position: number, headers: readonly RecordHeader[]): number {
  let at = position;
  for (const header of headers) {
    const keyBytes = Buffer.byteLength(header.key);
    at = writeVarint(target, at, keyBytes);
    at += target.write(header.key, at, keyBytes, "utf8");
    at = writeNullable(target, at, header.value);
  }
  return at;
}

function take(reader: VarintReader, length: number): number {
  const start = reader.position;
  if (length < 0 || start + length > reader.end) {
    throw new MalformedVarint(`a field of ${length} bytes at ${start} runs past the end at ${reader.end}`);
  }
  reader.position = start + length;
  return start;
}

/**
 * Reads what lies in one frame. Its views are made from the memory beneath the frame, which is looked up once: `subarray`
 * does that each time, in a call out of JavaScript that costs more than the view.
 */
class PartReader {
  readonly #frame: Buffer;
  readonly #memory: ArrayBufferLike;
  readonly #memoryOffset: number;
  readonly #reader: VarintReader;

  constructor(frame: Buffer, reader: VarintReader) {
    this.#frame = frame;
    this.#memory = frame.buffer;
    this.#memoryOffset = frame.byteOffset;
    this.#reader = reader;
  }

  nullable(): Buffer | null {
    const length = this.#reader.next();
    if (length === -1) return null;
    const start = take(this.#reader, length);
    return Buffer.from(this.#memory, this.#memoryOffset + start, length);
  }

  headers(): readonly RecordHeader[] {
    const reader = this.#reader;
    const count = reader.next();
    if (count === 0) return NO_HEADERS;
    if (count < 0) throw new MalformedVarint(`a header count of ${count} at ${reader.position}`);
    const headers: RecordHeader[] = [];
    for (let index = 0; index < count; index += 1) {
      const keyBytes = reader.next();
      const start = take(reader, keyBytes);
      headers.push({
        key: this.#frame.toString("utf8", start, start + keyBytes),
        value: this.nullable(),
      });
    }
    return headers;
  }
}

/** Makes of a record what its reader wants. Key, value and header values are views of the frame. */
export type MakeRecord<Made> = (
  offset: number,
  timestampMs: number,
  key: Buffer | null,
  value: Buffer | null,
  headers: readonly RecordHeader[],
) => Made;

/**
 * The records of a whole, uncompressed frame whose CRC was checked. Keys and values are views of `frame`: keep a copy of
 * what outlives it. Throws {@link MalformedVarint} for a section that no encoder writes.
 */
export function decodeRecords(frame: Buffer): StoredRecord[] {
  return decodeRecordsAs(frame, (offset, timestampMs, key, value, headers) => ({
    offset,
    key,
    value,
    timestampMs,
    headers,
  }));
}

/** {@link decodeRecords} for a reader with records of its own: the second object for each would be most of the garbage. */
export function decodeRecordsAs<Made>(frame: Buffer, make: MakeRecord<Made>): Made[] {
  const header = readBatchHeader(frame);
  const reader = new VarintReader(frame, HEADER_BYTES, header.frameBytes);
  const parts = new PartReader(frame, reader);
  // The leader's time goes before that of each record's producer (KIP-32).
  const appendTimeMs = header.timestampType === "append" ? header.maxTimestampMs : null;
  const records: Made[] = [];
  for (let index = 0; index < header.recordCount; index += 1) {
    const bodyLength = reader.next();
    const end = take(reader, bodyLength) + bodyLength;
    reader.position = end - bodyLength + ATTRIBUTES_BYTES;
    const createTimeMs = header.firstTimestampMs + reader.next();
    const timestampMs = appendTimeMs ?? createTimeMs;
    const offset = header.baseOffset + reader.next();
    const key = parts.nullable();
    const value = parts.nullable();
    records.push(make(offset, timestampMs, key, value, parts.headers()));
    if (reader.position !== end)
      throw new MalformedVarint(`record ${index} ends at ${reader.position}, not at ${end}`);
  }
  return records;
}
