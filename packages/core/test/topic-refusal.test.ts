/** A disk that refuses at any change while a topic is made or deleted: memory and disk agree, and it can be tried again. */
import { expect, test } from "vitest";
import { BrokerCluster } from "../src/cluster/cluster.ts";
import { BrokerError } from "../src/errors.ts";
import { append, openCluster, valuesOf } from "./cluster-world.ts";
import { memoryWorld, worldOn } from "./world.ts";

const ORDERS = { topic: "orders", partition: 0 };

/** What `act` answers: nothing, or the code of its refusal. */
function answerOf(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (problem) {
    if (problem instanceof BrokerError) return problem.code;
    throw problem;
  }
}

test("a creation that the disk refuses at any step leaves no topic, or a broker that has failed", async () => {
  const measured = memoryWorld();
  const count = measured.disk.changeCount;
  const outcomes = new Map<string, number>();
  for (let nth = 1; ; nth++) {
    const world = memoryWorld();
    const cluster = await openCluster(world);
    const failure = world.disk.fail({ operation: "change", code: "EIO", times: { nth } });
    const code = answerOf(() => cluster.createTopic({ topic: "orders", partitions: 2 }));
    if (failure.fired === 0) break;
    const failed = cluster.describeCluster().brokers[0]?.state === "failed";
    outcomes.set(`${code} ${failed}`, (outcomes.get(`${code} ${failed}`) ?? 0) + 1);
    expect(code, `change ${nth}`).toBe("STORAGE_ERROR");
    // Only a name that may not be durable leaves a topic behind, and then nothing is written to it.
    expect(cluster.hasTopic("orders"), `change ${nth}`).toBe(failed);
    if (!failed) {
      cluster.createTopic({ topic: "orders", partitions: 2 });
      await append(cluster, ORDERS, "first", "all");
      world.disk.crash({ mode: "lost" });
      expect(valuesOf(await openCluster(worldOn(world.disk)), ORDERS), `change ${nth}`).toEqual(["first"]);
    }
  }
  expect(count).toBe(0);
  expect(outcomes.get("STORAGE_ERROR false")).toBeGreaterThan(8);
  expect(outcomes.get("STORAGE_ERROR true")).toBe(1);
});

test("a deletion that the disk refuses at any step leaves the topic whole, or gone for good", async () => {
  for (let nth = 1; ; nth++) {
    const world = memoryWorld();
    const cluster = await openCluster(world);
    cluster.createTopic({ topic: "orders", partitions: 2 });
    await append(cluster, ORDERS, "old", "all");
    const failure = world.disk.fail({ operation: "change", code: "EIO", times: { nth } });
    const code = answerOf(() => cluster.deleteTopic("orders"));
    if (failure.fired === 0) break;
    const what = `change ${nth}`;
    const failed = cluster.describeCluster().brokers[0]?.state === "failed";
    if (cluster.hasTopic("orders")) {
      expect(code, what).toBe("STORAGE_ERROR");
      expect(valuesOf(cluster, ORDERS), what).toEqual(["old"]);
      cluster.deleteTopic("orders");
    } else expect(code, what).toBe(failed ? "STORAGE_ERROR" : null);
    if (failed) continue;
    cluster.createTopic({ topic: "orders", partitions: 1 });
    expect(valuesOf(cluster, ORDERS), what).toEqual([]);
    await append(cluster, ORDERS, "new", "all");
    world.disk.crash({ mode: "lost" });
    expect(valuesOf(await openCluster(worldOn(world.disk)), ORDERS), what).toEqual(["new"]);
  }
});

test("an opening that the disk refuses at any step is refused or goes on, and the next one has everything", async () => {
  const left = memoryWorld();
  const before = await openCluster(left);
  before.createTopic({ topic: "orders", partitions: 2 });
  await append(before, ORDERS, "durable", "all");
  await append(before, ORDERS, "written", 1);
  await before.crash();
  let refused = 0;
  for (let nth = 1; ; nth++) {
    const world = worldOn(left.disk.clone());
    const failure = world.disk.fail({ operation: "any", code: "EIO", times: { nth } });
    const outcome = await openCluster(world).catch((problem: unknown) => problem);
    if (failure.fired === 0) break;
    if (outcome instanceof BrokerCluster) await outcome.crash();
    else {
      refused++;
      expect(outcome, `call ${nth}`).toMatchObject({ name: "DataFolderRefused", reason: "unreachable" });
    }
    const again = await openCluster(worldOn(world.disk));
    expect(valuesOf(again, ORDERS), `call ${nth}`).toEqual(["durable", "written"]);
    await append(again, ORDERS, "more", "all");
    world.disk.crash({ mode: "lost" });
    const last = await openCluster(worldOn(world.disk));
    expect(valuesOf(last, ORDERS), `call ${nth}`).toEqual(["durable", "written", "more"]);
  }
  expect(refused).toBeGreaterThan(10);
});

test("a first opening that the disk refuses at any step costs the next one nothing, also after a power cut", async () => {
  let refused = 0;
  for (let nth = 1; ; nth++) {
    const { disk } = memoryWorld();
    const failure = disk.fail({ operation: "change", code: "EIO", times: { nth } });
    const first = await openCluster(worldOn(disk)).catch((problem: unknown) => problem);
    if (failure.fired === 0) break;
    if (first instanceof BrokerCluster) await first.crash();
    else refused++;
    const cluster = await openCluster(worldOn(disk));
    cluster.createTopic({ topic: "orders", partitions: 1 });
    await append(cluster, ORDERS, "first", "all");
    disk.crash({ mode: "lost" });
    const again = await openCluster(worldOn(disk));
    expect(again.hasTopic("orders") && valuesOf(again, ORDERS), `change ${nth}`).toEqual(["first"]);
  }
  expect(refused).toBeGreaterThan(10);
});

test("every fault point of topics can be armed, fires, and leaves a cluster that goes on", async () => {
  for (const point of ["before_folders", "after_folders", "after_metadata"] as const) {
    const world = memoryWorld();
    const cluster = await openCluster(world);
    const rule = world.faults.arm({ point: `topic.create.${point}`, action: "error" });
    expect(answerOf(() => cluster.createTopic({ topic: "orders", partitions: 1 }))).toBe("STORAGE_ERROR");
    rule.assertFired();
    const there = point === "after_metadata";
    expect(cluster.hasTopic("orders"), point).toBe(there);
    if (!there) cluster.createTopic({ topic: "orders", partitions: 1 });
    await append(cluster, ORDERS, "first", "all");
    world.disk.crash({ mode: "lost" });
    expect(valuesOf(await openCluster(worldOn(world.disk)), ORDERS), point).toEqual(["first"]);
  }
  for (const point of ["before_metadata", "after_metadata", "before_remove", "after_remove"] as const) {
    const world = memoryWorld();
    const cluster = await openCluster(world);
    cluster.createTopic({ topic: "orders", partitions: 2 });
    await append(cluster, ORDERS, "old", "all");
    const rule = world.faults.arm({ point: `topic.delete.${point}`, action: "error" });
    const stands = point === "before_metadata";
    expect(
      answerOf(() => cluster.deleteTopic("orders")),
      point,
    ).toBe(stands ? "STORAGE_ERROR" : null);
    rule.assertFired();
    expect(cluster.hasTopic("orders"), point).toBe(stands);
    if (!stands) cluster.createTopic({ topic: "orders", partitions: 1 });
    expect(valuesOf(cluster, ORDERS), point).toEqual(stands ? ["old"] : []);
  }
});
