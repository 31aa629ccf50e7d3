import { expect, test } from "vitest";
import { EXIT } from "./exit-codes.ts";
import { exitCodeOf } from "./outcome.ts";

const storage = (details: { readonly [name: string]: unknown }) => ({
  code: "STORAGE_ERROR",
  retriable: false,
  message: "",
  details,
});

test("damage ends with its own exit code, and a disk that refused does not", () => {
  expect(exitCodeOf(storage({ file: "0.log", position: 3, expected: "the whole batch of offset 33" }))).toBe(
    EXIT.damaged,
  );
  expect(exitCodeOf(storage({ file: "0.log" }))).toBe(EXIT.unexpected);
});
