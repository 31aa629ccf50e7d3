import zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { zstdOf } from "./zstd.ts";
import { zstdFrames } from "./zstd-frame.ts";

const MAGIC = Buffer.from("28b52ffd", "hex");
const RAW = 0;
const REPEATED = 1;

function block(type: number, size: number, content: readonly number[], isLast: boolean): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (type << 1) | (isLast ? 1 : 0), 0, 3);
  return Buffer.concat([header, Buffer.from(content)]);
}

/** A frame that declares no size, with a window of 128 KiB. */
function frame(...blocks: readonly Buffer[]): Buffer {
  return Buffer.concat([MAGIC, Buffer.from([0x00, 0x38]), ...blocks]);
}

const abc = block(RAW, 3, [0x61, 0x62, 0x63], true);

const methods = [
  ["by the library", zstdOf({})],
  ["by Node, where it can", zstdOf(zlib as Parameters<typeof zstdOf>[0])],
] as const;

describe.each(methods)("%s", (_who, zstd) => {
  test("frames that declare no size are read, one after another, and those to be skipped are", () => {
    const skipped = Buffer.concat([Buffer.from("512a4d1805000000", "hex"), Buffer.alloc(5)]);
    const repeated = frame(block(REPEATED, 5, [0x64], true));
    expect(String(zstd.decompress(Buffer.concat([skipped, frame(abc), repeated]), 8))).toBe("abcddddd");
  });

  test("what was packed comes out, and its frame is walked over to its end", () => {
    for (const length of [0, 1, 255, 256, 65_791, 65_792, 300_000]) {
      const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * index) % 61));
      const packed = zstd.compress(bytes);
      const [only, ...more] = zstdFrames(packed);
      expect([only?.start, only?.end, more]).toEqual([0, packed.length, []]);
      expect(only?.bytesDeclared ?? length).toBe(length);
      expect(only?.bytesAtMost).toBeGreaterThanOrEqual(length);
      expect(zstd.decompress(packed, length).equals(bytes)).toBe(true);
    }
  });

  test("a frame that declares more than is allowed is refused before anything is made for it", () => {
    const declared = Buffer.alloc(8);
    declared.writeBigUInt64LE(1n << 40n);
    const bomb = Buffer.concat([MAGIC, Buffer.from([0xe0]), declared, abc]);
    expect(() => zstd.decompress(bomb, 1 << 25)).toThrow("1099511627776 bytes; expected at most 33554432");
  });

  test("blocks that repeat a byte into gigabytes are refused, though their frame declares nothing or too little", () => {
    const repeated = block(REPEATED, 128 * 1024, [0x61], false);
    const blocks = [...new Array<Buffer>(20_000).fill(repeated), abc];
    expect(() => zstd.decompress(frame(...blocks), 1 << 25)).toThrow(/unpack to .*33554432/);
    // A size of four bytes, 200 000, and a window of 128 KiB.
    const lying = Buffer.concat([MAGIC, Buffer.from([0x80, 0x38, 0x40, 0x0d, 0x03, 0x00]), ...blocks]);
    expect(() => zstd.decompress(lying, 1 << 25)).toThrow();
  });

  test.for([
    ["no bytes", Buffer.alloc(0), "there is no Zstandard frame"],
    ["another magic", Buffer.alloc(9), "magic at 0 is 0x0"],
    ["bytes behind the last frame", Buffer.concat([frame(abc), Buffer.from("tail")]), "magic at 12"],
    ["a reserved block", frame(block(3, 3, [1, 2, 3], true)), "reserved type"],
    [
      "a block larger than the window",
      frame(block(RAW, 128 * 1024 + 1, [], true)),
      "its frame allows 131072",
    ],
    ["a frame without its last block", frame(block(RAW, 1, [1], false)), "the input was cut"],
  ] as const)("%s is damage", ([, bytes, message]) => {
    expect(() => zstd.decompress(bytes, 1000)).toThrow(message);
  });
});
