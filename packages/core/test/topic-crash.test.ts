/** A crash at every change of the disk: while a topic is made or deleted, while a cluster is opened or closed. */
import { expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { append, FOLDER, openCluster, valuesOf } from "./cluster-world.ts";
import { instantsOf } from "./crash-instants.ts";
import { memoryWorld, type World, worldOn } from "./world.ts";

const ORDERS = { topic: "orders", partition: 0 };
const PAYMENTS = { topic: "payments", partition: 0 };

function crashes(): Crash[] {
  const torn = [1, 2, 3].map((seed): Crash => ({ mode: "torn", random: new SeededRandom(seed) }));
  return [{ mode: "kept" }, { mode: "lost" }, ...torn, { mode: "scattered", random: new SeededRandom(4) }];
}

/** Calls `check` with each life that may follow each instant. */
async function afterEach(
  instants: readonly MemoryDisk[],
  check: (world: World, what: string, isLast: boolean) => Promise<void>,
): Promise<void> {
  for (const [index, instant] of instants.entries()) {
    for (const [kind, crash] of crashes().entries()) {
      const disk = instant.clone();
      disk.crash(crash);
      await check(
        worldOn(disk, 99),
        `instant ${index}, crash ${kind} (${crash.mode})`,
        index === instants.length - 1,
      );
    }
  }
}

/** A running cluster with a durable record in `payments`. */
async function running(world: World) {
  const cluster = await openCluster(world);
  cluster.createTopic({ topic: "payments", partitions: 1 });
  await append(cluster, PAYMENTS, "paid", "all");
  return cluster;
}

function partitionFolders(world: World): string[] {
  return world.disk
    .readFolder(`${FOLDER}/broker-1`)
    .map(({ name }) => name)
    .filter((name) => name !== "clean-shutdown" && name !== "broker-epoch.json");
}

async function expectWholeOrNothing(
  create: (cluster: Awaited<ReturnType<typeof running>>) => unknown,
): Promise<void> {
  const world = memoryWorld();
  const cluster = await running(world);
  const instants = await instantsOf(world.disk, () => create(cluster));
  expect(instants.length).toBeGreaterThan(10);
  await afterEach(instants, async (next, what, isLast) => {
    const reopened = await openCluster(next);
    expect(valuesOf(reopened, PAYMENTS), what).toEqual(["paid"]);
    if (isLast) expect(reopened.hasTopic("orders"), what).toBe(true);
    if (!reopened.hasTopic("orders")) {
      expect(partitionFolders(next), what).toEqual(["payments-0"]);
      reopened.createTopic({ topic: "orders", partitions: 2 });
    }
    for (const partition of [0, 1]) {
      const appended = await append(reopened, { topic: "orders", partition }, "first", "all");
      expect(appended.baseOffset, what).toBe(0);
    }
    next.disk.crash({ mode: "lost" });
    expect(valuesOf(await openCluster(next), ORDERS), what).toEqual(["first"]);
  });
}

test("a topic whose creation is cut short exists whole or not at all, and can be created", async () => {
  await expectWholeOrNothing((cluster) => cluster.createTopic({ topic: "orders", partitions: 2 }));
});

test("so does one whose folders are made off the thread", async () => {
  await expectWholeOrNothing((cluster) => cluster.createTopicLater({ topic: "orders", partitions: 2 }));
});

test("a topic whose deletion is cut short is whole or gone, and comes back empty", async () => {
  const world = memoryWorld();
  const cluster = await running(world);
  cluster.createTopic({ topic: "orders", partitions: 2 });
  await append(cluster, ORDERS, "old", "all");
  const instants = await instantsOf(world.disk, () => cluster.deleteTopic("orders"));
  expect(instants.length).toBeGreaterThan(8);
  await afterEach(instants, async (next, what, isLast) => {
    const reopened = await openCluster(next);
    expect(valuesOf(reopened, PAYMENTS), what).toEqual(["paid"]);
    if (isLast) expect(reopened.hasTopic("orders"), what).toBe(false);
    if (reopened.hasTopic("orders")) {
      expect(valuesOf(reopened, ORDERS), what).toEqual(["old"]);
      reopened.deleteTopic("orders");
    }
    expect(partitionFolders(next), what).toEqual(["payments-0"]);
    reopened.createTopic({ topic: "orders", partitions: 1 });
    expect(valuesOf(reopened, ORDERS), what).toEqual([]);
    await append(reopened, ORDERS, "new", "all");
    next.disk.crash({ mode: "lost" });
    expect(valuesOf(await openCluster(next), ORDERS), what).toEqual(["new"]);
  });
});

test("a topic re-created while its deletion was not finished is empty, whatever instant it dies at", async () => {
  const world = memoryWorld();
  const cluster = await running(world);
  cluster.createTopic({ topic: "orders", partitions: 2 });
  await append(cluster, ORDERS, "old", "all");
  world.disk.fail({ operation: "remove", code: "EBUSY", times: { first: 1 } });
  cluster.deleteTopic("orders");
  expect(partitionFolders(world)).toContain("orders-0");
  const instants = await instantsOf(world.disk, () =>
    cluster.createTopic({ topic: "orders", partitions: 1 }),
  );
  await afterEach(instants, async (next, what) => {
    const reopened = await openCluster(next);
    if (!reopened.hasTopic("orders")) reopened.createTopic({ topic: "orders", partitions: 1 });
    expect(valuesOf(reopened, ORDERS), what).toEqual([]);
    await append(reopened, ORDERS, "new", "all");
    await reopened.close();
    expect(partitionFolders(next), what).toEqual(["orders-0", "payments-0"]);
    expect(valuesOf(await openCluster(next), ORDERS), what).toEqual(["new"]);
  });
});

test("a deleted topic does not come back once the metadata has forgotten it", async () => {
  const world = memoryWorld();
  const cluster = await running(world);
  cluster.createTopic({ topic: "orders", partitions: 2 });
  cluster.createTopic({ topic: "refunds", partitions: 1 });
  await append(cluster, ORDERS, "old", "all");
  cluster.deleteTopic("orders");
  cluster.deleteTopic("refunds");
  await afterEach([world.disk.clone()], async (next, what) => {
    const reopened = await openCluster(next);
    expect(partitionFolders(next), what).toEqual(["payments-0"]);
    reopened.createTopic({ topic: "orders", partitions: 1 });
    expect(valuesOf(reopened, ORDERS), what).toEqual([]);
  });
});

test("whatever instant a close or an opening dies at, nothing acknowledged is lost", async () => {
  const world = memoryWorld();
  const cluster = await running(world);
  await append(cluster, PAYMENTS, "written", 1);
  const closing = await instantsOf(world.disk, () => cluster.close());
  const opening = await instantsOf(world.disk, () => openCluster(world));
  await afterEach([...closing, ...opening], async (next, what) => {
    const reopened = await openCluster(next);
    const values = valuesOf(reopened, PAYMENTS);
    expect([["paid"], ["paid", "written"]], what).toContainEqual(values);
    await append(reopened, PAYMENTS, "more", "all");
    next.disk.crash({ mode: "lost" });
    expect(valuesOf(await openCluster(next), PAYMENTS), what).toEqual([...values, "more"]);
  });
});

test("after a close that ended, no crash takes anything", async () => {
  const world = memoryWorld();
  const cluster = await running(world);
  await append(cluster, PAYMENTS, "written", 1);
  await cluster.close();
  await afterEach([world.disk.clone()], async (next, what) => {
    expect(valuesOf(await openCluster(next), PAYMENTS), what).toEqual(["paid", "written"]);
    expect(next.events.of("cluster_opened"), what).toMatchObject([{ clean: true }]);
  });
});
