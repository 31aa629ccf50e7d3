import { expect, test } from "vitest";
import { murmur2, toPositive } from "./murmur2.ts";

/** Kafka's own vectors: org.apache.kafka.common.utils.UtilsTest.testMurmur2. */
test.each([
  ["21", -973932308],
  ["foobar", -790332482],
  ["a-little-bit-long-string", -985981536],
  ["a-little-bit-longer-string", -1486304829],
  ["lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971],
  ["abc", 479470107],
])("murmur2 of %j is what Kafka's Java client computes", (key, hash) => {
  expect(murmur2(Buffer.from(key))).toBe(hash);
});

test("a byte past 127 counts as unsigned, as Java's & 0xff makes it", () => {
  expect(murmur2(Buffer.from([0xff]))).not.toBe(murmur2(Buffer.from([0x7f])));
  expect(Number.isInteger(murmur2(Buffer.from([0xff, 0xfe, 0xfd, 0xfc, 0xfb])))).toBe(true);
});

test("toPositive drops the sign bit, which is not the absolute value", () => {
  expect([toPositive(-1), toPositive(-973932308), toPositive(5)]).toEqual([2147483647, 1173551340, 5]);
});
