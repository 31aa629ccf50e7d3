import { expect, test } from "vitest";
import { MANIFEST_VERSION } from "./manifest-file.ts";
import { formatManifest, parseManifest } from "./manifest-payload.ts";

const good = {
  topic_id: "5f0c9c6e-7f0b-4d6c-9a3e-2b8f4f1f9b11",
  partition: 2,
  log_start_offset: 10,
  recovery_point: { offset: 35, segment_base_offset: 30, position: 400, max_timestamp_ms: 77 },
  sealed: [
    { base_offset: 10, next_offset: 20, size_bytes: 900, max_timestamp_ms: 50 },
    { base_offset: 20, generation: 3, next_offset: 30, size_bytes: 901, max_timestamp_ms: -1 },
  ],
  leader_epochs: [
    { leader_epoch: 2, start_offset: 10 },
    { leader_epoch: 5, start_offset: 24 },
  ],
  obsolete: ["00000000000000000000.log", "00000000000000000020.log", "00000000000000000020-2.log"],
};
const [first, second] = good.sealed;
const EPOCH = { leader_epoch: 2, start_offset: 10 };

test("a manifest says what is sealed and where recovery begins", () => {
  const manifest = parseManifest(good, MANIFEST_VERSION);
  expect(manifest.sealed.map(({ baseOffset }) => baseOffset)).toEqual([10, 20]);
  expect(manifest.sealed.map(({ generation }) => generation)).toEqual([0, 3]);
  expect(manifest.obsolete).toEqual(good.obsolete);
  expect(manifest.leaderEpochs).toEqual([
    { leaderEpoch: 2, startOffset: 10 },
    { leaderEpoch: 5, startOffset: 24 },
  ]);
  expect(manifest.recoveryPoint).toEqual({
    offset: 35,
    segmentBaseOffset: 30,
    segmentGeneration: 0,
    position: 400,
    maxTimestampMs: 77,
    aborted: null,
  });
});

test("a manifest says how many abort markers a segment has, and where the first of what they abort began", () => {
  const aborted = { count: 3, first_offset: 4 };
  const point = { ...good.recovery_point, aborted: { count: 1, first_offset: 12 } };
  const payload = { ...good, sealed: [{ ...first, aborted }, second], recovery_point: point };
  const manifest = parseManifest(payload, MANIFEST_VERSION);
  expect(manifest.sealed.map(({ aborted: known }) => known)).toEqual([{ count: 3, firstOffset: 4 }, null]);
  expect(manifest.recoveryPoint.aborted).toEqual({ count: 1, firstOffset: 12 });
  expect(parseManifest(formatManifest(manifest), MANIFEST_VERSION)).toEqual(manifest);
});

test("a field that the program does not know yet changes nothing", () => {
  const known = parseManifest(good, MANIFEST_VERSION);
  expect(parseManifest({ ...good, colour: "blue" }, MANIFEST_VERSION)).toEqual(known);
});

test("a manifest of version 1 has no generations, nothing obsolete, and was written by leaders of epoch 0", () => {
  const {
    obsolete: _,
    leader_epochs: __,
    ...old
  } = { ...good, sealed: [first, { ...second, generation: undefined }] };
  const payload = JSON.parse(JSON.stringify(old));
  const manifest = parseManifest(payload, 1);
  expect(manifest.obsolete).toEqual([]);
  expect(manifest.leaderEpochs).toEqual([{ leaderEpoch: 0, startOffset: 10 }]);
  expect(manifest.sealed.map(({ generation }) => generation)).toEqual([0, 0]);
  expect(() => parseManifest(payload, 2)).toThrow("leader_epochs");
});

test("a manifest says how far compaction has come, and when it may drop more; where nothing is said, nowhere and never", () => {
  const clean = { first_dirty_offset: 25, next_horizon_ms: 9000 };
  expect(parseManifest({ ...good, ...clean }, MANIFEST_VERSION)).toMatchObject({
    firstDirtyOffset: 25,
    nextHorizonMs: 9000,
  });
  expect(parseManifest(good, MANIFEST_VERSION)).toMatchObject({ firstDirtyOffset: 0, nextHorizonMs: null });
});

test.each([
  ["a clean part that reaches beyond what is sealed", { ...good, first_dirty_offset: 31 }],
  ["a first dirty offset that is no number", { ...good, first_dirty_offset: null }],
  ["a delete horizon before 1970", { ...good, next_horizon_ms: -1 }],
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
  ["an obsolete name of no segment", { ...good, obsolete: ["00000000000000000000.index"] }],
  ["an obsolete path", { ...good, obsolete: ["../00000000000000000000.log"] }],
  ["an obsolete segment that counts", { ...good, obsolete: ["00000000000000000020-3.log"] }],
  ["an obsolete segment that is yet to come", { ...good, obsolete: ["00000000000000000031.log"] }],
  ["an epoch twice", { ...good, leader_epochs: [EPOCH, { ...EPOCH, start_offset: 12 }] }],
  ["two epochs at one offset", { ...good, leader_epochs: [EPOCH, { ...EPOCH, leader_epoch: 3 }] }],
  [
    "an epoch behind the recovery point",
    { ...good, leader_epochs: [EPOCH, { leader_epoch: 3, start_offset: 36 }] },
  ],
  ["records of no epoch", { ...good, leader_epochs: [{ ...EPOCH, start_offset: 11 }] }],
  ["records without epochs", { ...good, leader_epochs: [] }],
  ["no epochs", { ...good, leader_epochs: undefined }],
  [
    "no abort marker that is said",
    { ...good, sealed: [{ ...first, aborted: { count: 0, first_offset: 4 } }, second] },
  ],
  [
    "an aborted transaction that begins behind its end",
    { ...good, sealed: [{ ...first, aborted: { count: 1, first_offset: 20 } }, second] },
  ],
  [
    "one that begins behind the recovery point",
    { ...good, recovery_point: { ...good.recovery_point, aborted: { count: 1, first_offset: 35 } } },
  ],
  ["a generation of 0 that is said", { ...good, sealed: [first, { ...second, generation: 0 }] }],
  ["a negative number", { ...good, partition: -1 }],
  ["a number past 2^53", { ...good, partition: 2 ** 53 }],
  ["text for a number", { ...good, partition: "2" }],
  ["no list", { ...good, sealed: {} }],
  ["no object", []],
  ["nothing", null],
])("%s is refused", (_what, payload) => {
  expect(() => parseManifest(payload, MANIFEST_VERSION)).toThrow();
});
