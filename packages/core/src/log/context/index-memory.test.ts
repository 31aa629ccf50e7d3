import { expect, test } from "vitest";
import { IndexMemory } from "./index-memory.ts";

function indexes(memory: IndexMemory, bytes: readonly number[]) {
  const gone: number[] = [];
  const made = bytes.map((each, n) => ({
    bytes: each,
    giveWay() {
      gone.push(n);
      memory.forget(this);
    },
  }));
  return { gone, made };
}

test("what was not used for longest gives way first, and the one in use never", () => {
  const memory = new IndexMemory(100);
  const { gone, made } = indexes(memory, [40, 40, 40, 500]);
  const [first, second, third, large] = made as [never, never, never, never];
  for (const index of [first, second, first, third]) memory.noteUse(index);
  expect(gone).toEqual([1]);
  memory.noteUse(large);
  expect(gone).toEqual([1, 0, 2]);
  expect(memory.bytes).toBe(500);
});

test("an index counts for what it holds when it is used, and for nothing once it is forgotten", () => {
  const memory = new IndexMemory(100);
  const index = { bytes: 10, giveWay: () => {} };
  memory.noteUse(index);
  index.bytes = 30;
  expect(memory.bytes).toBe(10);
  memory.noteUse(index);
  expect(memory.bytes).toBe(30);
  memory.forget(index);
  memory.forget(index);
  expect(memory.bytes).toBe(0);
});
