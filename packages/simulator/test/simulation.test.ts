import { expect, test } from "vitest";
import { simulateSeed } from "../src/run/seed.ts";

test("the same seed gives the same run, to the last event", async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const first = await simulateSeed(seed, { isHashed: true });
    const second = await simulateSeed(seed, { isHashed: true });
    expect(second.world.witness.hash, `seed ${seed}`).toBe(first.world.witness.hash);
    expect(second.world.recorder.operations).toEqual(first.world.recorder.operations);
  }
});

test("another seed is another run", async () => {
  const hashes = new Set<number | null>();
  for (let seed = 1; seed <= 5; seed++)
    hashes.add((await simulateSeed(seed, { isHashed: true })).world.witness.hash);
  expect(hashes.size).toBe(5);
});

test("after the faults every run comes together", async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const { violation } = await simulateSeed(seed);
    expect(violation, `seed ${seed}`).toBeNull();
  }
});
