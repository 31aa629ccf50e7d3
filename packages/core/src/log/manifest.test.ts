import { expect, test } from "vitest";
import { parseManifest } from "./manifest.ts";

const good = {
  topic_id: "5f0c9c6e-7f0b-4d6c-9a3e-2b8f4f1f9b11",
  partition: 2,
  log_start_offset: 10,
  recovery_point: { offset: 35, segment_base_offset: 30, position: 400, max_timestamp_ms: 77 },
  sealed: [
    { base_offset: 10, next_offset: 20, size_bytes: 900, max_timestamp_ms: 50 },
    { base_offset: 20, next_offset: 30, size_bytes: 901, max_timestamp_ms: -1 },
  ],
};
const [first, second] = good.sealed;

test("a manifest says what is sealed and where recovery begins", () => {
  const manifest = parseManifest(good);
  expect(manifest.sealed.map(({ baseOffset }) => baseOffset)).toEqual([10, 20]);
  expect(manifest.recoveryPoint).toEqual({
    offset: 35,
    segmentBaseOffset: 30,
    position: 400,
    maxTimestampMs: 77,
  });
});

test("a field that the program does not know yet changes nothing", () => {
  expect(parseManifest({ ...good, leader_epochs: [] })).toEqual(parseManifest(good));
});

test.each([
  ["a hole between sealed segments", { ...good, sealed: [first, { ...second, base_offset: 21 }] }],
  ["sealed segments out of order", { ...good, sealed: [second, first] }],
  ["an empty sealed segment", { ...good, sealed: [first, { ...second, size_bytes: 0 }] }],
  ["a sealed segment without an offset", { ...good, sealed: [{ ...first, next_offset: 10 }, second] }],
  ["a hole before the recovery point", { ...good, sealed: [first] }],
  [
    "a recovery point before its segment",
    { ...good, recovery_point: { ...good.recovery_point, offset: 29 } },
  ],
  [
    "a recovery point at the beginning with bytes before it",
    { ...good, recovery_point: { ...good.recovery_point, offset: 30 } },
  ],
  [
    "a recovery point in the middle of nothing",
    { ...good, recovery_point: { ...good.recovery_point, position: 0 } },
  ],
  ["a log start below the first segment", { ...good, log_start_offset: 9 }],
  ["a log start behind the recovery point", { ...good, log_start_offset: 36 }],
  ["a negative number", { ...good, partition: -1 }],
  ["a number past 2^53", { ...good, partition: 2 ** 53 }],
  ["text for a number", { ...good, partition: "2" }],
  ["no list", { ...good, sealed: {} }],
  ["no object", []],
  ["nothing", null],
])("%s is refused", (_what, payload) => {
  expect(() => parseManifest(payload)).toThrow();
});
