/** A copy whose log cannot be opened: it is set aside, and fetched anew when it rejoins. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { FOLDER } from "./cluster-world.ts";
import { rewrite } from "./log-world.ts";
import { inSyncOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

const COPY = `${FOLDER}/broker-2/orders-0`;

/** Broker 2 starts anew with a manifest that nobody can read. */
async function ruin(world: World, cluster: BrokerCluster): Promise<void> {
  await cluster.stopBroker(2);
  rewrite(world.disk, `${COPY}/manifest.json`, (bytes) => bytes.subarray(0, 1));
  await cluster.startBroker(2);
}

async function replicated(world: World): Promise<BrokerCluster> {
  const cluster = await openReplicated(world);
  await send(cluster, ["a", "b"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  return cluster;
}

function foldersOf(world: World): string[] {
  return world.disk
    .readFolder(`${FOLDER}/broker-2`)
    .flatMap(({ name, kind }) => (kind === "folder" ? name : []));
}

test("two copies that are ruined within a millisecond are both set aside, and stay when the folder is opened again", async () => {
  const world = memoryWorld();
  const cluster = await replicated(world);
  for (let time = 0; time < 2; time++) {
    await ruin(world, cluster);
    expect(await cluster.rejoin(ORDERS, 2)).toMatchObject({ inSyncReplicas: [1, 2, 3] });
    expect(valuesOn(cluster, 2)).toEqual(["a", "b"]);
  }
  const nowMs = world.clock.nowMs();
  const folders = ["orders-0", `orders-0.set-aside-${nowMs}.1`, `orders-0.set-aside-${nowMs}.2`];
  expect(foldersOf(world).sort()).toEqual(folders);
  await cluster.close();
  await openReplicated(world);
  expect(foldersOf(world).sort()).toEqual(folders);
});

test("a copy that holds no record is set aside all the same, and nothing of it is cleared", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await ruin(world, cluster);
  await cluster.rejoin(ORDERS, 2);
  await cluster.close();
  await openReplicated(world);
  const aside = `${COPY}.set-aside-${world.clock.nowMs()}.1`;
  expect(world.disk.stat(`${aside}/manifest.json`)).toMatchObject({ sizeBytes: 1 });
});

test("an attempt that the disk refuses, at whichever change, leaves no folder more, and the next one rejoins", async () => {
  let refusals = 0;
  for (let nth = 1; ; nth++) {
    const world = memoryWorld();
    const cluster = await replicated(world);
    await ruin(world, cluster);
    // Once here, and once again where an undo would clear up.
    for (const each of [nth, nth + 1])
      world.disk.fail({ operation: "change", code: "EIO", path: /broker-2/, times: { nth: each } });
    const problem = await cluster.rejoin(ORDERS, 2).then(
      ({ problem }) => problem,
      (refused: Error) => refused.message,
    );
    if (problem === null) break;
    refusals++;
    // The second refusal may come in an attempt of these, and fail the broker there.
    for (let retry = 0; retry < 3 && !inSyncOf(cluster).includes(2); retry++) {
      if (cluster.describeCluster().brokers[1]?.state === "failed") {
        await cluster.stopBroker(2);
        await cluster.startBroker(2);
      }
      await cluster.rejoin(ORDERS, 2).catch(() => undefined);
    }
    await cluster.replicateOnce();
    expect(valuesOrNone(cluster), `change ${nth}`).toEqual(["a", "b"]);
    expect(inSyncOf(cluster), `change ${nth}`).toEqual([1, 2, 3]);
    // One for each copy that a start could not open, and none for an attempt.
    const ruined = world.events.of("log_offline").length;
    expect(foldersOf(world), `change ${nth}`).toHaveLength(1 + ruined);
  }
  expect(refusals).toBeGreaterThan(5);
});

test("what is set aside is there after a power cut, also where the first sync of that failed", async () => {
  const world = memoryWorld();
  const cluster = await replicated(world);
  await cluster.steps.flushLogs();
  await ruin(world, cluster);
  world.disk.fail({ operation: "syncFolder", code: "EIO", path: `${FOLDER}/broker-2`, times: { nth: 2 } });
  for (let attempt = 0; attempt < 3 && !inSyncOf(cluster).includes(2); attempt++)
    await cluster.rejoin(ORDERS, 2).catch(() => undefined);
  await cluster.replicateOnce();
  expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
  world.disk.crash({ mode: "lost" });
  expect(foldersOf(world)).toEqual(["orders-0", `orders-0.set-aside-${world.clock.nowMs()}.1`]);
});

function valuesOrNone(cluster: BrokerCluster): string[] {
  const copy = cluster.replicaSet(ORDERS).copies.find(({ brokerId }) => brokerId === 2);
  return copy?.isOnline === true ? valuesOn(cluster, 2) : [];
}

test("one in sync whose log is made anew is not in sync until it holds everything again", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { config: { replicaFetchMaxBytes: 1 } });
  await send(cluster, ["a", "b"]);
  for (let round = 0; round < 3; round++) await cluster.replicateOnce();
  // Without its leader it is not judged when it starts.
  await cluster.stopBroker(1);
  await ruin(world, cluster);
  await cluster.startBroker(1);
  expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
  await cluster.rejoin(ORDERS, 2);
  expect([valuesOn(cluster, 2), inSyncOf(cluster)]).toEqual([["a"], [1, 3]]);
  expect(await rejection(cluster.promote(ORDERS, 2))).toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
});
