import { describe, expect, test } from "vitest";
import { javaHashCode, partitionOfKey } from "./partition-of-key.ts";

describe("the partition of a key", () => {
  test("hashes as Java does, over UTF-16 units and with 32 bits", () => {
    expect(javaHashCode("")).toBe(0);
    expect(javaHashCode("abc")).toBe(96_354);
    expect(javaHashCode("polygenelubricants")).toBe(-2_147_483_648);
    // Two units of a surrogate pair: 0xd83d * 31 + 0xdc18.
    expect(javaHashCode("\u{1f418}")).toBe(0xd83d * 31 + 0xdc18);
  });

  test("takes the sign away as Kafka's Utils.abs does, so that it is a partition's number for any key", () => {
    expect(partitionOfKey("polygenelubricants", 50)).toBe(0);
    for (let key = 0; key < 1_000; key += 1) {
      const partition = partitionOfKey(`group-${key}`, 7);
      expect(partition).toBeGreaterThanOrEqual(0);
      expect(partition).toBeLessThan(7);
    }
  });

  test("spreads names of one pattern over all partitions", () => {
    const partitions = new Set(
      Array.from({ length: 50 }, (_, index) => partitionOfKey(`billing-${index}`, 4)),
    );
    expect(partitions.size).toBe(4);
  });
});
