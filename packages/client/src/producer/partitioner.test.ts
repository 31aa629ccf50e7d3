import { expect, test } from "vitest";
import { keyHash, StickyPartition } from "./partitioner.ts";

test("crc32 puts alice into partition 1 of 2, as the original did", () => {
  expect(keyHash("crc32")(Buffer.from("alice")) % 2).toBe(1);
});

test("murmur2 puts a key where Kafka's Java client puts it", () => {
  // (-790332482 & 0x7fffffff) % 16
  expect(keyHash("murmur2")(Buffer.from("foobar")) % 16).toBe(14);
});

test("one's own hash is taken as it is", () => {
  expect(keyHash((key) => key.length)(Buffer.from("four"))).toBe(4);
});

test("keyless records stick until a batch of their partition is closed, then move to the next, round and round", () => {
  const sticky = new StickyPartition(() => 0);
  const seen = [];
  for (let batch = 0; batch < 4; batch += 1) {
    seen.push(sticky.choose([0, 1, 2]), sticky.choose([0, 1, 2]));
    sticky.moveOn(seen.at(-1) ?? 0, [0, 1, 2]);
  }
  expect(seen).toEqual([0, 0, 1, 1, 2, 2, 0, 0]);
});

test("a batch of another partition that is closed moves nobody", () => {
  const sticky = new StickyPartition(() => 0);
  expect(sticky.choose([0, 1])).toBe(0);
  sticky.moveOn(1, [0, 1]);
  expect(sticky.choose([0, 1])).toBe(0);
});

test("where to begin is drawn, and a partition that lost its leader is left", () => {
  const sticky = new StickyPartition(() => 0.99);
  expect(sticky.choose([0, 1, 2])).toBe(2);
  expect(sticky.choose([0, 1])).toBe(1);
});
