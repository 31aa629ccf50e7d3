/** A fault from before a restart is forgotten, and none that came later is taken for it, though that has its number. */
import { connect, type Faults } from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { startBroker, type TestBroker } from "../src/index.ts";
import { emptyDir, untilDead } from "./support/ends.ts";

const GONE = { code: "USAGE", message: expect.stringContaining("not armed any more") };

const CRASH = { point: "log.append.after_write", action: "crash" } as const;

async function letDie(broker: TestBroker): Promise<void> {
  broker.client
    .producer()
    .send({ topic: "orders", value: "a" })
    .catch(() => undefined);
  await untilDead(broker);
}

async function expectForgotten(broker: TestBroker, faults: Faults, anew: () => Promise<void>): Promise<void> {
  const before = await faults.arm({ point: "request.fetch", action: "hold" });
  await anew();
  const after = await faults.arm({ point: "request.produce", action: "close_after" });
  expect(after.id).toBe(before.id);
  await broker.client.producer({ idempotent: true }).send({ topic: "orders", value: "a" });
  await expect(before.assertFired()).rejects.toMatchObject(GONE);
  await expect(before.counts()).rejects.toMatchObject(GONE);
  await expect(before.whenFired()).rejects.toMatchObject(GONE);
  await expect(before.release()).rejects.toMatchObject(GONE);
  expect(await before.disarm()).toBe(false);
  await after.assertFired();
  expect(await after.disarm()).toBe(true);
}

test.each(["restart", "reset"] as const)("after a %s", async (how) => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await expectForgotten(broker, broker.fault, () => broker[how]());
});

test("also by a client at the port that was connected all along, with a manual clock", async () => {
  await using broker = await startBroker({ clock: "manual", topics: { orders: 1 } });
  await using client = await connect(broker.address);
  await expectForgotten(broker, client.faults(), () => broker.restart({ after: "kill" }));
});

test("a fault is still itself when a snapshot from behind its arming is loaded", async () => {
  await using broker = await startBroker({ clock: "manual", topics: { orders: 1 } });
  const rule = await broker.fault.arm({ point: "request.produce", action: "close_after" });
  await broker.client.snapshots().save("armed");
  await broker.client.producer({ idempotent: true }).send({ topic: "orders", value: "a" });
  await rule.assertFired();
  await broker.client.snapshots().load("armed");
  expect(await rule.counts()).toMatchObject({ hits: 0, fired: 0 });
});

test.each(["hold", "crash"] as const)(
  "who waits for a %s as a snapshot from before it is loaded is told that it is gone",
  async (action) => {
    await using broker = await startBroker({ clock: "manual", topics: { orders: 1 } });
    await broker.client.snapshots().save("bare");
    const rule = await broker.fault.arm({ point: "request.fetch", action });
    const fired = rule.whenFired().catch((problem: unknown) => problem);
    await rule.counts();
    await broker.client.snapshots().load("bare");
    expect(await fired).toMatchObject(GONE);
  },
);

test.each(["broker.fault", "a client in process", "a client at the port"] as const)(
  "a crash that a snapshot has armed anew is seen, by %s, though nobody has asked since the load",
  async (whose) => {
    await using broker = await startBroker({ clock: "manual", topics: { orders: 1 } });
    await using client = await connect(broker.address);
    const faults = { "broker.fault": broker.fault, "a client in process": broker.client.faults() };
    const crash = await (whose === "a client at the port" ? client.faults() : faults[whose]).arm(CRASH);
    await broker.client.snapshots().save("armed");
    for (let time = 0; time < 3; time += 1) await broker.client.snapshots().load("armed");
    await client.admin().listTopics();
    await letDie(broker);
    await crash.assertFired();
    await crash.whenFired();
  },
);

test("a crash that was seen, and that a snapshot has armed once more, is disarmed all the same", async () => {
  await using broker = await startBroker({
    clock: "manual",
    topics: { orders: 1 },
    storage: { dir: await emptyDir() },
  });
  const crash = await broker.fault.arm(CRASH);
  await broker.client.snapshots().save("armed", { keep: "folder" });
  await letDie(broker);
  await crash.assertFired();
  expect(await crash.disarm()).toBe(false);
  await broker.restart();
  expect(await crash.disarm()).toBe(false);
  await broker.client.snapshots().load("armed");
  expect((await broker.fault.list()).rules).toMatchObject([CRASH]);
  expect(await crash.disarm()).toBe(true);
  expect((await broker.fault.list()).rules).toEqual([]);
  await broker.client.producer().send({ topic: "orders", value: "a" });
  // What was seen stays proved.
  await crash.assertFired();
});

test("who waits for a fault as a snapshot with it is loaded waits on", async () => {
  await using broker = await startBroker({ clock: "manual", topics: { orders: 1 } });
  const rule = await broker.fault.arm({ point: "request.produce", action: "close_after" });
  await broker.client.snapshots().save("armed");
  const fired = rule.whenFired();
  await rule.counts();
  await broker.client.snapshots().load("armed");
  await broker.client.producer({ idempotent: true }).send({ topic: "orders", value: "a" });
  await fired;
});

test("whenFired of a fault from before a restart is not told of one that has its number since, however often that acts, and leaves nothing behind", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  await using broker = await startBroker({ topics: { orders: 1 } });
  const old = await broker.fault.arm({ point: "request.fetch", action: "error", code: "STORAGE_ERROR" });
  await broker.restart();
  const busy = await broker.fault.arm({
    point: "request.produce",
    action: "delay",
    delayMs: 1,
    times: "always",
  });
  expect(busy.id).toBe(old.id);
  // As it acts, asking again and again is to meet with each place where its event may overtake an answer.
  const producer = broker.client.producer();
  let isOver = false;
  const acting = (async () => {
    while (!isOver) await producer.send({ topic: "orders", value: "x" });
  })();
  for (let time = 0; time < 100; time += 1) await expect(old.whenFired()).rejects.toMatchObject(GONE);
  isOver = true;
  await acting;
  expect(warnings).toEqual([]);
});
