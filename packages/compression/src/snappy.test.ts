import { expect, test } from "vitest";
import { snappy } from "./snappy.ts";

/** "aaaaaaaaaa": the size, one literal "a", a copy of nine bytes from one byte back. */
const RAW = Buffer.from([10, 0x00, 0x61, 0x15, 0x01]);

function xerial(...blocks: readonly Buffer[]): Buffer {
  const header = Buffer.from("82534e41505059000000000100000001", "hex");
  const framed = blocks.map((block) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(block.length);
    return Buffer.concat([length, block]);
  });
  return Buffer.concat([header, ...framed]);
}

test("a raw block is read, and so are blocks in the framing of Kafka's own clients", () => {
  expect(String(snappy.decompress(RAW, 10))).toBe("a".repeat(10));
  expect(String(snappy.decompress(xerial(RAW, RAW), 20))).toBe("a".repeat(20));
});

test("the framing of Kafka's own clients is written, in blocks of 32 KiB", () => {
  const packed = snappy.compress(Buffer.alloc(32 * 1024 + 1, "x"));
  expect(packed.toString("hex", 0, 16)).toBe("82534e41505059000000000100000001");
  const second = 20 + packed.readInt32BE(16);
  expect(packed.subarray(second + 4).length).toBe(packed.readInt32BE(second));
});

test("what is packed like a raw block is one itself, and like framed ones it is framed", () => {
  const bytes = Buffer.alloc(40 * 1024, "x");
  const framed = snappy.compress(bytes);
  const raw = snappy.compress(bytes, RAW);
  expect(raw.equals(framed)).toBe(false);
  expect(raw.toString("hex", 0, 3)).toBe("80c002");
  expect(snappy.decompress(raw, bytes.length).equals(bytes)).toBe(true);
  expect(snappy.compress(bytes, xerial(RAW)).equals(framed)).toBe(true);
});

test("a block that declares four gigabytes is refused before anything is made for it", () => {
  const bomb = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0x00, 0x61]);
  for (const bytes of [bomb, xerial(RAW, bomb)])
    expect(() => snappy.decompress(bytes, 1 << 25)).toThrow(
      /unpack to 42949\d+ bytes; expected at most 33554432/,
    );
});

test("many blocks that are each within the bound are refused by their sum", () => {
  expect(() => snappy.decompress(xerial(RAW, RAW, RAW), 29)).toThrow("30 bytes; expected at most 29");
});

test.for([
  ["no bytes", Buffer.alloc(0), "does not begin with its size"],
  ["a size without an end", Buffer.alloc(9, 0xff), "does not begin with its size"],
  ["a block of no bytes", xerial(Buffer.alloc(0)), "says 0 bytes"],
  ["a block of a negative length", Buffer.concat([xerial(), Buffer.alloc(8, 0xff)]), "says -1 bytes"],
  ["a block that was cut", xerial(RAW).subarray(0, -1), "the input was cut"],
] as const)("%s is damage", ([, bytes, message]) => {
  expect(() => snappy.decompress(bytes, 1000)).toThrow(message);
});
