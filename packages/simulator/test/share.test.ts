import { expect, test } from "vitest";
import { newTally } from "../src/run/campaign.ts";
import { inThread } from "../src/run/share.ts";

/** Tells of each seed that it was tried; of those in `hung` it waits for what nothing does. */
function threadThatHangsAt(...hung: number[]): URL {
  const text = `
    import { parentPort, workerData } from "node:worker_threads";
    const { first, step, count } = workerData;
    for (let index = 0; index < count; index++) {
      if (${JSON.stringify(hung)}.includes(first + index * step)) await new Promise(() => {});
      parentPort.postMessage({ found: null, tally: { ...${JSON.stringify(newTally())}, seeds: 1 } });
    }
    parentPort.postMessage("over");`;
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`);
}

async function take(file: URL): Promise<{ seeds: number; found: string[] }> {
  const found: string[] = [];
  let seeds = 0;
  await inThread(file, { first: 11, step: 2, count: 4, untilMs: null }, (each, tally) => {
    seeds += tally.seeds;
    if (each !== null) found.push(`${each.seed} ${each.violation.what}`);
  });
  return { seeds, found };
}

test("a seed whose run never ends is found, and those behind it are tried all the same", async () => {
  expect(await take(threadThatHangsAt())).toEqual({ seeds: 4, found: [] });
  expect(await take(threadThatHangsAt(13))).toEqual({ seeds: 3, found: ["13 never-ended"] });
  expect(await take(threadThatHangsAt(11, 17))).toEqual({
    seeds: 2,
    found: ["11 never-ended", "17 never-ended"],
  });
});

test("a thread that fails is not taken for one that is over", async () => {
  const file = new URL(`data:text/javascript,${encodeURIComponent('throw new Error("broken");')}`);
  const found: unknown[] = [];
  const share = { first: 1, step: 1, count: 2, untilMs: null };
  await expect(inThread(file, share, (each) => found.push(each))).rejects.toThrow("broken");
  expect(found).toEqual([]);
});
