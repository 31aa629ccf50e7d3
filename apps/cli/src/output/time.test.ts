import { expect, test } from "vitest";
import { parseDuration } from "../input/arguments.ts";
import { durationText, timeCell, timeText } from "./time.ts";

test("a moment is one word with its zone, and what no calendar reaches stays a number", () => {
  expect(timeText(0)).toBe("1970-01-01T00:00:00.000Z");
  expect(timeText(Number.MAX_SAFE_INTEGER)).toBe("9007199254740991");
  expect(timeCell(null)).toBeNull();
});

test.each([
  [0, "0ms"],
  [999, "999ms"],
  [1000, "1s"],
  [10_001, "10.001s"],
  [60_000, "1m"],
  [3_600_001, "1h0.001s"],
  [604_717_637, "6d23h58m37.637s"],
  [604_800_000, "7d"],
  [96_622_329_321, "1118d7h32m9.321s"],
])("%i ms are %s, which is taken as a duration again", (durationMs, text) => {
  expect(durationText(durationMs)).toBe(text);
  expect(parseDuration(text)).toBe(durationMs);
});
