import { expect, test } from "vitest";
import { LineMemory } from "./line-memory.ts";

test("a line's memory is used for the next that is as long or a little longer, and by one at a time", () => {
  const lines = new LineMemory(10_000);
  const first = lines.take(1_000);
  lines.giveBack(first);
  const second = lines.take(1_010);
  expect(second.length).toBe(1_010);
  expect(second.buffer).toBe(first.buffer);
  expect(lines.take(1_000).buffer).not.toBe(first.buffer);
  lines.giveBack(second);
  expect(lines.take(5_000).buffer).not.toBe(first.buffer);
});

test("memory beyond the bound is not kept", () => {
  const lines = new LineMemory(1_000);
  const line = lines.take(1_001);
  lines.giveBack(line);
  expect(lines.take(1_001).buffer).not.toBe(line.buffer);
});
