import { expect, test } from "vitest";
import type { OffsetSpec } from "../input/offset-spec.ts";
import { beginOf, type LogBounds } from "./span.ts";

const BOUNDS: LogBounds = { start: 10, end: 20, atTime: null };

test.each<[OffsetSpec, Partial<LogBounds>, number]>([
  [{ kind: "beginning" }, {}, 10],
  [{ kind: "end" }, {}, 20],
  [{ kind: "last", count: 3 }, {}, 17],
  [{ kind: "last", count: 0 }, {}, 20],
  [{ kind: "time", timestampMs: 1 }, { atTime: 12 }, 12],
  [{ kind: "offset", offset: 15 }, {}, 15],
])("%j in a log of %j begins at %i", (spec, bounds, begin) => {
  expect(beginOf(spec, { ...BOUNDS, ...bounds })).toBe(begin);
});

test("the last N are all there are when there are fewer", () => {
  expect(beginOf({ kind: "last", count: 1_000 }, BOUNDS)).toBe(10);
});

test("a time that no record has reached begins with what comes next", () => {
  expect(beginOf({ kind: "time", timestampMs: 1 }, BOUNDS)).toBe(20);
});

test("an offset outside the log is not bent into it: the broker refuses it", () => {
  expect(beginOf({ kind: "offset", offset: 9 }, BOUNDS)).toBe(9);
  expect(beginOf({ kind: "offset", offset: 21 }, BOUNDS)).toBe(21);
});
