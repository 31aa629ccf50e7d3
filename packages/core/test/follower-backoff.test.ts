/** A follower that cannot copy: it is tried again ever more seldom in auto mode, always by hand, and told of accordingly. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { inSyncOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

/** The daemon's tick. */
const TICK_MS = 500;

/** What the daemon does in auto mode: rounds while somebody is behind, and a retry with each tick. */
async function daemonRuns(world: World, cluster: BrokerCluster, forMs: number): Promise<void> {
  const rounds = async () => {
    while ((await cluster.steps.replicateBehind()) > 0);
  };
  await rounds();
  for (let passedMs = 0; passedMs < forMs; passedMs += TICK_MS) {
    world.clock.advance(TICK_MS);
    cluster.steps.retryBehind();
    await rounds();
  }
}

/** A cluster whose broker 2 has a full disk, with a record that it could not copy. */
async function withFullFollower() {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await daemonRuns(world, cluster, 0);
  const full = world.disk.fail({
    operation: "write",
    code: "ENOSPC",
    path: /broker-2\/orders-0/,
    times: "always",
  });
  await send(cluster, ["a"]);
  const failures = () => world.events.of("replication_failed");
  const resumptions = () => world.events.of("replication_resumed");
  return { world, cluster, full, failures, resumptions };
}

test("it is told when it begins, then after pauses that double up to a minute, and once when it is over", async () => {
  const { world, cluster, full, failures, resumptions } = await withFullFollower();
  await daemonRuns(world, cluster, 600_000);
  full.assertFired();
  // 0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5 and 63.5 seconds; and every minute from there on.
  expect(failures().map((event) => event.failures)).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
  expect(failures()[0]).toMatchObject({ ...ORDERS, brokerId: 2, leaderId: 1 });
  expect(failures()[0]?.problem).toContain("ENOSPC");
  world.disk.stopFailing();
  await daemonRuns(world, cluster, 60_000);
  expect(valuesOn(cluster, 2)).toEqual(["a"]);
  await daemonRuns(world, cluster, 60_000);
  expect([failures().length, resumptions()]).toMatchObject([16, [{ ...ORDERS, brokerId: 2, failures: 16 }]]);
});

test("who appends meanwhile has it tried no more often, and the other follower copies at once", async () => {
  const { world, cluster, failures } = await withFullFollower();
  const values = ["a"];
  await daemonRuns(world, cluster, 0);
  for (let n = 0; n < 40; n++) {
    values.push(`${n}`);
    await send(cluster, [`${n}`]);
    await daemonRuns(world, cluster, TICK_MS);
    expect(valuesOn(cluster, 3)).toEqual(values);
  }
  // At 0, 0.5, 1.5, 3.5, 7.5 and 15.5 of 20 seconds.
  expect(failures()).toHaveLength(6);
  cluster.steps.refreshIsr();
  expect(inSyncOf(cluster)).toEqual([1, 3]);
  world.disk.stopFailing();
  await daemonRuns(world, cluster, 20_000);
  expect(valuesOn(cluster, 2)).toEqual(values);
  expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
});

test("by hand it is tried with each step, and its success is told as well", async () => {
  const { cluster, world, failures, resumptions } = await withFullFollower();
  for (let step = 0; step < 5; step++) await cluster.replicateOnce();
  expect(failures()).toHaveLength(5);
  world.disk.stopFailing();
  await cluster.replicateOnce();
  expect(resumptions()).toMatchObject([{ brokerId: 2, failures: 5 }]);
  await cluster.replicateOnce();
  expect(resumptions()).toHaveLength(1);
});

test("a broker that starts again and a new leader have it tried at once", async () => {
  const { cluster, world, failures } = await withFullFollower();
  await daemonRuns(world, cluster, 60_000);
  expect(failures()).toHaveLength(7);
  await cluster.stopBroker(2);
  await daemonRuns(world, cluster, 120_000);
  expect(failures()).toHaveLength(7);
  await cluster.startBroker(2);
  await daemonRuns(world, cluster, 0);
  expect(failures()).toHaveLength(8);
  await cluster.promote(ORDERS, 3);
  await daemonRuns(world, cluster, 0);
  expect(failures()).toHaveLength(9);
});

test("a metadata file that cannot be replaced is tried again as seldom, and followers copy meanwhile", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await daemonRuns(world, cluster, 0);
  await cluster.stopBroker(3);
  world.clock.advance(20_000);
  cluster.steps.refreshIsr();
  expect(inSyncOf(cluster)).not.toContain(3);
  const refused = world.disk.fail({
    operation: "open",
    code: "ENOSPC",
    path: /metadata\.json/,
    times: "always",
  });
  await cluster.startBroker(3);
  let problems = 0;
  for (let tick = 0; tick < 40; tick++) {
    await send(cluster, [`${tick}`]);
    for (let left = 1; left > 0; ) {
      left = await cluster.steps.replicateBehind().catch(() => {
        problems += 1;
        return 0;
      });
    }
    world.clock.advance(TICK_MS);
    cluster.steps.retryBehind();
  }
  refused.assertFired();
  expect(problems).toBe(6);
  expect(valuesOn(cluster, 3)).toHaveLength(40);
  world.disk.stopFailing();
  await daemonRuns(world, cluster, 20_000);
  expect(inSyncOf(cluster)).toContain(3);
});
