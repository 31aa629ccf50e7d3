/** More partitions than descriptors: every promise holds all the same. */
import { mkdtempSync, readdirSync, readlinkSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { DiskFile, OpenFileOptions } from "../src/env/disk.ts";
import { MemoryDisk } from "../src/env/memory-disk.ts";
import { NodeDisk } from "../src/env/node-disk.ts";
import { append, openCluster, valuesOf } from "./cluster-world.ts";
import { rejection, worldOn } from "./world.ts";

const PARTITIONS = 300;
const BUDGET = 10;
const all = Array.from({ length: PARTITIONS }, (_, partition) => ({ topic: "orders", partition }));
const ORDERS_0 = { topic: "orders", partition: 0 };
const config = { openFilesMax: BUDGET, segmentBytes: 1024 };

/** 30 records each, which is several segments; the last of them is acknowledged by the disk. */
async function produceEverywhere(cluster: BrokerCluster): Promise<void> {
  for (let n = 0; n < 30; n++)
    for (const place of all) await append(cluster, place, `${place.partition}:${n}`.padEnd(80, "."), 1);
  await Promise.all(all.map((place) => append(cluster, place, `${place.partition}:last`, "all")));
}

function expectEverything(cluster: BrokerCluster): void {
  for (const place of all) {
    const values = valuesOf(cluster, place);
    expect(values).toHaveLength(31);
    expect(values[7]?.startsWith(`${place.partition}:7.`)).toBe(true);
    expect(values.at(-1)).toBe(`${place.partition}:last`);
  }
}

test("300 logs share ten descriptors: produced, flushed, fetched, closed and opened again", async () => {
  const disk = new MemoryDisk();
  const cluster = await openCluster(worldOn(disk), config);
  cluster.createTopic({ topic: "orders", partitions: PARTITIONS });
  await produceEverywhere(cluster);
  expect(cluster.replicaSet(ORDERS_0).leaderLog.segments().length).toBeGreaterThan(2);
  expectEverything(cluster);
  await cluster.steps.flushLogs();
  await cluster.close();
  expect(disk.openFiles.now).toBe(0);
  const again = await openCluster(worldOn(disk), config);
  expectEverything(again);
  await again.crash();
  disk.crash({ mode: "lost" });
  expectEverything(await openCluster(worldOn(disk), config));
  expect(disk.openFiles.peak).toBeLessThanOrEqual(BUDGET);
});

test("a power cut in the middle takes nothing that was acknowledged by the disk", async () => {
  const disk = new MemoryDisk();
  const cluster = await openCluster(worldOn(disk), config);
  cluster.createTopic({ topic: "orders", partitions: PARTITIONS });
  for (const place of all) await append(cluster, place, "kept", place.partition % 3 === 0 ? "all" : 1);
  for (const place of all) await append(cluster, place, "perhaps", 1);
  disk.crash({ mode: "lost" });
  const again = await openCluster(worldOn(disk), config);
  for (const place of all.filter(({ partition }) => partition % 3 === 0))
    expect(valuesOf(again, place)[0]).toBe("kept");
  await again.close();
});

test("a file that somebody removed is noticed, whether it had a descriptor or not", async () => {
  const disk = new MemoryDisk();
  const cluster = await openCluster(worldOn(disk), config);
  cluster.createTopic({ topic: "orders", partitions: PARTITIONS });
  for (const place of all) await append(cluster, place, "first", "all");
  const segmentOf = (partition: number) => `/srv/data/broker-1/orders-${partition}/00000000000000000000.log`;
  for (const partition of [0, PARTITIONS - 1]) {
    const place = { topic: "orders", partition };
    if (partition !== 0) expect(valuesOf(cluster, place)).toEqual(["first"]);
    disk.remove(segmentOf(partition));
    const problem = await rejection(append(cluster, place, "second", "all"));
    expect(problem).toMatchObject({ code: partition === 0 ? "STORAGE_ERROR" : "BROKER_FAILED" });
    expect(String(problem)).toContain(segmentOf(partition));
  }
  await cluster.crash();
});

test("a file that somebody put in another's place while that had no descriptor is not taken for it", async () => {
  const disk = new MemoryDisk();
  const cluster = await openCluster(worldOn(disk), config);
  cluster.createTopic({ topic: "orders", partitions: PARTITIONS });
  for (const place of all) await append(cluster, place, "first", "all");
  const path = "/srv/data/broker-1/orders-0/00000000000000000000.log";
  const bytes = disk.files().get(path) ?? Buffer.alloc(0);
  disk.remove(path);
  const copy = disk.openFile(path, { create: "exclusive" });
  copy.writeAt(0, Uint8Array.from(bytes));
  copy.close();
  const refused = { code: "STORAGE_ERROR", message: expect.stringContaining("another file is in its place") };
  expect(await rejection(append(cluster, ORDERS_0, "second", "all"))).toMatchObject(refused);
  expect(() => valuesOf(cluster, ORDERS_0)).toThrow(expect.objectContaining(refused));
  await cluster.crash();
});

test("a sync that failed for want of descriptors fails the broker that asks for it, not another's append", async () => {
  const disk = new MemoryDisk();
  const cluster = await openCluster(worldOn(disk), config);
  cluster.createTopic({ topic: "orders", partitions: PARTITIONS });
  const failure = disk.fail({ operation: "sync", code: "EIO", path: /orders-0\// });
  for (const place of all) await append(cluster, place, "a", 1);
  expect(failure.hits).toBe(1);
  expect(await rejection(append(cluster, ORDERS_0, "b", "all"))).toMatchObject({
    code: "BROKER_FAILED",
  });
  await cluster.crash();
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

/** Asks the system itself after each opening. */
class WatchedDisk extends NodeDisk {
  readonly #folder: string;
  openPeak = 0;

  constructor(folder: string) {
    super();
    this.#folder = folder;
  }

  override openFile(path: string, options?: OpenFileOptions): DiskFile {
    const file = super.openFile(path, options);
    this.openPeak = Math.max(this.openPeak, openBelow(this.#folder).length);
    return file;
  }
}

test("so do 60 logs on the disk of this machine", async ({ skip }) => {
  skip(process.platform !== "linux", "Linux alone counts a process's files in /proc");
  const folder = mkdtempSync(join(tmpdir(), "minikafka-many-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const disk = new WatchedDisk(folder);
  const cluster = await openCluster(worldOn(disk), { ...config, dataFolder: folder });
  cluster.createTopic({ topic: "orders", partitions: 60 });
  const places = all.slice(0, 60);
  await Promise.all(places.map((place) => append(cluster, place, "early", "all")));
  for (const place of places) expect(valuesOf(cluster, place)).toEqual(["early"]);
  expect(disk.openPeak).toBeGreaterThan(0);
  expect(disk.openPeak).toBeLessThanOrEqual(BUDGET);
  unlinkSync(join(folder, "broker-1/orders-7/00000000000000000000.log"));
  expect(await rejection(append(cluster, { topic: "orders", partition: 7 }, "late", 1))).toMatchObject({
    code: "STORAGE_ERROR",
  });
  await cluster.crash();
  expect(openBelow(folder)).toEqual([]);
});
