/** On a disk that is full to the last byte what makes room goes on, and a stop is clean: a few bytes are put by for that. */
import { expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { append, batchOf, FOLDER, openCluster, valuesOf } from "./cluster-world.ts";
import { SmallDisk } from "./small-disk.ts";
import { memoryWorld, rejection, worldOn } from "./world.ts";

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
  const failure = world.disk.fail({ operation: "write", code: "ENOSPC", path: /reserve/, times: "always" });
  await (await openCluster(world, RESERVE)).close();
  failure.assertFired();
  world.disk.stopFailing();
  expect(world.disk.stat(PATH)).toBeNull();
  await (await openCluster(world, RESERVE)).close();
  expect(world.disk.stat(PATH)?.sizeBytes).toBe(RESERVE.reserveBytes);
});

test("where there is no room for the whole reserve, a part of it is put by", async () => {
  const disk = new SmallDisk();
  await (await openCluster(worldOn(disk), { reserveBytes: 0 })).close();
  disk.blocksMax = disk.usedBlocks + 10;
  await openCluster(worldOn(disk), RESERVE);
  expect(disk.stat(PATH)?.sizeBytes).toBe(RESERVE.reserveBytes / 2);
});

/** A cluster on a disk that its records have filled; a segment takes two of them. */
async function onFullDisk({ brokerIds = [1] } = {}) {
  const disk = new SmallDisk();
  const world = worldOn(disk);
  const settings = { ...RESERVE, brokerIds };
  const cluster = await openCluster(world, settings);
  const replicationFactor = brokerIds.length;
  cluster.createTopic({
    topic: "others",
    partitions: 1,
    replicationFactor,
    config: { segment_bytes: 10_000, retention_ms: -1 },
  });
  for (let n = 0; n < 7; n++) {
    await cluster.appendBatch(OTHERS, batchOf([`${n}`.padEnd(4500, ".")]), { acks: 1 });
    for (const _round of brokerIds) await cluster.replicateOnce();
  }
  disk.fillUp();
  const refused = cluster.appendBatch(OTHERS, batchOf(["x".repeat(9000)]), { acks: 1 });
  expect(await rejection(refused)).toMatchObject({ code: "STORAGE_ERROR" });
  return { disk, world, cluster, settings };
}

const numbersOf = (values: readonly string[]) => values.map((value) => Number.parseInt(value, 10));

test.each([[[1]], [[1, 2, 3]]])(
  "a stop of the brokers %j on a full disk is clean, and so is the next opening, which makes the reserve once there is room",
  async (brokerIds) => {
    const { disk, cluster, settings } = await onFullDisk({ brokerIds });
    await cluster.close();
    expect(cluster.state).toBe("closed");
    expect(disk.stat(PATH)).toBeNull();
    disk.crash({ mode: "lost" });
    for (const isFull of [true, false]) {
      if (!isFull) disk.blocksMax = Number.POSITIVE_INFINITY;
      const world = worldOn(disk);
      const again = await openCluster(world, settings);
      expect(world.events.of("cluster_opened")).toMatchObject([{ clean: true }]);
      expect(numbersOf(valuesOf(again, OTHERS))).toEqual([0, 1, 2, 3, 4, 5, 6]);
      if (!isFull) expect(disk.stat(PATH)?.sizeBytes).toBe(RESERVE.reserveBytes);
      await again.close();
    }
  },
);

test.each([[[1]], [[1, 2, 3]]])(
  "what the brokers %j acknowledged on a full disk is there when they start again after a power cut, on the same full disk",
  async (brokerIds) => {
    const { disk, cluster, settings } = await onFullDisk({ brokerIds });
    // The logs are flushed; what is visible of them cannot be noted now.
    await cluster.steps
      .flushLogs()
      .catch((problem) => expect(problem).toMatchObject({ code: "STORAGE_ERROR" }));
    await cluster.crash();
    disk.crash({ mode: "lost" });
    disk.fillUp();
    const again = await openCluster(worldOn(disk), settings);
    expect(numbersOf(valuesOf(again, OTHERS))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    await again.close();
    expect(again.state).toBe("closed");
  },
);

test("without a reserve a stop on a full disk says so, and nothing that was acknowledged is lost", async () => {
  const { disk, cluster, settings } = await onFullDisk();
  disk.remove(PATH);
  disk.fillUp();
  expect(await rejection(cluster.close())).toMatchObject({ code: "STORAGE_ERROR" });
  const again = await openCluster(worldOn(disk), settings);
  expect(numbersOf(valuesOf(again, OTHERS))).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test.each(["delete_records", "retention"])(
  "%s makes room on a full disk, after which records are taken again and the reserve is put by",
  async (way) => {
    const { disk, cluster } = await onFullDisk({ brokerIds: [1, 2] });
    const refusals = disk.refusals;
    if (way === "delete_records") expect(await cluster.deleteRecords(OTHERS, 4)).toBe(4);
    else {
      // Nothing can be changed now but by what makes room.
      expect(() => cluster.alterConfig("others", { retention_bytes: 1 })).toThrow("no space left");
      disk.blocksMax += 2;
      cluster.alterConfig("others", { retention_bytes: 10_000 });
      disk.fillUp();
      expect((await cluster.steps.applyRetention()).length).toBeGreaterThan(0);
    }
    expect(disk.refusals).toBeGreaterThan(refusals);
    expect(numbersOf(valuesOf(cluster, OTHERS))).toEqual([4, 5, 6]);
    disk.blocksMax += Math.ceil(RESERVE.reserveBytes / 4096);
    expect(await cluster.deleteRecords(OTHERS, 6)).toBe(6);
    expect(disk.stat(PATH)?.sizeBytes).toBe(RESERVE.reserveBytes);
    await append(cluster, OTHERS, "7");
    await cluster.close();
  },
);
