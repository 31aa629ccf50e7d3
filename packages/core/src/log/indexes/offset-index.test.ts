import { expect, test } from "vitest";
import { OffsetIndex } from "./offset-index.ts";

function indexOf(...entries: [relativeOffset: number, position: number][]): OffsetIndex {
  const index = new OffsetIndex();
  for (const [relativeOffset, position] of entries) index.add({ relativeOffset, position });
  return index;
}

function decoded(bytes: Buffer): OffsetIndex | string {
  const result = OffsetIndex.decode(bytes);
  return "problem" in result ? result.problem : result.index;
}

test("a search ends at the last entry at or before what is sought", () => {
  const index = indexOf([3, 100], [10, 220], [11, 400]);
  const found = [0, 2, 3, 9, 10, 11, 5000].map((offset) => index.lookup(offset).position);
  expect(found).toEqual([0, 0, 100, 100, 220, 400, 400]);
});

test("without entries a search begins at the segment's first batch", () => {
  expect(new OffsetIndex().lookup(7)).toEqual({ relativeOffset: 0, position: 0 });
});

test("many entries keep their order while the array grows", () => {
  const index = new OffsetIndex();
  for (let n = 1; n <= 5000; n++) index.add({ relativeOffset: 2 * n, position: 100 * n });
  expect(index.entries).toBe(5000);
  for (let n = 1; n <= 5000; n += 97) expect(index.lookup(2 * n + 1).position).toBe(100 * n);
});

test("the largest numbers that an entry can hold come back from bytes", () => {
  const index = indexOf([1, 1], [0xffff_ffff, 0xffff_ffff]);
  const result = OffsetIndex.decode(index.encode(0xffff_ffff));
  expect(result).toMatchObject({ indexedBytes: 0xffff_ffff });
  expect("index" in result && result.index.last).toEqual({
    relativeOffset: 0xffff_ffff,
    position: 0xffff_ffff,
  });
});

test("an entry that does not rise is a mistake of the program", () => {
  expect(() => indexOf([3, 100], [3, 200])).toThrow("cannot follow");
  expect(() => indexOf([3, 100], [4, 100])).toThrow("cannot follow");
  expect(() => indexOf([0, 0])).toThrow("cannot follow");
});

test("every flipped bit and every other length is seen in the bytes", () => {
  const bytes = indexOf([3, 100], [10, 220]).encode(500);
  for (let position = 0; position < bytes.length; position++) {
    for (let bit = 0; bit < 8; bit++) {
      const other = Buffer.from(bytes);
      other.writeUInt8(other.readUInt8(position) ^ (1 << bit), position);
      expect(decoded(other)).toBeTypeOf("string");
    }
  }
  for (let length = 0; length < bytes.length; length++)
    expect(decoded(bytes.subarray(0, length))).toBeTypeOf("string");
  expect(decoded(Buffer.concat([bytes, Buffer.alloc(8)]))).toBeTypeOf("string");
});

test("the leading part ends before either bound", () => {
  const index = indexOf([3, 100], [10, 220], [11, 400]);
  expect(index.upTo({ relativeOffset: 11, position: 1000 }).entries).toBe(2);
  expect(index.upTo({ relativeOffset: 1000, position: 220 }).entries).toBe(1);
  expect(index.upTo({ relativeOffset: 1000, position: 1000 }).entries).toBe(3);
});
