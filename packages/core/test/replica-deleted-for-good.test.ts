/** What was deleted by hand never comes back, whatever folder is put back and whoever is promoted. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { ORIGINAL_DIALS } from "../src/cluster/config.ts";
import { valuesOf } from "./cluster-world.ts";
import { copyOfBroker, type FolderCopy, restoreBroker } from "./folder-copy.ts";
import { inSyncOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld, type World, worldOn } from "./world.ts";

const SECRETS = ["s0", "s1", "s2", "s3", "s4"];
const WAYS = ["live", "reopened", "killed"] as const;
const PROFILES = { kafka: {}, original: ORIGINAL_DIALS };
const CASES = (["kafka", "original"] as const).flatMap((profile) =>
  WAYS.flatMap((way) => [1, 2].map((brokerId) => [profile, way, brokerId] as const)),
);

async function rounds(cluster: BrokerCluster): Promise<void> {
  for (let round = 0; round < 3; round++) await cluster.replicateOnce();
}

async function sendToAll(cluster: BrokerCluster, values: readonly string[]): Promise<void> {
  const sent = send(cluster, values, "all");
  await rounds(cluster);
  await sent;
}

/** A copy of the broker's folder, taken while it was stopped; it runs again. */
async function copied(cluster: BrokerCluster, world: World, brokerId: number): Promise<FolderCopy> {
  await cluster.stopBroker(brokerId);
  const copy = copyOfBroker(world.disk, brokerId);
  await cluster.startBroker(brokerId);
  await cluster.replicateOnce();
  return copy;
}

async function putBack(
  {
    cluster,
    world,
    brokerId,
    copy,
  }: { cluster: BrokerCluster; world: World; brokerId: number; copy: FolderCopy },
  way: (typeof WAYS)[number],
  options: Parameters<typeof openReplicated>[1],
): Promise<BrokerCluster> {
  if (way === "live") {
    await cluster.stopBroker(brokerId);
    restoreBroker(world.disk, brokerId, copy);
    await cluster.startBroker(brokerId);
    return cluster;
  }
  if (way === "reopened") await cluster.close();
  else {
    await cluster.crash();
    world.disk.crash({ mode: "kept" });
  }
  restoreBroker(world.disk, brokerId, copy);
  return openReplicated(world, options);
}

const startsOf = (cluster: BrokerCluster) =>
  cluster.replicaSet(ORDERS).copies.map(({ log }) => log.logStartOffset);

test.each(CASES)(
  "%s, %s: a copy of broker %i from before the deletion serves none of it, leading or promoted",
  async (profile, way, brokerId) => {
    const world = memoryWorld();
    const options = { config: PROFILES[profile] };
    const before = await openReplicated(world, options);
    await sendToAll(before, SECRETS);
    const copy = await copied(before, world, brokerId);
    expect(await before.deleteRecords(ORDERS, "high_watermark")).toBe(5);
    const cluster = await putBack({ cluster: before, world, brokerId, copy }, way, options);
    expect(startsOf(cluster)).toEqual([5, 5, 5]);
    for (const id of [brokerId, 3]) {
      if (!inSyncOf(cluster).includes(id)) await rounds(cluster);
      await cluster.promote(ORDERS, id);
      expect(cluster.listOffsets(ORDERS, -2).offset).toBe(5);
    }
    await sendToAll(cluster, ["new"]);
    for (const id of [1, 2, 3]) expect(valuesOn(cluster, id)).toEqual(["new"]);
    await cluster.close();
    const again = await openReplicated(world, options);
    expect([startsOf(again), valuesOf(again, ORDERS)]).toEqual([[5, 5, 5], ["new"]]);
  },
);

test.each(WAYS)(
  "%s: the only replica's copy from before the deletion serves none of it, and takes what is new",
  async (way) => {
    for (const [held, values] of [
      [5, []],
      [3, []],
    ] as const) {
      const world = memoryWorld();
      const options = { brokers: 1 };
      const before = await openReplicated(world, options);
      await send(before, SECRETS.slice(0, held), "all");
      const copy = await copied(before, world, 1);
      await send(before, SECRETS.slice(held), "all");
      expect(await before.deleteRecords(ORDERS, "high_watermark")).toBe(5);
      let cluster = await putBack({ cluster: before, world, brokerId: 1, copy }, way, options);
      expect(valuesOf(cluster, ORDERS)).toEqual(values);
      await send(cluster, ["new", "newer"], "all");
      expect(valuesOf(cluster, ORDERS)).toEqual(["new", "newer"]);
      await cluster.close();
      cluster = await openReplicated(world, options);
      expect(valuesOf(cluster, ORDERS)).toEqual(["new", "newer"]);
    }
  },
);

