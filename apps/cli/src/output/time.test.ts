import { expect, test } from "vitest";
import { timeCell, timeText } from "./time.ts";

test("a moment is one word with its zone, and what no calendar reaches stays a number", () => {
  expect(timeText(0)).toBe("1970-01-01T00:00:00.000Z");
  expect(timeText(Number.MAX_SAFE_INTEGER)).toBe("9007199254740991");
  expect(timeCell(null)).toBeNull();
});
