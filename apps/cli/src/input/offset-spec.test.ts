import { expect, test } from "vitest";
import { parseOffsetSpec, parseTime } from "./offset-spec.ts";

test.each([
  ["beginning", { kind: "beginning" }],
  ["earliest", { kind: "beginning" }],
  ["end", { kind: "end" }],
  ["latest", { kind: "end" }],
  ["0", { kind: "offset", offset: 0 }],
  ["42", { kind: "offset", offset: 42 }],
  ["-3", { kind: "last", count: 3 }],
  ["@1700000000000", { kind: "time", timestampMs: 1_700_000_000_000 }],
  ["@2026-01-31T12:00:00Z", { kind: "time", timestampMs: Date.UTC(2026, 0, 31, 12) }],
  ["@2026-01-31T12:00:00.5+01:00", { kind: "time", timestampMs: Date.UTC(2026, 0, 31, 11, 0, 0, 500) }],
])("-o %s is understood", (text, spec) => {
  expect(parseOffsetSpec(text)).toEqual(spec);
});

test.each(["", "middle", "1.5", "+1", "@", "@-1", "@2026-01-31", "@2026-01-31T12:00:00", "9007199254740993"])(
  "-o %j is refused: it is no place, or not the same place everywhere",
  (text) => {
    expect(() => parseOffsetSpec(text)).toThrow("Expected beginning, end");
  },
);

test("--time takes what -o takes as a time, with or without the @, and says so of anything else", () => {
  expect(parseTime("1700000000000")).toBe(1_700_000_000_000);
  expect(parseTime("2026-01-31T12:00:00Z")).toBe(Date.UTC(2026, 0, 31, 12));
  expect(parseTime("@5")).toBe(5);
  for (const text of ["", "@", "-1", "1.5", "now", "2026-01-31", "2026-01-31T12:00:00", "9007199254740993"])
    expect(() => parseTime(text), text).toThrow("Expected ms since 1970");
});
