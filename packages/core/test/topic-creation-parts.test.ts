/** The parts in which the logs of a new topic are opened: what others do between them, and what an end in the middle leaves. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
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

/** `turn` is what others do between two parts of the creation. */
const running = (turn: Turn = () => {}) => runningInParts(turn, 1);

/** What comes back of a record that is written and copied. */
async function written(cluster: BrokerCluster): Promise<string[]> {
  await append(cluster, ORDERS, "first", 1);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  return valuesOf(cluster, ORDERS);
}

test("others write and read before each log that is opened, and the topic is not there for them until all are", async () => {
  const values = ["paid"];
  let opened = 0;
  const openedAt: number[] = [];
  const { world, cluster } = await running(async (nth, { cluster: now }) => {
    openedAt.push(opened);
    expect(now.hasTopic("orders")).toBe(false);
    values.push(`${nth}`);
    await append(now, PAYMENTS, `${nth}`, 1);
    expect(valuesOf(now, PAYMENTS)).toEqual(values);
  });
  const { readFolder } = world.disk;
  world.disk.readFolder = (path) => {
    if (/broker-1\/orders-\d+$/.test(path)) opened++;
    return readFolder.call(world.disk, path);
  };
  await cluster.createTopicLater(REQUEST);
  expect(values).toHaveLength(COPIES + 1);
  // One log of each broker between two turns.
  const steps = openedAt.slice(1).map((count, index) => count - (openedAt[index] ?? 0));
  expect(Math.max(...steps)).toBe(1);
  expect(cluster.metadata("orders").partitions).toHaveLength(40);
  expect(await written(cluster)).toEqual(["first"]);
});

test("in any part nobody makes another of its name, or of one that collides with it", async () => {
  const { cluster } = await running(async (_nth, { cluster: now }) => {
    for (const topic of ["orders", "Orders"]) {
      const made = now.createTopicLater({ topic, partitions: 1 });
      expect(await rejection(made)).toMatchObject({ code: "TOPIC_ALREADY_EXISTS" });
    }
    expect(await rejection(now.deleteTopicLater("orders"))).toMatchObject({ code: "UNKNOWN_TOPIC" });
  });
  await cluster.createTopicLater(REQUEST);
  expect(cluster.metadata("orders").partitions).toHaveLength(40);
});

test.each([
  ["close", 5],
  ["crash", 5],
  ["close", COPIES],
  ["crash", COPIES],
] as const)(
  "a cluster that ends by %s in part %i touches nothing afterwards, and the next one clears the place",
  async (end, part) => {
    let changes = -1;
    const { world, cluster } = await running(async (nth, { world: { disk }, cluster: now }) => {
      if (nth !== part) return;
      await now[end]();
      changes = disk.changeCount;
    });
    expect(await rejection(cluster.createTopicLater(REQUEST))).toMatchObject({ code: "SHUTTING_DOWN" });
    // A sync that was under way ends; it changes nothing that anybody could see.
    expect(world.disk.changeCount - changes).toBeLessThanOrEqual(16);
    const again = await openCluster(worldOn(world.disk), { brokerIds: [1, 2] });
    expect(again.hasTopic("orders")).toBe(false);
    expect(foldersOf(world, "orders")).toEqual([]);
    expect(valuesOf(again, PAYMENTS)).toEqual(["paid"]);
    await again.createTopicLater(REQUEST);
    expect(await written(again)).toEqual(["first"]);
  },
);

test.each([5, COPIES])(
  "a broker that stops and starts in part %i is told as away, which may be tried again, and nothing is left",
  async (part) => {
    const { world, cluster } = await running(async (nth, { cluster: now }) => {
      if (nth !== part) return;
      expect(await now.stopBroker(2)).toMatchObject({ clean: true });
      await now.startBroker(2);
    });
    expect(await rejection(cluster.createTopicLater(REQUEST))).toMatchObject({
      code: "BROKER_NOT_AVAILABLE",
    });
    expect(cluster.hasTopic("orders")).toBe(false);
    expect(foldersOf(world, "orders")).toEqual([]);
    await cluster.createTopicLater(REQUEST);
    expect(await written(cluster)).toEqual(["first"]);
  },
);

