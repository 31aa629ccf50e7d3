/** A fault at the test's own sends is seen by the hand that armed it, whatever it does to their connection. */
import { expect, test } from "vitest";
import { startBroker } from "../src/index.ts";

const ACTIONS = [
  { action: "close" },
  { action: "close_after" },
  { action: "drop_answer" },
  { action: "error", code: "STORAGE_ERROR" },
  { action: "delay", delayMs: 1 },
  { action: "hold" },
] as const;

const CASES = ACTIONS.flatMap((order) =>
  ["before", "after"].flatMap((when) =>
    ["fresh", "used"].map((state) => [order.action, when, state, order] as const),
  ),
);

test.each(CASES)("%s: whenFired %s the send of a %s client resolves", async (action, when, state, order) => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const producer = broker.client.producer({ deliveryTimeoutMs: 1_000 });
  if (state === "used") await producer.send({ topic: "orders", value: "before" });
  const rule = await broker.fault.arm({ point: "request.produce", ...order });
  const early = when === "before" ? rule.whenFired() : null;
  const sent = producer.send({ topic: "orders", value: "x" }).catch(() => undefined);
  await (early ?? rule.whenFired());
  await rule.assertFired();
  expect((await rule.counts()).fired).toBe(1);
  // Steps are taken as well.
  await broker.step.flushLogs();
  if (action === "hold") expect(await rule.release()).toBe(1);
  if (action !== "drop_answer") await sent;
});
