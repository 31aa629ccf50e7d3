import { expect, test } from "vitest";
import { plannedSeek, type SeekTarget } from "./seek-plan.ts";

const PLACE = { topic: "orders", partition: 1, committed: 12, start: 10, end: 20, atTime: null };

test.each<[SeekTarget, number, number | null]>([
  [{ kind: "earliest" }, 10, null],
  [{ kind: "latest" }, 20, null],
  [{ kind: "offset", offset: 15 }, 15, null],
  [{ kind: "offset", offset: 20 }, 20, null],
  [{ kind: "offset", offset: 3 }, 10, 3],
  [{ kind: "offset", offset: 99 }, 20, 99],
  [{ kind: "shift", by: 5 }, 17, null],
  [{ kind: "shift", by: -2 }, 10, null],
  [{ kind: "shift", by: -3 }, 10, 9],
  [{ kind: "shift", by: 9 }, 20, 21],
  [{ kind: "time", timestampMs: 5 }, 20, null],
])(
  "%j goes to %i, within the log, and says what was asked for where that is another",
  (target, newOffset, asked) => {
    expect(plannedSeek(PLACE, target)).toEqual({
      topic: "orders",
      partition: 1,
      oldOffset: 12,
      newOffset,
      asked,
    });
  },
);

test("a time is the first record of it or later", () => {
  const plan = plannedSeek({ ...PLACE, atTime: 14, committed: null }, { kind: "time", timestampMs: 5 });
  expect(plan).toMatchObject({ oldOffset: null, newOffset: 14 });
});

test("what was never committed cannot be shifted", () => {
  expect(() => plannedSeek({ ...PLACE, committed: null }, { kind: "shift", by: 1 })).toThrow(
    "nothing is committed for orders [1]",
  );
});
