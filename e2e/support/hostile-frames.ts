/** Requests of Kafka's protocol, by hand, that claim or hold much more than they are long. */
import { gzipSync } from "node:zlib";

const INT16 = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const INT32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const INT64 = (value: number) => Buffer.concat([INT32(Math.floor(value / 2 ** 32)), INT32(value | 0)]);
const TEXT = (value: string) => Buffer.concat([INT16(value.length), Buffer.from(value)]);

/** A frame with its header, in a version from before the flexible ones. */
function request(key: number, version: number, ...body: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([INT16(key), INT16(version), INT32(7), TEXT("hostile"), ...body]);
  return Buffer.concat([INT32(bytes.length), bytes]);
}

export function produce(topic: string, records: Buffer): Buffer {
  const partition = [INT32(1), INT32(0), INT32(records.length), records];
  return request(0, 3, INT16(-1), INT16(1), INT32(1_000), INT32(1), TEXT(topic), ...partition);
}

/** Whole requests, as one of each kind begins: every four bytes of them may be a length or a count. */
export function wholeRequests(topic: string): readonly Buffer[] {
  const partition = [INT32(1), TEXT(topic), INT32(1), INT32(0)];
  return [
    produce(topic, batch(0, Buffer.from([16, 0, 0, 0, 1, 2, 118, 0]))),
    request(
      1,
      4,
      INT32(-1),
      INT32(0),
      INT32(0),
      INT32(1_000),
      Buffer.alloc(1),
      ...partition,
      INT64(0),
      INT32(9),
    ),
    request(3, 1, INT32(1), TEXT(topic)),
    request(8, 2, TEXT("g"), INT32(-1), TEXT(""), INT64(-1), ...partition, INT64(1), TEXT("note")),
    request(
      11,
      2,
      TEXT("g"),
      INT32(9_000),
      INT32(9_000),
      TEXT(""),
      TEXT("consumer"),
      INT32(1),
      TEXT("range"),
      INT32(0),
    ),
    request(
      19,
      2,
      INT32(1),
      TEXT("made"),
      INT32(1),
      INT16(1),
      INT32(0),
      INT32(0),
      INT32(1_000),
      Buffer.alloc(1),
    ),
  ];
}

/** The names of one Metadata request, as many as fit, and each of no length. */
export function manyNames(count: number): Buffer {
  return request(3, 1, INT32(count), Buffer.alloc(2 * count));
}

const CODEC = { gzip: 1, snappy: 2, lz4: 3 };
const MIB = 2 ** 20;

/** Batches that are small, and unpack to hundreds of megabytes, or say so. */
export const BOMBS: { readonly [Codec in keyof typeof CODEC]: () => Buffer } = {
  gzip: () => batch(CODEC.gzip, Buffer.concat(Array(20).fill(gzipSync(Buffer.alloc(32 * MIB))))),
  snappy: () => batch(CODEC.snappy, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0x00, 0x61])),
  lz4: () => batch(CODEC.lz4, zerosByLz4(50)),
};

/** So many blocks of nearly 4 MiB each: one byte, then itself again, 255 times for each byte of its length. */
function zerosByLz4(blocks: number): Buffer {
  const length = Buffer.alloc(16_400, 0xff);
  const zeros = Buffer.concat([Buffer.from([0x1f, 0, 1, 0]), length, Buffer.from([0, 0x50, 0, 0, 0, 0, 0])]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(zeros.length);
  const header = Buffer.from("04224d18607073", "hex");
  return Buffer.concat([header, ...Array(blocks).fill(Buffer.concat([size, zeros])), Buffer.alloc(4)]);
}

/** One batch of one record, as it says, with a right checksum. */
function batch(codec: number, records: Buffer): Buffer {
  const nobody = [INT64(-1), INT16(-1), INT32(-1)];
  const checked = Buffer.concat([INT16(codec), INT32(0), INT64(1), INT64(1), ...nobody, INT32(1), records]);
  const behind = Buffer.concat([INT32(-1), Buffer.from([2]), INT32(crc32c(checked) | 0), checked]);
  return Buffer.concat([INT64(0), INT32(behind.length), behind]);
}

/** CRC-32C, bit by bit: the polynomial of Castagnoli, reflected. */
function crc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
