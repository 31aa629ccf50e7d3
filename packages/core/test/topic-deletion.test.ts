/** A topic whose folders are removed in parts: what others do meanwhile, and what an end in the middle leaves. */
import { expect, test } from "vitest";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { append, FOLDER, openCluster, valuesOf } from "./cluster-world.ts";
import {
  COPIES,
  foldersOf,
  ORDERS,
  PAYMENTS,
  REQUEST,
  runningInParts,
  type Turn,
} from "./topic-parts-world.ts";
import { rejection, type World, worldOn } from "./world.ts";

/** With a record in `orders` too; `turn` is what others do between two parts of a removal. */
const running = (turn: Turn = () => {}) =>
  runningInParts(turn, 2, async (cluster) => {
    cluster.createTopic(REQUEST);
    await append(cluster, ORDERS, "old", 1);
  });

test("others write and read after each folder that is removed, and the topic is gone for them from the first", async () => {
  const removed: string[][] = [[]];
  const values = ["paid"];
  const { world, cluster } = await running(async (nth, { cluster: now }) => {
    removed.push([]);
    expect(now.hasTopic("orders")).toBe(false);
    values.push(`${nth}`);
    await append(now, PAYMENTS, `${nth}`, "all");
    expect(valuesOf(now, PAYMENTS)).toEqual(values);
  });
  const end = world.disk.beforeChange((change) => {
    if (change.kind === "removeFolder") removed.at(-1)?.push(change.path);
  });
  await cluster.deleteTopicLater("orders");
  end();
  expect(removed.slice(0, COPIES).every((folders) => folders.length === 1)).toBe(true);
  expect(removed.flat()).toHaveLength(COPIES);
  expect(values).toHaveLength(COPIES + 1);
  expect(foldersOf(world, "orders")).toEqual([]);
});

test("who makes a topic of its name, or of one that collides with it, waits until all of the old one is gone", async () => {
  for (const topic of ["orders", "Orders"]) {
    let made: Promise<unknown> | undefined;
    const turns: number[] = [];
    const { world, cluster } = await running((nth, { cluster: now }) => {
      if (nth === 5) made = now.createTopicLater({ topic, partitions: 1 });
      turns.push(nth);
    });
    await cluster.deleteTopicLater("orders");
    await made;
    // The last is that of the new topic's log.
    expect(turns).toHaveLength(COPIES + 1);
    expect(foldersOf(world, "orders").length + foldersOf(world, "Orders").length).toBe(1);
    expect(valuesOf(cluster, { topic, partition: 0 })).toEqual([]);
    await append(cluster, { topic, partition: 0 }, "new", "all");
    world.disk.crash({ mode: "lost" });
    const again = await openCluster(worldOn(world.disk), { brokerIds: [1, 2] });
    expect(valuesOf(again, { topic, partition: 0 })).toEqual(["new"]);
  }
});

test("one that is made at once in the middle is left alone by what was under way", async () => {
  const { world, cluster } = await running(async (nth, { cluster: now }) => {
    if (nth !== 5) return;
    now.createTopic({ topic: "orders", partitions: 40 });
    await append(now, ORDERS, "new", "all");
  });
  await cluster.deleteTopicLater("orders");
  expect(foldersOf(world, "orders")).toHaveLength(40);
  expect(valuesOf(cluster, ORDERS)).toEqual(["new"]);
});

test.each(["close", "crash"] as const)(
  "a cluster that ends by %s in the middle touches nothing afterwards, and the next one removes the rest",
  async (end) => {
    let changes = -1;
    const { world, cluster } = await running(async (nth, { world: { disk }, cluster: now }) => {
      if (nth !== 5) return;
      await now[end]();
      changes = disk.changeCount;
    });
    await cluster.deleteTopicLater("orders");
    expect(world.disk.changeCount).toBe(changes);
    expect(foldersOf(world, "orders")).toHaveLength(COPIES - 5);
    const again = await openCluster(worldOn(world.disk), { brokerIds: [1, 2] });
    expect(again.hasTopic("orders")).toBe(false);
    expect(foldersOf(world, "orders")).toEqual([]);
    expect(valuesOf(again, PAYMENTS)).toEqual(["paid"]);
  },
);

