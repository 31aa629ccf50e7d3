/** A topic can be deleted on a disk that is full to the last byte, for which a few bytes are put by. */
import { expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { append, FOLDER, openCluster, valuesOf } from "./cluster-world.ts";
import { memoryWorld, worldOn } from "./world.ts";

const RESERVE = { reserveBytes: 65_536 };
const PATH = `${FOLDER}/reserve`;
const OTHERS = { topic: "others", partition: 0 };

/** Nothing can be written as long as the reserve is there. */
function fillUp(disk: MemoryDisk): void {
  const write = { operation: "write", code: "ENOSPC", times: "always" } as const;
  const failure = disk.fail(write);
  const remove = disk.remove.bind(disk);
  disk.remove = (path) => {
    remove(path);
    if (path === PATH && failure.fired > 0) disk.stopFailing();
  };
}

async function twoTopics(world: ReturnType<typeof memoryWorld>, config = RESERVE) {
  const cluster = await openCluster(world, config);
  for (const topic of ["orders", "others"]) cluster.createTopic({ topic, partitions: 2 });
  await append(cluster, OTHERS, "kept", "all");
  return cluster;
}

test("a topic is deleted on a full disk, and what was put by for that is put by again", async () => {
  const world = memoryWorld();
  const cluster = await twoTopics(world);
  expect(world.disk.stat(PATH)?.sizeBytes).toBe(RESERVE.reserveBytes);
  fillUp(world.disk);
  expect(() => cluster.alterConfig("orders", { retention_ms: 5 })).toThrow("no space left");
  expect(world.disk.stat(PATH)?.sizeBytes).toBe(RESERVE.reserveBytes);
  cluster.deleteTopic("orders");
  expect(cluster.hasTopic("orders")).toBe(false);
  expect(world.disk.stat(PATH)?.sizeBytes).toBe(RESERVE.reserveBytes);
  world.disk.crash({ mode: "lost" });
  const again = await openCluster(worldOn(world.disk), RESERVE);
  expect(again.hasTopic("orders")).toBe(false);
  expect(valuesOf(again, OTHERS)).toEqual(["kept"]);
});

test("without a reserve, and when it was not enough, the deletion is refused and the topic is whole", async () => {
  for (const config of [{ reserveBytes: 0 }, RESERVE]) {
    const world = memoryWorld();
    const cluster = await twoTopics(world, config);
    const failure = world.disk.fail({ operation: "write", code: "ENOSPC", times: "always" });
    expect(() => cluster.deleteTopic("others")).toThrow("no space left");
    failure.assertFired();
    expect(valuesOf(cluster, OTHERS)).toEqual(["kept"]);
    world.disk.stopFailing();
    cluster.deleteTopic("others");
    expect(world.disk.stat(PATH)?.sizeBytes ?? 0).toBe(config.reserveBytes);
  }
});

test("a cluster opens on a disk that has no room for a reserve, and makes it at the next opening that has", async () => {
  const world = memoryWorld();
  const failure = world.disk.fail({ operation: "write", code: "ENOSPC", path: /reserve/, bytesWritten: 7 });
  await (await openCluster(world, RESERVE)).close();
  failure.assertFired();
  expect(world.disk.stat(PATH)).toBeNull();
  await (await openCluster(world, RESERVE)).close();
  expect(world.disk.stat(PATH)?.sizeBytes).toBe(RESERVE.reserveBytes);
});
