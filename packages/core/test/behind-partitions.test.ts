/** What the daemon asks in auto mode: a round only for those of which a follower may lack something. */
import { expect, test } from "vitest";
import { marksOf, openReplicated, send } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

test("an append puts its partition on the list, and it stays there until every follower has all and has heard of it", async () => {
  const cluster = await openReplicated(memoryWorld());
  while ((await cluster.steps.replicateBehind()) > 0);
  let told = 0;
  cluster.steps.onBehind(() => told++);
  expect(told).toBe(0);
  await send(cluster, ["a", "b"]);
  expect(told).toBe(1);
  expect(await cluster.steps.replicateBehind()).toBe(1);
  expect(marksOf(cluster)).toEqual(["2/2", "2/0", "2/0"]);
  expect(await cluster.steps.replicateBehind()).toBe(0);
  expect(marksOf(cluster)).toEqual(["2/2", "2/2", "2/2"]);
});

test("a partition with trouble is not tried again at once, and is when somebody asks once its pause is over", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["a"]);
  const site = { brokerId: 2 };
  const fault = world.faults.arm({
    point: "log.append.before_write",
    action: "error",
    times: "always",
    site,
  });
  expect(await cluster.steps.replicateBehind()).toBe(0);
  expect([fault.hits, marksOf(cluster)]).toEqual([1, ["1/0", "0/0", "1/0"]]);
  expect(await cluster.steps.replicateBehind()).toBe(0);
  expect(fault.hits).toBe(1);
  world.faults.disarm();
  let told = 0;
  cluster.steps.onBehind(() => told++);
  cluster.steps.retryBehind();
  expect(told).toBe(0);
  world.clock.advance(500);
  cluster.steps.retryBehind();
  expect(told).toBe(1);
  while ((await cluster.steps.replicateBehind()) > 0);
  expect(marksOf(cluster)).toEqual(["1/1", "1/1", "1/1"]);
});

test("a broker that starts, a new leader and an opened cluster put their partitions on the list", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  const isBehind = async () => {
    let told = false;
    cluster.steps.onBehind(() => {
      told = true;
    });
    while ((await cluster.steps.replicateBehind()) > 0);
    return told;
  };
  await isBehind();
  expect(await isBehind()).toBe(false);
  await cluster.stopBroker(3);
  await cluster.startBroker(3);
  expect(await isBehind()).toBe(true);
  await cluster.promote({ topic: "orders", partition: 0 }, 2);
  expect(await isBehind()).toBe(true);
  cluster.deleteTopic("orders");
  expect(await isBehind()).toBe(false);
});
