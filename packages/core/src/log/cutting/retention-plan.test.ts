import { expect, test } from "vitest";
import { planRetention, type RetentionFacts } from "./retention-plan.ts";

/** Four segments of 100 bytes, ten offsets each, the latest records at 100, 200, 300 and 400. */
const segments = [1, 2, 3, 4].map((n) => ({ nextOffset: 10 * n, sizeBytes: 100, maxTimestampMs: 100 * n }));
const KEEPS = { deletes: true, retentionMs: null, retentionBytes: null };

function planned(facts: Partial<RetentionFacts>): string[] {
  const all = { segments, logStartOffset: 0, highWatermark: 40, nowMs: 1000, config: KEEPS, ...facts };
  return planRetention(all);
}

test("nothing goes without a limit", () => {
  expect(planned({})).toEqual([]);
});

test.each([
  [899, ["time"]],
  [900, []],
  [600, ["time", "time", "time"]],
  [0, ["time", "time", "time", "time"]],
])("with %d ms of retention, segments go whose latest record is older than that", (retentionMs, gone) => {
  expect(planned({ config: { ...KEEPS, retentionMs } })).toEqual(gone);
});

test.each([
  [400, []],
  [301, []],
  [300, ["size"]],
  [299, ["size"]],
  [100, ["size", "size", "size"]],
  [1, ["size", "size", "size"]],
  [0, ["size", "size", "size", "size"]],
])("with %d bytes of retention, segments go as long as so many are left", (retentionBytes, gone) => {
  expect(planned({ config: { ...KEEPS, retentionBytes } })).toEqual(gone);
});

test.each([
  [9, []],
  [10, ["log_start"]],
  [25, ["log_start", "log_start"]],
  [40, ["log_start", "log_start", "log_start"]],
])("below a log start of %d segments go under any policy, the active one never", (logStartOffset, gone) => {
  expect(planned({ logStartOffset, config: { ...KEEPS, deletes: false } })).toEqual(gone);
});

test("a policy that does not delete keeps what is too old and too much", () => {
  expect(planned({ config: { deletes: false, retentionMs: 0, retentionBytes: 0 } })).toEqual([]);
});

test("only a run from the oldest on goes: a record from the future holds back what follows it", () => {
  const future = segments.map((segment, n) => (n === 1 ? { ...segment, maxTimestampMs: 5000 } : segment));
  expect(planned({ segments: future, config: { ...KEEPS, retentionMs: 100 } })).toEqual(["time"]);
});

test.each([
  [40, 4],
  [39, 3],
  [10, 1],
  [9, 0],
])("nothing that ends above a high watermark of %d goes", (highWatermark, count) => {
  expect(planned({ highWatermark, config: { ...KEEPS, retentionMs: 0 } })).toHaveLength(count);
});

test.each([
  [[], "without one it stays"],
  [[500], "with a young one it stays"],
  [[100, 500], "with an old one it goes as well"],
])("a segment that compaction left without records has the time of the next with some: %j, %s", (times) => {
  const emptied = { nextOffset: 10, sizeBytes: 50, maxTimestampMs: -1 };
  const timed = times.map((maxTimestampMs, n) => ({
    nextOffset: 20 + 10 * n,
    sizeBytes: 100,
    maxTimestampMs,
  }));
  const config = { ...KEEPS, retentionMs: 600 };
  const gone = times.length === 2 ? ["time", "time"] : [];
  expect(planned({ segments: [emptied, ...timed], config })).toEqual(gone);
});

test("an empty active segment never goes", () => {
  const idle = [...segments, { nextOffset: 40, sizeBytes: 0, maxTimestampMs: -1 }];
  expect(planned({ segments: idle, config: { ...KEEPS, retentionMs: 0 } })).toHaveLength(4);
});

test("reasons may differ, and what the time takes counts for the size", () => {
  const config = { ...KEEPS, retentionMs: 700, retentionBytes: 300 };
  expect(planned({ logStartOffset: 10, config })).toEqual(["log_start", "time"]);
});