test("so is one that stops and starts when all logs are open and the topic is not there yet", async () => {
  const { world, cluster } = await running();
  const { openFolder } = world.disk;
  world.disk.openFolder = (path) => {
    const folder = openFolder.call(world.disk, path);
    if (path !== `${FOLDER}/broker-1`) return folder;
    world.disk.openFolder = openFolder;
    const sync = async () => {
      expect(foldersOf(world, "orders")).toHaveLength(COPIES);
      await cluster.stopBroker(2);
      await cluster.startBroker(2);
      await folder.sync();
    };
    return { sync, syncNow: () => folder.syncNow(), close: () => folder.close() };
  };
  const made = cluster.createTopicLater(REQUEST);
  expect(await rejection(made)).toMatchObject({ code: "BROKER_NOT_AVAILABLE" });
  expect(foldersOf(world, "orders")).toEqual([]);
});

test("what dies in any part leaves no topic, or the whole one, and its name free or taken", async () => {
  const random = new SeededRandom(7);
  const crashes: Crash[] = [
    { mode: "kept" },
    { mode: "lost" },
    { mode: "torn", random },
    { mode: "scattered", random },
  ];
  const instants: World["disk"][] = [];
  const { world, cluster } = await running((_, { world: { disk } }) => void instants.push(disk.clone()));
  await cluster.createTopicLater(REQUEST);
  expect(instants).toHaveLength(COPIES);
  instants.push(world.disk.clone());
  for (const [index, disk] of instants.entries()) {
    if (index % 9 !== 0 && index < COPIES - 1) continue;
    for (const crash of crashes) {
      const next = worldOn(disk.clone());
      next.disk.crash(crash);
      const again = await openCluster(next, { brokerIds: [1, 2] });
      const isThere = index === COPIES;
      expect(again.hasTopic("orders"), `${index} ${crash.mode}`).toBe(isThere);
      expect(foldersOf(next, "orders"), `${index} ${crash.mode}`).toHaveLength(isThere ? COPIES : 0);
      if (!isThere) again.createTopic({ topic: "orders", partitions: 40 });
      expect(valuesOf(again, ORDERS)).toEqual([]);
    }
  }
});

test("a disk that refuses is told when all is taken back in parts, and until then the name is taken", async () => {
  let [held, isTakingBack] = [0, false];
  const { world, cluster } = await running(async (nth, { world: { disk }, cluster: now }) => {
    if (nth === 1) disk.fail({ operation: "rename", code: "EIO", path: /metadata/, times: { nth: 1 } });
    const left = foldersOf({ disk }, "orders").length;
    if (isTakingBack) {
      held++;
      const made = now.createTopicLater({ topic: "orders", partitions: 1 });
      expect(await rejection(made)).toMatchObject({ code: "TOPIC_ALREADY_EXISTS" });
      await append(now, PAYMENTS, `${left}`, "all");
    }
    isTakingBack = nth >= COPIES;
  });
  expect(await rejection(cluster.createTopicLater(REQUEST))).toMatchObject({ code: "STORAGE_ERROR" });
  expect(held).toBe(COPIES);
  expect(foldersOf(world, "orders")).toEqual([]);
  await cluster.createTopicLater(REQUEST);
  expect(valuesOf(cluster, ORDERS)).toEqual([]);
});

test("partitions that a topic gains go by the settings that were changed while they were made", async () => {
  const { cluster } = await running(async (nth, { cluster: now }) => {
    if (nth === 5) now.alterConfig("payments", { segment_bytes: 1_024 });
  });
  await cluster.growTopic("payments", 40);
  const place = { topic: "payments", partition: 39 };
  for (let count = 0; count < 3; count++) await append(cluster, place, "x".repeat(900), "all");
  expect(cluster.describePartition(place).segments.length).toBe(3);
});

test("two runs of it tell the same events and leave the same bytes", async () => {
  const run = async () => {
    const { world, cluster } = await running(async (nth, { cluster: now }) =>
      append(now, PAYMENTS, `${nth}`, 1),
    );
    await cluster.createTopicLater(REQUEST);
    await cluster.growTopic("orders", 60);
    return { events: world.events.events, files: [...world.disk.files()].map(String) };
  };
  expect(await run()).toEqual(await run());
});
