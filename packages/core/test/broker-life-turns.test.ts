/** Stops, starts and ends that are asked for in one turn of the event loop: each takes effect after the one before. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { openReplicated, send, settle, valuesOn } from "./replica-world.ts";
import { memoryWorld, worldOn } from "./world.ts";

/** What may be asked of one broker in one turn of the event loop, by name. */
const LIFECYCLE_CALLS: Record<string, (cluster: BrokerCluster) => Promise<unknown>> = {
  stop: (cluster) => cluster.stopBroker(2),
  start: (cluster) => cluster.startBroker(2),
  close: (cluster) => cluster.close(),
  crash: (cluster) => cluster.crash(),
};
const LIFECYCLE_PAIRS = ["running", "stopped"].flatMap((state) =>
  ["stop", "start", "close", "crash"].flatMap((one) =>
    ["stop", "start", "close", "crash"].flatMap((two) =>
      ["stop", "start", "close"].map((three): [string, string, string, string] => [state, one, two, three]),
    ),
  ),
);

test.each(LIFECYCLE_PAIRS)(
  "a broker that is %s bears %s, %s and %s in one turn, each after the other",
  async (...row) => {
    const [state, ...calls] = row;
    const world = memoryWorld();
    const cluster = await openReplicated(world);
    await send(cluster, ["a"]);
    await cluster.replicateOnce();
    if (state === "stopped") await cluster.stopBroker(2);
    // With the syncs held back, what closes logs is under way while the next call comes.
    world.disk.holdSyncs();
    const called = calls.map((name) => LIFECYCLE_CALLS[name]?.(cluster));
    await settle();
    world.disk.releaseSyncs();
    for (const result of await Promise.allSettled(called)) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "SHUTTING_DOWN" });
    }
    const last = calls.at(-1);
    if (calls.every((name) => name === "stop" || name === "start"))
      expect(cluster.describeCluster().brokers[1]?.state).toBe(last === "stop" ? "stopped" : "running");
    await cluster.close();
    world.disk.crash({ mode: "lost" });
    const again = await openReplicated(worldOn(world.disk));
    expect(valuesOn(again, 2).length).toBeLessThanOrEqual(1);
    if (!calls.includes("crash")) expect(valuesOn(again, 2)).toEqual(["a"]);
  },
);

test("a broker that is asked to stop while it stops badly tells both how it ended, and so does every later stop", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await send(cluster, ["a"]);
  await cluster.replicateOnce();
  world.disk.fail({ operation: "sync", code: "EIO", path: /broker-2.*log$/ });
  const stops = await Promise.all([cluster.stopBroker(2), cluster.stopBroker(2)]);
  const unclean = { brokerId: 2, clean: false };
  expect([...stops, await cluster.stopBroker(2)]).toEqual([unclean, unclean, unclean]);
  expect(await cluster.startBroker(2)).toEqual(unclean);
  expect(await cluster.stopBroker(2)).toEqual({ brokerId: 2, clean: true });
  expect(await cluster.stopBroker(2)).toEqual({ brokerId: 2, clean: true });
});
