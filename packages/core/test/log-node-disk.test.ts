/** The same log on the disk of this machine. */
import { mkdtempSync, readdirSync, readlinkSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BoundedDisk } from "../src/env/bounded-disk.ts";
import { NodeDisk } from "../src/env/node-disk.ts";
import { segmentPath } from "../src/log/files/file-names.ts";
import { batch, readAll, worldOn } from "./log-world.ts";

let above: string;
let folder: string;

beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), "minikafka-log-"));
  folder = join(above, "orders-0");
});
afterEach(() => rmSync(above, { recursive: true, force: true }));

const world = () => worldOn(new NodeDisk(), { folder });

test("what was written is there after a close, and after a process that ended without one", async () => {
  const { open } = world();
  const log = open();
  const values = Array.from({ length: 50 }, (_, n) => `${n}`);
  for (const value of values) log.append(batch([value]), 0);
  await Promise.all([log.flush(), log.flush()]);
  expect(log.flushedOffset).toBe(50);
  await log.close();
  const second = world().open({ create: false });
  expect(readAll(second, { bytesMax: 300 })).toEqual(values);
  second.append(batch(["more"]), 0);
  second.abandon();
  const third = world().open({ create: false });
  expect(readAll(third)).toEqual([...values, "more"]);
  third.abandon();
});

test("a torn tail is cut back there as well", () => {
  const first = world().open();
  for (const value of ["a", "b", "c"]) first.append(batch([value]), 0);
  const size = first.segments()[0]?.sizeBytes ?? 0;
  first.abandon();
  truncateSync(segmentPath(folder, { baseOffset: 0, generation: 0 }), size - 5);
  const log = world().open({ create: false });
  expect(readAll(log)).toEqual(["a", "b"]);
  expect(log.append(batch(["d"]), 0).baseOffset).toBe(2);
  expect(readAll(log)).toEqual(["a", "b", "d"]);
  log.abandon();
});

test("a log that is abandoned while it flushes refuses those who wait, and can be opened at once", async () => {
  const log = world().open();
  for (let n = 0; n < 50; n++) log.append(batch([`${n}`]), 0);
  const flushed = log.flush();
  await Promise.resolve();
  await Promise.resolve();
  await Promise.resolve();
  log.abandon();
  const again = world().open({ create: false });
  again.append(batch(["more"]), 0);
  await expect(flushed).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  await again.close();
  const third = world().open({ create: false });
  expect(readAll(third)).toHaveLength(51);
  third.abandon();
});

/** The files below `folder` that this process has open. */
function openBelow(folder: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

test("a log that rolls a thousand times between two flushes keeps a few files open, and loses nothing", async ({
  skip,
}) => {
  skip(process.platform !== "linux", "Linux alone counts a process's files in /proc");
  const log = worldOn(new BoundedDisk(new NodeDisk(), 10), { folder }).open();
  const values = Array.from({ length: 1_000 }, (_, n) => `${n}`.padEnd(900, "."));
  for (const value of values) log.append(batch([value]), 0);
  expect(log.segments().length).toBeGreaterThan(100);
  expect(openBelow(folder).length).toBeLessThanOrEqual(10);
  await log.flush();
  expect(openBelow(folder).length).toBeLessThanOrEqual(10);
  expect(readAll(log)).toEqual(values);
  expect(openBelow(folder).length).toBeLessThanOrEqual(10);
  await log.close();
});
