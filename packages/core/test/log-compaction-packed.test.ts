/** Compaction of a log of compressed batches through its own door. */
import { packedFrame, readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { compactedWorld, done, framesOf, type KeyValue, keyed, left, request } from "./compaction-world.ts";
import { gzipOnly } from "./packing.ts";

/** Two records in each batch, of keys a to d in turn, in small batches of many bytes. */
async function packedLog(batches: number): Promise<PartitionLog> {
  const log = compactedWorld().open();
  for (let number = 0; number < batches; number += 1) {
    const pairs = [0, 1].map((of): KeyValue => {
      const key = "abcd".charAt((number + of) % 4);
      return [key, `${key}${number}`.padEnd(1_500, ".")];
    });
    log.append(packedFrame(keyed(pairs), "gzip", gzipOnly), 0);
  }
  await log.flush();
  return log;
}

test("the latest record of each key stays, in batches that are packed as before", async () => {
  const log = await packedLog(30);
  const activeFrom = log.segments().at(-1)?.baseOffset ?? 0;
  const { recordsKept, recordsDropped } = done(await log.compact(request(log)));
  expect([recordsKept, recordsDropped]).toEqual([4, activeFrom - 4]);
  const below = left(log).filter((line) => Number.parseInt(line, 10) < activeFrom);
  expect(new Set(below.map((line) => line.split(" ")[1]?.charAt(0)))).toEqual(new Set(["a", "b", "c", "d"]));
  const withRecords = framesOf(log)
    .map((frame) => readBatchHeader(frame))
    .filter(({ recordCount }) => recordCount > 0);
  expect(withRecords.map(({ codec }) => codec)).toEqual(withRecords.map(() => "gzip"));
});

test("a pass rests by what batches unpack to, not by what they are packed to", async () => {
  const log = await packedLog(30);
  const bytes = log.segments().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let rests = 0;
  const pause = async () => {
    rests += 1;
  };
  const chunkBytes = 5_000;
  done(await log.compact(request(log, { pause, chunkBytes })));
  // Twice 30 batches of 3000 bytes, while all files together are no more than two chunks.
  expect(bytes).toBeLessThan(2 * chunkBytes);
  expect(rests).toBeGreaterThan(20);
});
