import { expect, test } from "vitest";
import { runOf } from "../src/run/campaign.ts";
import { shrink } from "../src/run/shrink.ts";
import type { Run } from "../src/run/simulation.ts";
import { readScript, scriptText } from "../src/script/script-file.ts";
import { entryWords, shapeWords } from "../src/script/words.ts";

const run = runOf(7);
const [culprit, other] = [run.script[40], run.script[150]];

async function hasBoth({ script }: Run): Promise<boolean> {
  return culprit !== undefined && other !== undefined && script.includes(culprit) && script.includes(other);
}

test("a script is made as small as what is needed of it", async () => {
  const { run: smallest, tried } = await shrink(run, hasBoth, 1000);
  expect(smallest.script).toEqual([culprit, other]);
  expect(tried).toBeLessThan(200);
});

test("so is its shape: what no entry needs goes, and messages take no time", async () => {
  const { run: smallest } = await shrink(run, hasBoth, 1000);
  expect(smallest.shape.network).toEqual({ delayMsMax: 0, lossPermille: 0 });
  expect(smallest.shape.clients.length).toBeLessThanOrEqual(2);
});

test("it takes no more runs than it may", async () => {
  let asked = 0;
  const counted = async (smaller: Run) => {
    asked++;
    return hasBoth(smaller);
  };
  const { tried } = await shrink(run, counted, 10);
  expect([tried, asked]).toEqual([10, 10]);
});

test("a run is the same after it was a file, and another version is refused", () => {
  expect(readScript("run.json", scriptText(run))).toEqual(run);
  const newer = scriptText(run).replace('"version": 1', '"version": 2');
  for (const text of [newer, "{", "null", "7"])
    expect(() => readScript("run.json", text)).toThrow("run.json");
});

test("entries and shapes are lines that name everything that was drawn", () => {
  const lines = run.script.map(entryWords);
  expect(lines.every((line) => /^ *\d+ ms {2}[a-z_]+/.test(line))).toBe(true);
  expect(shapeWords(run.shape).join("\n")).toContain(`brokers=${run.shape.brokers}`);
});
