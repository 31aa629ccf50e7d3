/** What a log knows of its producers outlives the batches that it learned it from: through retention and compaction. */
import { readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import { requireInSequence } from "../src/replica/sequence-check.ts";
import { compactedWorld, framesOf, keyed, request } from "./compaction-world.ts";
import { newWorld, worldOn } from "./log-world.ts";

/** Batches of one record each, of two producers by turns, all of one key but for the last one. */
const sent = (number: number) => {
  const producing = { producerId: number % 2, producerEpoch: 0, baseSequence: Math.floor(number / 2) };
  return keyed([["k", `${number}`.padEnd(90, ".")]], 1000 + number, producing);
};

test("a producer whose batches are all gone by retention is known, also after a restart", async () => {
  const world = newWorld({ retentionMs: 100 });
  const log = world.open();
  for (let number = 0; number < 10; number++) log.append(sent(number), 0);
  await log.roll();
  await log.applyRetention({ nowMs: 100_000, highWatermark: log.logEndOffset });
  expect(log.logStartOffset).toBe(10);
  const before = log.producers();
  expect(before).toHaveLength(2);
  await log.close();
  const again = worldOn(world.disk, { retentionMs: 100 }).open({ create: false });
  expect(again.producers()).toEqual(before);
  expect(requireInSequence(readBatchHeader(sent(9)), again.producer(1), 5)).toMatchObject({ baseOffset: 9 });
});

test("a compaction leaves each producer's last batch, so that its sequence is known without any snapshot", async () => {
  const world = compactedWorld();
  const log = world.open();
  for (let number = 0; number < 20; number++) log.append(sent(number), 0);
  await log.roll();
  log.append(keyed([["other", "value"]]), 0);
  await log.flush();
  const before = log.producers();
  expect(await log.compact(request(log))).not.toBeNull();
  expect(framesOf(log).filter((frame) => readBatchHeader(frame).recordCount > 0).length).toBeLessThan(4);
  expect(log.producers()).toEqual(before);
  await log.close();
  const reopened = worldOn(world.disk, { compacts: true }).open({ create: false });
  expect(reopened.producers()).toEqual(before);
  await reopened.close();
  for (const path of [...world.disk.files().keys()]) if (path.endsWith(".snapshot")) world.disk.remove(path);
  const walked = worldOn(world.disk, { compacts: true }).open({ create: false });
  for (const number of [18, 19]) {
    const header = readBatchHeader(sent(number));
    expect(requireInSequence(header, walked.producer(number % 2), 5)).toMatchObject({ baseOffset: number });
    const next = readBatchHeader(sent(number + 2));
    expect(requireInSequence(next, walked.producer(number % 2), 5)).toBeNull();
  }
});
