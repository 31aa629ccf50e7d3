/** A look is no request: nothing is written for it, and no fault that waits for the application acts at it. */
import { expect, test } from "vitest";
import { startBroker } from "../src/index.ts";

/** One batch each, so that none has an index until somebody reads it. */
const SMALL_SEGMENTS = { orders: { config: { segment_bytes: 1024 } } };

test.each([
  { point: "log.index.before_write", action: "error" },
  { point: "log.index.before_write", action: "crash" },
  { point: "log.time_index.after_write", action: "crash" },
  { point: "disk.create.before", action: "error", topic: "orders" },
  { point: "disk.write.after", action: "crash", topic: "orders" },
] as const)("no look spends a fault of action $action at $point", async (order) => {
  await using broker = await startBroker({ clock: "manual", topics: SMALL_SEGMENTS });
  const producer = broker.client.producer({ acks: 1 });
  for (let n = 0; n < 3; n++) await producer.send({ topic: "orders", value: "x".repeat(600) });
  await broker.step.flushLogs();
  const rule = await broker.fault.arm(order);
  expect(broker.records("orders")).toHaveLength(3);
  expect(broker.records("orders", { isolation: "read_committed" })).toHaveLength(3);
  expect(broker.partition("orders", 0).logEndOffset).toBe(3);
  expect([broker.group("billing"), broker.transactions()]).toEqual([null, []]);
  expect(await broker.waitForRecords("orders", 3)).toHaveLength(3);
  expect(await rule.hits()).toBe(0);
  await rule.disarm();
});

test("who reads by a request after that writes the index, and meets the fault", async () => {
  await using broker = await startBroker({ clock: "manual", topics: SMALL_SEGMENTS });
  const producer = broker.client.producer({ acks: 1 });
  for (let n = 0; n < 3; n++) await producer.send({ topic: "orders", value: "x".repeat(600) });
  await broker.step.flushLogs();
  const rule = await broker.fault.arm({ point: "log.index.before_write", action: "error" });
  expect(broker.records("orders")).toHaveLength(3);
  const consumer = broker.client.consumer();
  consumer.assign([{ topic: "orders", partition: 0, offset: 0 }]);
  expect((await consumer.poll()).length).toBeGreaterThan(0);
  await rule.assertFired();
});
