import { decompressFrameSync } from "lz4-napi";
import { expect, test } from "vitest";
import { lz4 } from "./lz4.ts";
import { lz4Frame } from "./lz4-frame.ts";

/** The header that Kafka's clients write: version 1, independent blocks of 64 KiB, no checksum but its own. */
const HEADER = Buffer.from("04224d18604082", "hex");
const END = Buffer.alloc(4);

function block(bytes: readonly number[], isStored = false): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length + (isStored ? 0x8000_0000 : 0));
  return Buffer.concat([size, Buffer.from(bytes)]);
}

test("independent blocks are written, the only ones that Kafka's Java clients read", () => {
  expect(lz4.compress(Buffer.alloc(300_000)).readUInt8(4) & 0x20).toBe(0x20);
});

test("a frame of another writer is read: literals, a match, a stored block", () => {
  // "a", then nine bytes from one back; then five literals, as the end of a block must be.
  const packed = block([0x15, 0x61, 1, 0, 0x50, 0x62, 0x62, 0x62, 0x62, 0x62]);
  const frame = Buffer.concat([HEADER, packed, block([0x7a, 0x7a], true), END]);
  expect(lz4Frame(frame).unpackedBytes).toBe(17);
  expect(String(lz4.decompress(frame, 17))).toBe(`${"a".repeat(10)}bbbbbzz`);
});

test("the walk over a frame knows exactly what comes out", () => {
  for (const length of [0, 1, 15, 270, 65_536, 65_537, 400_000]) {
    const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * index) % 61));
    expect(lz4Frame(lz4.compress(bytes)).unpackedBytes).toBe(length);
  }
});

test("what is unpacked is what the library of others unpacks", () => {
  for (const [length, alphabet] of [
    ...[
      [100, 2],
      [5_000, 3],
      [70_000, 7],
      [300_000, 61],
      [300_000, 256],
    ],
  ] as const) {
    const bytes = Buffer.from(
      Array.from({ length }, (_, index) => (index * index * 31 + (index >> 3)) % alphabet),
    );
    const packed = lz4.compress(bytes);
    expect(lz4.decompress(packed, length).equals(bytes)).toBe(true);
    expect(decompressFrameSync(packed).equals(bytes)).toBe(true);
  }
});

test("blocks that are linked repeat what lies in the block before, independent ones must not", () => {
  const first = block([0x50, 1, 2, 3, 4, 5]);
  // A match of four from five back, which is the block before; then five literals.
  const second = block([0x00, 5, 0, 0x50, 9, 9, 9, 9, 9]);
  const linked = Buffer.concat([Buffer.from("04224d184040c0", "hex"), first, second, END]);
  expect([...lz4.decompress(linked, 14)]).toEqual([1, 2, 3, 4, 5, 1, 2, 3, 4, 9, 9, 9, 9, 9]);
  expect(() => lz4.decompress(Buffer.concat([HEADER, first, second, END]), 14)).toThrow(
    "reaches back 5 bytes of 0",
  );
});

test("a frame of blocks that unpack to gigabytes is refused before anything is made for it", () => {
  // One literal, and a match as long as 250 bytes of 255 say.
  const bomb = block([0x1f, 0x61, 1, 0, ...new Array<number>(250).fill(255), 0, 0x50, 98, 98, 98, 98, 98]);
  const frame = Buffer.concat([HEADER, ...new Array<Buffer>(20_000).fill(bomb), END]);
  expect(() => lz4.decompress(frame, 1 << 25)).toThrow(/unpack to 12\d{8} bytes; expected at most 33554432/);
});

test.for([
  ["another magic", Buffer.concat([Buffer.from("05224d18604082", "hex"), END]), "magic is 0x184d2205"],
  ["another version", Buffer.concat([Buffer.from("04224d18a04082", "hex"), END]), "version 2"],
  ["an unknown block size", Buffer.concat([Buffer.from("04224d18603082", "hex"), END]), "block size 3"],
  ["a frame without its end", Buffer.concat([HEADER, block([0x10, 0x61])]), "the input was cut"],
  ["bytes behind the frame", Buffer.concat([HEADER, END, END]), "4 bytes follow the LZ4 frame"],
  [
    "a block that ends within a match",
    Buffer.concat([HEADER, block([0x10, 0x61, 1, 0]), END]),
    "within a match",
  ],
  [
    "literals past the end of their block",
    Buffer.concat([HEADER, block([0x50, 0x61]), END]),
    "runs past its end",
  ],
  [
    "a length past the end of its block",
    Buffer.concat([HEADER, block([0xf0, 255]), END]),
    "runs past its end",
  ],
  [
    "a block larger than its frame allows",
    Buffer.concat([HEADER, block([0x1f, 0x61, 1, 0, ...new Array<number>(258).fill(255), 0, 0x10, 98]), END]),
    "its frame allows 65536",
  ],
] as const)("%s is damage", ([, bytes, message]) => {
  expect(() => lz4.decompress(bytes, 1 << 25)).toThrow(message);
});
