import { expect, test } from "vitest";
import { counted, sizesText } from "./sizes-text.ts";

test("one is singular, and none is not", () => {
  expect(sizesText({ segments: 1, batches: 1, records: 0, bytes: 2 })).toBe(
    "1 segment, 1 batch, 0 records, 2 bytes",
  );
  expect(counted(1, "index", "indexes")).toBe("1 index");
});
