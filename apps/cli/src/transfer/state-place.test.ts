import { expect, test } from "vitest";
import { stateFileName } from "./state-place.ts";

test("a state is named after its topics", () => {
  expect(stateFileName("orders", "orders")).toBe("orders.jsonl");
  expect(stateFileName("orders", "copies")).toBe("orders~copies.jsonl");
});

test("no two transfers share a state, whatever their topics are called", () => {
  expect(stateFileName("a", "b")).not.toBe(stateFileName("a_as_b", "a_as_b"));
  // One that is shortened, and one whose copy is called like what the shortened one ends in.
  const shortened = stateFileName("a".repeat(249), "b").replace(".jsonl", "");
  const hash = shortened.slice(-32);
  const start = shortened.slice(0, -32).replace(/~+$/, "");
  expect(stateFileName(start, hash)).not.toBe(`${shortened}.jsonl`);
  expect(stateFileName(`${start}a`, hash)).not.toBe(`${shortened}.jsonl`);
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
