/** Copies that are damaged: what an operator is told, and that what is advised helps. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { FOLDER, valuesOf } from "./cluster-world.ts";
import { copyOfBroker, type FolderCopy, restoreBroker } from "./folder-copy.ts";
import { rewrite } from "./log-world.ts";
import { ORDERS, openReplicated, send } from "./replica-world.ts";
import { memoryWorld, rejection, type World } from "./world.ts";

const UNCLEAN = { unclean: true } as const;

/** Broker `brokerId` starts anew with a manifest that nobody can read. Returns its folder as it was before. */
async function ruin(world: World, cluster: BrokerCluster, brokerId: number): Promise<FolderCopy> {
  await cluster.stopBroker(brokerId);
  const copy = copyOfBroker(world.disk, brokerId);
  const manifest = `${FOLDER}/broker-${brokerId}/orders-0/manifest.json`;
  rewrite(world.disk, manifest, (bytes) => bytes.subarray(0, 1));
  await cluster.startBroker(brokerId);
  return copy;
}

async function messageOf(promise: Promise<unknown>): Promise<string> {
  const { code, message } = (await rejection(promise)) as { code: string; message: string };
  return `${code}: ${message}`;
}

test("the only copy is damaged: it says so, and a copy that is put back is served", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 1 });
  await send(cluster, ["a", "b"], "all");
  const whole = await ruin(world, cluster, 1);
  const told = await messageOf(send(cluster, ["c"]));
  expect(told).toMatch(/^STORAGE_ERROR: orders-0 is off line: .*manifest\.json/);
  expect(told).toContain(
    "nobody in sync is on line to be promoted: stop_broker 1, restore its copy if that is damaged, and start_broker it; or delete the topic",
  );
  expect(await messageOf(cluster.promote(ORDERS, 1, UNCLEAN))).toMatch(
    /^BROKER_NOT_AVAILABLE: broker 1 cannot lead orders-0: .*manifest\.json.*; or delete the topic$/,
  );
  await cluster.stopBroker(1);
  restoreBroker(world.disk, 1, whole);
  await cluster.startBroker(1);
  expect(valuesOf(cluster, ORDERS)).toEqual(["a", "b"]);
});

test("the only copy is damaged, and nobody has another: the topic is deleted, and made anew", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 1 });
  await send(cluster, ["a"], "all");
  await ruin(world, cluster, 1);
  expect(await messageOf(send(cluster, ["b"]))).toContain("or delete the topic");
  cluster.deleteTopic("orders");
  cluster.createTopic({ topic: "orders", partitions: 1 });
  await send(cluster, ["begun anew"], "all");
  expect(valuesOf(cluster, ORDERS)).toEqual(["begun anew"]);
});

test("the last copy in sync is damaged: it says who could lead with a loss, and that one can", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2 });
  await send(cluster, ["held by both"]);
  await cluster.replicateOnce();
  cluster.removeFromIsr(ORDERS, 2);
  await send(cluster, ["held by the leader alone"]);
  await ruin(world, cluster, 1);
  expect(await messageOf(send(cluster, ["refused"]))).toContain(
    "start_broker it; or promote 2 with unclean, which loses what only others hold; or delete the topic",
  );
  await cluster.promote(ORDERS, 2, UNCLEAN);
  expect(valuesOf(cluster, ORDERS)).toEqual(["held by both"]);
});

test("a damaged follower cannot lead, and is told to rejoin its leader, which heals it", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2 });
  await send(cluster, ["a"]);
  await cluster.replicateOnce();
  await ruin(world, cluster, 2);
  expect(await messageOf(cluster.promote(ORDERS, 2, UNCLEAN))).toMatch(
    /^BROKER_NOT_AVAILABLE: broker 2 cannot lead orders-0: .*; rejoin fetches it anew from its leader$/,
  );
  await cluster.rejoin(ORDERS, 2);
  await cluster.promote(ORDERS, 2);
  expect(valuesOf(cluster, ORDERS)).toEqual(["a"]);
});
