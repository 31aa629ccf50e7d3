import fc from "fast-check";
import { expect, test } from "vitest";
import { SeededRandom } from "../../env/random.ts";
import { BYTES_PER_KEY, KeyOffsetMap } from "./key-offset-map.ts";

const random = () => new SeededRandom(7);

function mapOf(keysMax: number): KeyOffsetMap {
  return new KeyOffsetMap({ bufferBytes: 1 << 20, keysMax }, random());
}

test("the latest offset of each key is found, and -1 for a key that was never put", () => {
  const key = fc.string({ unit: "binary", maxLength: 20 }).map((text) => Buffer.from(text));
  fc.assert(
    fc.property(fc.array(key, { maxLength: 200 }), key, (keys, stranger) => {
      const map = mapOf(200);
      const plain = new Map<string, number>();
      keys.forEach((each, offset) => {
        expect(map.put(each, 0, each.length, offset)).toBe(true);
        plain.set(each.toString("hex"), offset);
      });
      expect(map.keys).toBe(plain.size);
      for (const each of [...keys, stranger])
        expect(map.get(each, 0, each.length)).toBe(plain.get(each.toString("hex")) ?? -1);
    }),
  );
});

test("a key is the bytes between two places, whatever stands around them", () => {
  const map = mapOf(10);
  map.put(Buffer.from("..alice.."), 2, 7, 5);
  expect(map.get(Buffer.from("alice"), 0, 5)).toBe(5);
  expect(map.get(Buffer.from("alice"), 0, 4)).toBe(-1);
});

test("a full map takes no new key, and goes on to take offsets of the keys that it knows", () => {
  const map = new KeyOffsetMap({ bufferBytes: 100 * BYTES_PER_KEY, keysMax: 1_000_000 }, random());
  const key = (number: number) => Buffer.from(`key ${number}`);
  expect(map.keysMax).toBe(100);
  for (let number = 0; number < 100; number++)
    expect(map.put(key(number), 0, key(number).length, number)).toBe(true);
  expect(map.put(key(100), 0, key(100).length, 100)).toBe(false);
  expect(map.get(key(100), 0, key(100).length)).toBe(-1);
  expect(map.put(key(3), 0, key(3).length, 101)).toBe(true);
  expect(map.get(key(3), 0, key(3).length)).toBe(101);
  expect(map.keys).toBe(100);
});

test("a map takes no more memory than its keys can need, and holds one key whatever it gets", () => {
  expect(new KeyOffsetMap({ bufferBytes: 1 << 30, keysMax: 9 }, random()).keysMax).toBe(9);
  expect(new KeyOffsetMap({ bufferBytes: 0, keysMax: 9 }, random()).keysMax).toBe(1);
});

test("offsets beyond 32 bits stay exact", () => {
  const map = mapOf(1);
  map.put(Buffer.from("k"), 0, 1, 2 ** 52);
  expect(map.get(Buffer.from("k"), 0, 1)).toBe(2 ** 52);
});