test("what dies after any part of the removal leaves the topic deleted for good, and its name free", async () => {
  const random = new SeededRandom(7);
  const crashes: Crash[] = [
    { mode: "kept" },
    { mode: "lost" },
    { mode: "torn", random },
    { mode: "scattered", random },
  ];
  const instants: World["disk"][] = [];
  const { cluster } = await running((_, { world: { disk } }) => void instants.push(disk.clone()));
  await cluster.deleteTopicLater("orders");
  expect(instants).toHaveLength(COPIES);
  for (const [index, disk] of instants.entries()) {
    if (index % 9 !== 0 && index !== COPIES - 1) continue;
    for (const crash of crashes) {
      const next = worldOn(disk.clone());
      next.disk.crash(crash);
      const again = await openCluster(next, { brokerIds: [1, 2] });
      expect(again.hasTopic("orders"), `${index} ${crash.mode}`).toBe(false);
      expect(foldersOf(next, "orders"), `${index} ${crash.mode}`).toEqual([]);
      again.createTopic({ topic: "orders", partitions: 1 });
      expect(valuesOf(again, { topic: "orders", partition: 0 })).toEqual([]);
    }
  }
});

test("a disk that refuses in the middle leaves the topic deleted, and the rest to who makes one of its name", async () => {
  const { world, cluster } = await running();
  const failure = world.disk.fail({
    operation: "remove",
    code: "EBUSY",
    path: /orders-17\//,
    times: { first: 1 },
  });
  await cluster.deleteTopicLater("orders");
  expect(failure.fired).toBe(1);
  expect(foldersOf(world, "orders")).not.toEqual([]);
  expect(await rejection(cluster.deleteTopicLater("orders"))).toMatchObject({ code: "UNKNOWN_TOPIC" });
  await cluster.createTopicLater({ topic: "orders", partitions: 1 });
  expect(foldersOf(world, "orders")).toHaveLength(1);
  expect(valuesOf(cluster, { topic: "orders", partition: 0 })).toEqual([]);
});

test.each([
  ["for another topic meanwhile", 5],
  ["at its end", null],
])(
  "a sync of the folder above that fails %s keeps the removal from counting, and the next try does it anew",
  async (_when, atTurn) => {
    const failure = { operation: "syncFolder", code: "EIO", path: `${FOLDER}/broker-1` } as const;
    const { world, cluster } = await running((turn, { world: { disk }, cluster: now }) => {
      if (turn !== atTurn) return;
      disk.fail(failure);
      expect(() => now.createTopic({ topic: "mail", partitions: 2 })).toThrow(
        expect.objectContaining({ code: "STORAGE_ERROR" }),
      );
    });
    await append(cluster, { topic: "orders", partition: 0 }, "old", 1);
    await cluster.steps.flushLogs();
    if (atTurn === null) world.disk.fail(failure);
    await cluster.deleteTopicLater("orders");
    // Whoever makes one of a name that collides with it finishes the removal.
    await cluster.createTopicLater({ topic: "Orders", partitions: 1 });
    cluster.deleteTopic("Orders");
    world.disk.crash({ mode: "lost" });
    const again = await openCluster(worldOn(world.disk), { brokerIds: [1, 2] });
    expect(foldersOf(world, "orders")).toEqual([]);
    await again.createTopicLater({ topic: "orders", partitions: 1 });
    expect(valuesOf(again, { topic: "orders", partition: 0 })).toEqual([]);
  },
);

test("a broker that fails in the middle keeps its folders, since what it says is gone may be back after a power cut", async () => {
  const { world, cluster } = await running(async (nth, { world: { disk }, cluster: now }) => {
    if (nth !== 5) return;
    disk.fail({ operation: "sync", code: "EIO", path: /broker-2.*payments.*log$/, times: { nth: 1 } });
    const refused = await rejection(append(now, { topic: "payments", partition: 1 }, "lost", "all"));
    expect(refused).toMatchObject({ code: "BROKER_FAILED" });
  });
  await cluster.deleteTopicLater("orders");
  expect(cluster.hasTopic("orders")).toBe(false);
  expect(foldersOf(world, "orders")).toHaveLength(COPIES - 5);
  await cluster.crash();
  await openCluster(worldOn(world.disk), { brokerIds: [1, 2] });
  expect(foldersOf(world, "orders")).toEqual([]);
});

test("two runs of it tell the same events and leave the same bytes", async () => {
  const run = async () => {
    const { world, cluster } = await running(async (nth, { cluster: now }) =>
      append(now, PAYMENTS, `${nth}`, 1),
    );
    await cluster.deleteTopicLater("orders");
    await cluster.createTopicLater(REQUEST);
    return { events: world.events.events, files: [...world.disk.files()].map(String) };
  };
  expect(await run()).toEqual(await run());
});
