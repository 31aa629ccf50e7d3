import { expect, test } from "vitest";
import { SystemRandom } from "./node-random.ts";
import { SeededRandom } from "./random.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const draws = (seed: number, count: number) => {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, () => random.nextUint32());
};

test("a seed's numbers never change: transcripts and printed seeds depend on them", () => {
  expect(draws(0, 3)).toEqual([281849423, 1476918685, 463860217]);
  expect(draws(42, 3)).toEqual([547831437, 699355280, 1141012487]);
  expect(new SeededRandom(42).uuid()).toBe("8d90071a-184e-405f-bfcf-24aad68a8aab");
});

test("seeds that are near each other, or equal in one half, give other numbers", () => {
  const firsts = [0, 1, 2, -1, 2 ** 32, 2 ** 32 + 1, 2 ** 40, Number.MAX_SAFE_INTEGER].map((seed) =>
    draws(seed, 4),
  );
  expect(new Set(firsts.map(String)).size).toBe(firsts.length);
  expect(() => new SeededRandom(0.5)).toThrow("a seed is a safe integer, not 0.5");
});

test("each result below a limit is as likely as each other", () => {
  const random = new SeededRandom(1);
  const counts = new Map<number, number>();
  for (let draw = 0; draw < 60_000; draw++) {
    const drawn = random.below(6);
    counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
  }
  expect(counts.size).toBe(6);
  for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

test("below stays below, for the smallest and the largest limit, and refuses others", () => {
  const random = new SeededRandom(1);
  expect(random.below(1)).toBe(0);
  for (let draw = 0; draw < 100; draw++) expect(random.below(2 ** 32)).toBeLessThan(2 ** 32);
  for (const limit of [0, -1, 1.5, 2 ** 32 + 1, Number.NaN]) {
    expect(() => random.below(limit)).toThrow("a limit is 1 to 2^32");
  }
});

test("every bit of the numbers is set one half of the time", () => {
  const drawn = draws(9, 10_000);
  for (let bit = 0; bit < 32; bit++) {
    const ones = drawn.filter((number) => ((number >>> bit) & 1) === 1).length;
    expect(Math.abs(ones - 5_000)).toBeLessThan(250);
  }
});

test.each([
  { name: "seeded", random: new SeededRandom(5) },
  { name: "the system's", random: new SystemRandom() },
])("$name random gives bytes and UUIDs of the right shape", ({ random }) => {
  expect(random.bytes(0)).toHaveLength(0);
  expect(random.bytes(100)).toHaveLength(100);
  expect(new Set(random.bytes(1_000)).size).toBeGreaterThan(200);
  expect(random.uuid()).toMatch(UUID_V4);
  expect(random.uuid()).not.toBe(random.uuid());
  expect(random.below(3)).toBeLessThan(3);
  expect(random.nextUint32()).toBeLessThan(2 ** 32);
});
