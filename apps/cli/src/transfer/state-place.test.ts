import { expect, test } from "vitest";
import { stateFileName } from "./state-place.ts";

test("a state is named after its topics", () => {
  expect(stateFileName("orders", "orders")).toBe("orders.jsonl");
  expect(stateFileName("orders", "copies")).toBe("orders_as_copies.jsonl");
});

test("the longest topics have names that fit, and each its own", () => {
  const long = "a".repeat(248);
  const names = [
    stateFileName(`${long}b`, `${long}b`),
    stateFileName(`${long}c`, `${long}c`),
    stateFileName(`${long}b`, `${long}c`),
    stateFileName(`${long}c`, `${long}b`),
    stateFileName("a".repeat(240), "a".repeat(240)),
  ];
  for (const name of names) expect(`${name}.lock`.length).toBeLessThanOrEqual(255);
  expect(new Set(names).size).toBe(names.length);
});
