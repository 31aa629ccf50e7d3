import { expect, test } from "vitest";
import { Bounds } from "./bounds.ts";

const UNBOUND = { records: null, seconds: null, throughput: null };
const never = new AbortController().signal;

test("turns add up to the records that are wanted, and then there is none", async () => {
  const bounds = new Bounds({ ...UNBOUND, records: 250 }, never);
  const turns: number[] = [];
  for (let taken = 0; ; ) {
    const turn = await bounds.turn(taken, 100);
    if (turn === 0) break;
    turns.push(turn);
    taken += turn;
  }
  expect(turns).toEqual([100, 100, 50]);
});

test("a rate lets the first record go at once, and never more than are due", async () => {
  const beganMs = performance.now();
  const bounds = new Bounds({ ...UNBOUND, throughput: 200 }, never);
  expect(await bounds.turn(0, 100)).toBeGreaterThanOrEqual(1);
  let taken = 1;
  while (taken < 10) taken += await bounds.turn(taken, 100);
  // The nth is due after n - 1 times 5 ms; a busy machine may be later, and is never earlier.
  expect(performance.now() - beganMs).toBeGreaterThanOrEqual(9 * 5 - 1);
});

test("an interruption ends it, also while it waits for its rate", async () => {
  const interrupted = new AbortController();
  const bounds = new Bounds({ ...UNBOUND, throughput: 0.001 }, interrupted.signal);
  expect(await bounds.turn(0, 100)).toBe(1);
  const waiting = bounds.turn(1, 100);
  interrupted.abort();
  expect(await waiting).toBe(0);
  expect(await new Bounds(UNBOUND, interrupted.signal).turn(0, 100)).toBe(0);
});

test("seconds end it, also while it waits for its rate", async () => {
  const bounds = new Bounds({ ...UNBOUND, seconds: 0.02, throughput: 0.001 }, never);
  expect(await bounds.turn(0, 100)).toBe(1);
  expect(await bounds.turn(1, 100)).toBe(0);
});
