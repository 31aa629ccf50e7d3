/** What a truncation takes of a log, it takes from what the log knows of its producers too. */
import { encodeBatch, readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { batch, type LogWorld, newWorld, worldOn } from "./log-world.ts";
import { told, walked } from "./producers-world.ts";

/** Batches of three producers by turns, each with its next sequence; each fifth is nobody's. Flushed now and then. */
async function written(
  world: LogWorld,
  { count = 30 } = {},
): Promise<{ log: PartitionLog; frames: Buffer[] }> {
  const log = world.open();
  const frames: Buffer[] = [];
  for (let n = 0; n < count; n++) {
    const value = Buffer.from("v".repeat(1 + ((n * 7) % 60)));
    const records = [{ key: null, value, timestampMs: 5, headers: [] }];
    const sender = { producerId: n % 3, producerEpoch: 0, baseSequence: Math.floor(n / 3) };
    frames.push(encodeBatch(n % 5 === 0 ? { records } : { records, ...sender }));
    log.append(frames.at(-1) ?? Buffer.alloc(0), 0);
    if (n % 5 === 4) await log.flush();
  }
  return { log, frames };
}

test.each(["unflushed", "flushed", "reopened"] as const)(
  "what a truncation takes of a log that is %s, it takes from the producers too, at once and for good",
  async (state) => {
    const { frames: all } = await written(newWorld());
    const ends = [0, ...all.map((frame) => readBatchHeader(frame).nextOffset)];
    for (const end of ends) {
      const world = newWorld();
      const { frames, log: first } = await written(world, { count: state === "unflushed" ? 4 : 30 });
      if (state === "reopened") await first.close();
      const log = state === "reopened" ? world.open({ create: false }) : first;
      await log.truncateTo(end);
      expect(told(log.producers())).toEqual(walked(frames, end));
      log.append(batch(["behind"]), 0);
      await log.flush();
      const crashed = world.disk.clone();
      crashed.crash({ mode: "lost" });
      await log.close();
      for (const disk of [crashed, world.disk]) {
        const again = worldOn(disk).open({ create: false });
        expect(told(again.producers())).toEqual(walked(frames, end));
        again.abandon();
      }
    }
  },
);

test.each(["EMFILE", "ENFILE"])(
  "a truncation that finds no descriptor (%s) can be taken again: the log stays on line and takes appends, whichever file it was",
  async (code) => {
    let refusals = 0;
    for (let nth = 1; ; nth++) {
      const world = newWorld();
      const { log: first, frames } = await written(world);
      await first.close();
      const log = world.open({ create: false });
      const failure = world.disk.fail({ operation: "open", code, times: { nth } });
      const problem = await log.truncateTo(11).catch((thrown: unknown) => thrown);
      if (problem !== undefined) {
        expect(problem).toMatchObject({ code: "STORAGE_ERROR" });
        refusals += 1;
      }
      if (failure.fired === 0) {
        expect(refusals).toBeGreaterThan(5);
        return;
      }
      const seen = `open number ${nth}`;
      expect(log.isOffline, seen).toBe(false);
      expect(told(log.producers()), seen).toEqual(walked(frames, log.logEndOffset));
      await log.truncateTo(11);
      expect([log.logEndOffset, told(log.producers())], seen).toEqual([11, walked(frames, 11)]);
      log.append(batch(["behind"]), 0);
      await log.close();
      world.disk.crash({ mode: "lost" });
      const again = world.open({ create: false });
      expect([again.logEndOffset, told(again.producers())], seen).toEqual([12, walked(frames, 11)]);
    }
  },
);

test("a log that begins anew knows no producer, and keeps no snapshot", async () => {
  const world = newWorld();
  const { log } = await written(world);
  await log.restartAt(500);
  expect(log.producers()).toEqual([]);
  await log.close();
  expect([...world.disk.files().keys()].filter((path) => path.endsWith(".snapshot"))).toEqual([]);
  expect(world.open({ create: false }).producers()).toEqual([]);
});
