/** A truncation costs what it cuts, however much the log and its last segment hold. */
import { expect, test } from "vitest";
import { CountingDisk } from "./counting-disk.ts";
import { batch, worldOn } from "./log-world.ts";

/** What is read to cut the last three of `batches`, in one segment; opened anew, so that nothing is in memory. */
async function bytesReadToCut(batches: number): Promise<number> {
  const disk = new CountingDisk();
  for (const folder of disk.makeFolder("/data/broker-1")) disk.syncFolder(folder);
  const { open, trace } = worldOn(disk, { segmentBytes: 1 << 20, indexIntervalBytes: 1000 });
  const log = open();
  for (let n = 0; n < batches; n++) log.append(batch(["v".repeat(200)], 1000 + n), 0);
  await log.close();
  const again = open({ create: false });
  disk.reads.length = 0;
  await again.truncateTo(batches - 3);
  expect(again.logEndOffset).toBe(batches - 3);
  expect(trace.of("index_rebuilt")).toEqual([]);
  const total = disk.reads.reduce((sum, bytes) => sum + bytes, 0);
  // The indexes are read whole: 20 bytes for each interval of the segment.
  const indexBytes = 20 * Math.ceil((batches * 300) / 1000);
  return total - indexBytes;
}

test("as much of the segment is read for a large one as for a small one: an interval or two", async () => {
  const [small, large] = [await bytesReadToCut(30), await bytesReadToCut(3000)];
  expect(large).toBeLessThan(10_000);
  expect(large).toBeLessThanOrEqual(1.5 * small + 2000);
});
