/** What each kind of acknowledgement promises, and when it is given. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { append, openCluster, valuesOf } from "./cluster-world.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

const ORDERS = { topic: "orders", partition: 0 };
const OTHER = { topic: "orders", partition: 1 };

async function opened(world: World): Promise<BrokerCluster> {
  const cluster = await openCluster(world);
  if (!cluster.hasTopic("orders")) cluster.createTopic({ topic: "orders", partitions: 2 });
  return cluster;
}

/** Lets everything run that needs no disk. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

test("an append takes effect before its promise is returned, whatever it waits for", async () => {
  const world = memoryWorld();
  const cluster = await opened(world);
  const first = append(cluster, ORDERS, "first", "all");
  const second = append(cluster, ORDERS, "second", 1);
  expect(cluster.describeOffsets(ORDERS)).toEqual({ logEndOffset: 2, visibleEnd: 2 });
  expect(await Promise.all([first, second])).toEqual([
    { baseOffset: 0, nextOffset: 1, appendTimeMs: null, duplicate: false },
    { baseOffset: 1, nextOffset: 2, appendTimeMs: null, duplicate: false },
  ]);
});

test("acks 0 and 1 do not wait for the disk; acks all does, in the order of the appends", async () => {
  const world = memoryWorld();
  const cluster = await opened(world);
  const answered: string[] = [];
  const send = (value: string, acks: 0 | 1 | "all") =>
    append(cluster, ORDERS, value, acks).then(({ baseOffset }) => answered.push(`${value}@${baseOffset}`));
  world.disk.holdSyncs();
  const all = [send("a", "all"), send("b", "all")];
  const quick = [send("c", 0), send("d", 1)];
  await Promise.all(quick);
  all.push(send("e", "all"));
  await settle();
  expect(answered).toEqual(["c@2", "d@3"]);
  world.disk.releaseSyncs();
  await Promise.all(all);
  expect(answered).toEqual(["c@2", "d@3", "a@0", "b@1", "e@4"]);
});

test("acks all survives a power cut, acks 1 the death of the process", async () => {
  const world = memoryWorld();
  const cluster = await opened(world);
  await append(cluster, ORDERS, "durable", "all");
  await append(cluster, ORDERS, "written", 1);
  const afterKill = worldAfter(world, "kept");
  expect(valuesOf(await opened(afterKill), ORDERS)).toEqual(["durable", "written"]);
  const afterPowerCut = worldAfter(world, "lost");
  expect(valuesOf(await opened(afterPowerCut), ORDERS)).toEqual(["durable"]);
});

test("with flush os, acks all waits for nobody, and a power cut may take what it acknowledged", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world, { flush: "os" });
  cluster.createTopic({ topic: "orders", partitions: 1 });
  world.disk.holdSyncs();
  await append(cluster, ORDERS, "acknowledged", "all");
  expect(valuesOf(cluster, ORDERS)).toEqual(["acknowledged"]);
  expect(valuesOf(await opened(worldAfter(world, "lost")), ORDERS)).toEqual([]);
});

test("with flush interval, a power cut takes what was acknowledged since the last flush step, and no more", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world, { flush: "interval" });
  cluster.createTopic({ topic: "orders", partitions: 1 });
  await append(cluster, ORDERS, "before", "all");
  await cluster.steps.flushLogs();
  world.disk.holdSyncs();
  await append(cluster, ORDERS, "since", "all");
  expect(valuesOf(await opened(worldAfter(world, "lost")), ORDERS)).toEqual(["before"]);
  expect(valuesOf(await opened(worldAfter(world, "kept")), ORDERS)).toEqual(["before", "since"]);
});

test("with flush os, a segment is flushed when the next one begins, and everything at a close; nothing else is", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world, { flush: "os" });
  cluster.createTopic({ topic: "orders", partitions: 1, config: { segment_bytes: 1024 } });
  const [first, second] = ["1".repeat(800), "2".repeat(800)];
  await append(cluster, ORDERS, first, "all");
  await settle();
  expect(world.events.of("flushed")).toEqual([]);
  await append(cluster, ORDERS, second, "all");
  await settle();
  expect(world.events.of("flushed")).toMatchObject([{ logEndOffset: 2 }]);
  await append(cluster, ORDERS, "last", "all");
  await settle();
  expect(valuesOf(await opened(worldAfter(world, "lost")), ORDERS)).toEqual([first, second]);
  await cluster.close();
  expect(valuesOf(await opened(worldAfter(world, "lost")), ORDERS)).toEqual([first, second, "last"]);
});

test("with flush ack, a roll alone asks for no flush", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  cluster.createTopic({ topic: "orders", partitions: 1, config: { segment_bytes: 1024 } });
  for (const value of ["1".repeat(800), "2".repeat(800)]) await append(cluster, ORDERS, value, 1);
  await settle();
  expect(world.events.of("rolled")).toHaveLength(1);
  expect(world.events.of("flushed")).toEqual([]);
});

test("a flush that the disk fails rejects the acknowledgement, and the broker takes no write until it is restarted", async () => {
  const world = memoryWorld();
  const cluster = await opened(world);
  await append(cluster, ORDERS, "durable", "all");
  const failure = world.disk.fail({ operation: "sync", code: "EIO" });
  expect(await rejection(append(cluster, ORDERS, "in doubt", "all"))).toMatchObject({
    code: "BROKER_FAILED",
  });
  failure.assertFired();
  for (const place of [ORDERS, OTHER]) {
    expect(await rejection(append(cluster, place, "refused", 1))).toMatchObject({
      code: "BROKER_FAILED",
      message: expect.stringContaining("broker 1 takes no writes until it is restarted"),
    });
  }
  expect(() => cluster.createTopic({ topic: "more", partitions: 1 })).toThrow(
    expect.objectContaining({ code: "BROKER_FAILED" }),
  );
  expect(valuesOf(cluster, ORDERS)).toEqual(["durable", "in doubt"]);
  expect(cluster.describeCluster().brokers).toMatchObject([{ state: "failed" }]);
  expect(world.events.of("broker_failed")).toHaveLength(1);

  expect(await rejection(cluster.close())).toMatchObject({ code: "BROKER_FAILED" });
  expect(cluster.state).toBe("failed");
  const restarted = await opened(worldAfter(world, "lost"));
  expect(valuesOf(restarted, ORDERS)).toEqual(["durable"]);
  await append(restarted, ORDERS, "after", "all");
});

test("an acknowledgement for what lies in a file that somebody has removed is refused, not given", async () => {
  const world = memoryWorld();
  const cluster = await opened(world);
  await append(cluster, ORDERS, "durable", "all");
  for (const path of world.disk.files().keys()) if (path.endsWith(".log")) world.disk.remove(path);
  expect(await rejection(append(cluster, ORDERS, "gone", "all"))).toMatchObject({
    code: "BROKER_FAILED",
    message: expect.stringMatching(/orders-0.*no such file/),
  });
});

test.each(["replaced by a copy", "replaced by nothing", "cut"])(
  "an acknowledgement for what lies in a file that somebody has %s is refused, not given",
  async (how) => {
    const world = memoryWorld();
    const cluster = await opened(world);
    await append(cluster, ORDERS, "durable", "all");
    for (const [path, bytes] of world.disk.files()) {
      if (!path.endsWith(".log")) continue;
      if (how !== "cut") world.disk.remove(path);
      const file = world.disk.openFile(path, { create: "if-missing" });
      file.truncate(0);
      if (how === "replaced by a copy") file.writeAt(0, Uint8Array.from(bytes));
      file.close();
    }
    const refused = rejection(append(cluster, ORDERS, "gone", "all"));
    expect(await refused).toMatchObject({
      code: how === "cut" ? "STORAGE_ERROR" : "BROKER_FAILED",
      message: expect.stringMatching(/orders-0.*another file is in its place, or it was cut/),
    });
    expect(await rejection(append(cluster, ORDERS, "again", 1))).toMatchObject({
      code: how === "cut" ? "STORAGE_ERROR" : "BROKER_FAILED",
    });
  },
);

test("a topic that is deleted while all logs are flushed spoils the flush for nobody", async () => {
  const world = memoryWorld();
  const cluster = await opened(world);
  cluster.createTopic({ topic: "stays", partitions: 1 });
  await append(cluster, ORDERS, "goes", 1);
  await append(cluster, { topic: "stays", partition: 0 }, "stays", 1);
  world.disk.holdSyncs();
  const flushed = cluster.steps.flushLogs();
  await settle();
  cluster.deleteTopic("orders");
  world.disk.releaseSyncs();
  await flushed;
  expect(cluster.describeCluster().brokers).toMatchObject([{ state: "running" }]);
  expect(valuesOf(await opened(worldAfter(world, "lost")), { topic: "stays", partition: 0 })).toEqual([
    "stays",
  ]);
});

test("the failure of one broker does not stop another", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world, { brokerIds: [1, 2] });
  cluster.createTopic({ topic: "orders", partitions: 2 });
  world.disk.fail({ operation: "sync", code: "EIO", path: /broker-1/ });
  expect(await rejection(append(cluster, ORDERS, "in doubt", "all"))).toMatchObject({
    code: "BROKER_FAILED",
  });
  await append(cluster, OTHER, "durable", "all");
  const restarted = await openCluster(worldAfter(world, "lost"), { brokerIds: [1, 2] });
  expect(valuesOf(restarted, OTHER)).toEqual(["durable"]);
});

test("an acknowledgement that is under way when the cluster closes is still given", async () => {
  const world = memoryWorld();
  const cluster = await opened(world);
  const pending = append(cluster, ORDERS, "last", "all");
  const closing = cluster.close();
  expect(await rejection(append(cluster, ORDERS, "too late", 1))).toMatchObject({ code: "SHUTTING_DOWN" });
  expect(await pending).toEqual({ baseOffset: 0, nextOffset: 1, appendTimeMs: null, duplicate: false });
  await closing;
  expect(valuesOf(await opened(worldAfter(world, "lost")), ORDERS)).toEqual(["last"]);
});

test.each(["delete", "crash"] as const)(
  "an acknowledgement that a %s overtakes is not given",
  async (end) => {
    const world = memoryWorld();
    const cluster = await opened(world);
    world.disk.holdSyncs();
    const pending = rejection(append(cluster, ORDERS, "gone", "all"));
    if (end === "delete") cluster.deleteTopic("orders");
    else await cluster.crash();
    world.disk.releaseSyncs();
    expect(await pending).toMatchObject({
      name: "BrokerError",
      code: end === "delete" ? "UNKNOWN_TOPIC" : "STORAGE_ERROR",
    });
  },
);

/** The same disk in its next life. */
function worldAfter(world: World, mode: "kept" | "lost"): World {
  const next = memoryWorld();
  const disk = world.disk.clone();
  disk.crash({ mode });
  return { ...next, disk };
}
