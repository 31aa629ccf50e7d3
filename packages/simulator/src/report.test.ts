import { expect, test } from "vitest";
import { neverReached, SEEDS_FOR_ALL } from "./report.ts";
import { newTally } from "./run/campaign.ts";
import { MARKS } from "./run/marks.ts";

test("what was never reached or asked is told once there were seeds enough to reach everything, and not of a few", () => {
  const [reached, ...others] = MARKS.map(String);
  const tally = { ...newTally(), asked: { durability: 0, order: 3 }, marks: { [reached ?? ""]: 1 } };
  const missing = [...others.map((mark) => `never reached: ${mark}`), "never asked: durability"];
  expect(neverReached({ ...tally, seeds: SEEDS_FOR_ALL })).toEqual(missing);
  expect(neverReached({ ...tally, seeds: SEEDS_FOR_ALL - 1 })).toEqual([]);
});
