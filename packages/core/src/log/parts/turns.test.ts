import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

/** A promise and the hand that ends it. */
function gate(): { passed: Promise<void>; open: () => void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

test("a turn begins when the one before it has ended, in the order of asking", async () => {
  const turns = new Turns();
  const first = gate();
  const seen: string[] = [];
  const taken = [
    turns.take(async () => {
      seen.push("first begins");
      await first.passed;
      seen.push("first ends");
    }),
    turns.take(async () => seen.push("second")),
    turns.take(async () => seen.push("third")),
  ];
  expect(seen).toEqual([]);
  await Promise.resolve();
  await Promise.resolve();
  expect(seen).toEqual(["first begins"]);
  expect(turns.isTaken).toBe(true);
  first.open();
  await Promise.all(taken);
  expect(seen).toEqual(["first begins", "first ends", "second", "third"]);
  expect(turns.isTaken).toBe(false);
});

test("a turn that fails tells its own asker alone, and makes room", async () => {
  const turns = new Turns();
  const failed = turns.take(async () => {
    throw new Error("no disk");
  });
  const next = turns.take(async () => 7);
  await expect(failed).rejects.toThrow("no disk");
  expect(await next).toBe(7);
});
