/** What is held at a fault point stands still, and nothing else does. */
import { expect, test } from "vitest";
import type { FaultPoint } from "../src/env/fault-point.ts";
import type { FaultRule } from "../src/env/fault-rule.ts";
import { append, batchOf, openCluster, valuesOf } from "./cluster-world.ts";
import { commit, committed, openOffsets } from "./offsets-world.ts";
import { outcomeOf, settle } from "./replica-world.ts";
import {
  A,
  B,
  committedIn,
  openTransactions,
  stateOf,
  TransactionalProducer,
} from "./transactional-producer.ts";
import { memoryWorld, worldOn } from "./world.ts";

const ORDERS = { topic: "orders", partition: 0 };

async function withOrders() {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  cluster.createTopic({ topic: "orders", partitions: 2 });
  return { world, cluster };
}

/** Somebody is held, and all others have done what they can. */
async function settledAt(hold: FaultRule): Promise<void> {
  for (let turns = 0; hold.held === 0 && turns < 10; turns++) await settle();
  expect(hold.held).toBe(1);
}

test.each(["log.flush.before_sync", "log.flush.after_sync", "disk.sync.before", "disk.sync.after"] as const)(
  "at %s nobody is told that his record is durable, and others write meanwhile",
  async (point) => {
    const { world, cluster } = await withOrders();
    const hold = world.faults.arm({ point, action: "hold", site: ORDERS });
    const sent = append(cluster, ORDERS, "held", "all");
    expect(await outcomeOf(sent)).toBe("pending");
    expect(hold.held).toBe(1);
    await append(cluster, ORDERS, "behind", 1);
    await append(cluster, { topic: "orders", partition: 1 }, "elsewhere", "all");
    expect(hold.release()).toBe(1);
    expect(await outcomeOf(sent)).toBe("kept");
    expect(valuesOf(cluster, ORDERS)).toEqual(["held", "behind"]);
    await cluster.close();
  },
);

test("a process that dies while a sync is held has synced nothing, and does nothing when it is let go", async () => {
  const { world, cluster } = await withOrders();
  const hold = world.faults.arm({ point: "log.flush.before_sync", action: "hold", site: ORDERS });
  const sent = cluster.appendBatch(ORDERS, batchOf(["lost"]), { acks: "all" });
  sent.catch(() => {});
  await settle();
  await cluster.crash();
  world.disk.crash({ mode: "lost" });
  const again = await openCluster(worldOn(world.disk));
  const changes = world.disk.changeCount;
  hold.release();
  await settle();
  expect(world.disk.changeCount).toBe(changes);
  expect(valuesOf(again, ORDERS)).toEqual([]);
  expect(await outcomeOf(sent)).not.toBe("kept");
  await again.close();
});

test("between two markers a transaction is committed in one partition and open in the other", async () => {
  const world = memoryWorld();
  const cluster = await openTransactions(world);
  const producer = await new TransactionalProducer(cluster).init();
  await producer.begin();
  await producer.send(A, "a");
  await producer.send(B, "b");
  const hold = world.faults.arm({ point: "transaction.marker.before_request", action: "hold", site: B });
  const ended = producer.end(true);
  expect(await outcomeOf(ended)).toBe("pending");
  expect([committedIn(cluster, A), committedIn(cluster, B)]).toEqual([["a"], []]);
  expect(await stateOf(cluster)).toMatch(/^prepare_commit/);
  hold.release();
  await ended;
  expect([committedIn(cluster, A), committedIn(cluster, B)]).toEqual([["a"], ["b"]]);
  expect(hold.fired).toBe(1);
});

test.each<[FaultPoint, string]>([
  ["transaction.prepare.after_write", "prepare_commit"],
  ["transaction.complete.after_write", "complete_commit"],
])("held at %s a transaction stands at what is durable by then", async (point, state) => {
  const world = memoryWorld();
  const cluster = await openTransactions(world);
  const producer = await new TransactionalProducer(cluster).init();
  await producer.begin();
  await producer.send(A, "a");
  const hold = world.faults.arm({ point, action: "hold" });
  const ended = producer.end(true);
  await settledAt(hold);
  expect(await outcomeOf(ended)).toBe("pending");
  expect(await stateOf(cluster)).toMatch(new RegExp(`^${state}`));
  hold.release();
  await ended;
  expect(committedIn(cluster, A)).toEqual(["a"]);
});

test("while a coordinator's load is held its groups wait, and know what they knew once it goes on", async () => {
  const world = memoryWorld();
  const before = await openOffsets(world);
  await commit(before, "readers", "orders:0=5");
  await before.close();
  const again = worldOn(world.disk);
  const hold = again.faults.arm({ point: "coordinator.load.before_read", action: "hold" });
  const cluster = await openOffsets(again);
  const asked = committed(cluster, "readers");
  expect(await outcomeOf(asked)).toBe("pending");
  await append(cluster, ORDERS, "meanwhile", "all");
  hold.release();
  expect(await asked).toEqual(["orders:0=5"]);
});