test.each(WAYS)(
  "%s: nor does a copy bring back what retention had removed by the time at which it was asked to be deleted",
  async (way) => {
    const world = memoryWorld();
    const before = await openReplicated(world);
    await sendToAll(before, SECRETS);
    const copy = await copied(before, world, 1);
    before.alterConfig("orders", { retention_ms: 1 });
    world.clock.advance(1000);
    await before.steps.applyRetention();
    expect(startsOf(before)).toEqual([5, 5, 5]);
    before.alterConfig("orders", { retention_ms: -1 });
    expect(await before.deleteRecords(ORDERS, 4)).toBe(5);
    const cluster = await putBack({ cluster: before, world, brokerId: 1, copy }, way, {});
    for (const start of startsOf(cluster)) expect(start).toBeGreaterThanOrEqual(4);
    await sendToAll(cluster, ["new"]);
    for (const brokerId of [1, 2, 3]) expect(valuesOn(cluster, brokerId)).not.toContain("s3");
  },
);

test("an unclean promotion brings nothing back either: of one that was out of sync while it was deleted", async () => {
  for (const held of [5, 3]) {
    const world = memoryWorld();
    let cluster = await openReplicated(world);
    await sendToAll(cluster, SECRETS.slice(0, held));
    cluster.removeFromIsr(ORDERS, 3);
    await cluster.stopBroker(3);
    await sendToAll(cluster, SECRETS.slice(held));
    expect(await cluster.deleteRecords(ORDERS, "high_watermark")).toBe(5);
    for (const brokerId of [1, 2]) await cluster.stopBroker(brokerId);
    await cluster.startBroker(3);
    await cluster.promote(ORDERS, 3, { unclean: true });
    expect(valuesOf(cluster, ORDERS)).toEqual([]);
    for (const brokerId of [1, 2]) await cluster.startBroker(brokerId);
    await rounds(cluster);
    await sendToAll(cluster, ["new"]);
    await cluster.close();
    cluster = await openReplicated(world);
    expect(valuesOf(cluster, ORDERS)).toEqual(["new"]);
  }
});

test("so it is with one that ran on: it is told by the promotion", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await sendToAll(cluster, SECRETS);
  cluster.removeFromIsr(ORDERS, 3);
  expect(await cluster.deleteRecords(ORDERS, 4)).toBe(4);
  expect(startsOf(cluster)).toEqual([4, 4, 0]);
  await cluster.promote(ORDERS, 3, { unclean: true });
  expect(startsOf(cluster)).toEqual([4, 4, 4]);
  expect(valuesOf(cluster, ORDERS)).toEqual(["s4"]);
});

test("whatever instant the process dies at, what an answered deletion took is on no log that serves", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await sendToAll(cluster, SECRETS);
  const copy = await copied(cluster, world, 1);
  await cluster.deleteRecords(ORDERS, 3);
  await cluster.close();
  restoreBroker(world.disk, 1, copy);
  const instants = [world.disk.clone()];
  world.disk.beforeChange(() => instants.push(world.disk.clone()));
  await (await openReplicated(world)).close();
  expect(instants.length).toBeGreaterThan(10);
  for (const [nth, disk] of instants.entries()) {
    disk.crash({ mode: nth % 2 === 0 ? "kept" : "lost" });
    const again = await openReplicated(worldOn(disk));
    expect(startsOf(again), `instant ${nth}`).toEqual([3, 3, 3]);
    expect(valuesOf(again, ORDERS), `instant ${nth}`).toEqual(["s3", "s4"]);
    await again.crash();
  }
});

test("where the metadata cannot say so, nothing is deleted at the leader", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { config: { reserveBytes: 0 } });
  await sendToAll(cluster, SECRETS);
  const fault = world.faults.arm({ point: "metadata.before_rename", action: "error" });
  await expect(cluster.deleteRecords(ORDERS, 3)).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  expect(fault.hits).toBe(1);
  expect(valuesOf(cluster, ORDERS)).toEqual(SECRETS);
  expect(await cluster.deleteRecords(ORDERS, 3)).toBe(3);
});

test("where a log that was put back refuses to delete, it hides what was deleted, and the next start removes it", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await sendToAll(cluster, SECRETS);
  const copy = await copied(cluster, world, 2);
  await cluster.deleteRecords(ORDERS, 3);
  await cluster.stopBroker(2);
  restoreBroker(world.disk, 2, copy);
  const fault = world.faults.arm({ point: "manifest.before_write", action: "error", site: { brokerId: 2 } });
  await cluster.startBroker(2);
  expect(fault.hits).toBe(1);
  const copyOf2 = () => cluster.replicaSet(ORDERS).leadership.requireCopy(2);
  expect([copyOf2().log.logStartOffset, copyOf2().log.isHiding]).toEqual([3, true]);
  await cluster.stopBroker(2);
  await cluster.startBroker(2);
  expect([copyOf2().log.logStartOffset, copyOf2().log.isHiding]).toEqual([3, false]);
});
