/** What a test sees of a broker that a fault has let die: that it is dead, and not that nothing is there. */
import { expect, test } from "vitest";
import { startBroker, type TestBroker } from "../src/index.ts";

const POINT = "log.append.after_write";
const CRASHED = {
  code: "CRASHED",
  message: `the broker has crashed (at ${POINT}); restart() or reset() starts it again`,
  details: { point: POINT },
};

/** Dies as it has written a record, whose producer goes on trying. */
async function letDie(broker: TestBroker): Promise<void> {
  const fired = new Promise<void>((resolve) => {
    broker.daemon.onEvent(({ kind }) => kind === "fault_fired" && resolve());
  });
  await broker.fault.arm({ point: POINT, action: "crash" });
  const producer = broker.client.producer({ idempotent: true });
  producer.send({ topic: "orders", value: "once" }).catch(() => undefined);
  await fired;
  // The event is told before the crash is thrown through the write.
  await new Promise((resolve) => setImmediate(resolve));
}

test("after a crash every look says where the broker died and what starts it again", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  expect(broker.records("orders")).toEqual([]);
  await letDie(broker);
  for (const look of [
    () => broker.records("orders"),
    () => broker.partition("orders", 0),
    () => broker.group("billing"),
    () => broker.transactions(),
  ])
    expect(look).toThrow(expect.objectContaining(CRASHED));
});

test("a wait of a broker that has crashed says so when its time is over", async () => {
  await using broker = await startBroker({ topics: { orders: 1 }, waitTimeoutMs: 1 });
  await letDie(broker);
  const missing = `CRASHED: ${CRASHED.message}`;
  for (const [waited, what] of [
    [broker.waitForRecords("orders", 1), "1 record in orders"],
    [broker.waitForGroup("billing"), "the group billing"],
    [broker.waitUntil("a leader", () => broker.partition("orders", 0).leaderId === 0), "a leader"],
  ] as const)
    await expect(waited).rejects.toMatchObject({
      name: "WaitTimedOut",
      message: `waited 1 ms for ${what}: ${missing}`,
    });
  // What is no matter of the broker's comes all the same.
  await broker.waitUntil("the test", () => true);
});

test("what crashed can be looked into again after a restart, which waits wait for, and after a reset", async () => {
  await using broker = await startBroker({ topics: { orders: 1 }, waitTimeoutMs: 30_000 });
  await letDie(broker);
  const arrived = broker.waitForRecords("orders", 1);
  await broker.restart({ after: "kill" });
  expect(await arrived).toMatchObject([{ value: "once" }]);
  await broker.fault.crash();
  expect(() => broker.records("orders")).toThrow(
    "has crashed (at the operation crash); restart() or reset()",
  );
  await broker.reset();
  expect(broker.records("orders")).toEqual([]);
});

test("a broker that has crashed refuses steps and faults at once, and takes them again after a restart", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await using rule = await broker.fault.arm({ point: "request.fetch", action: "hold" });
  await letDie(broker);
  for (const order of [
    () => broker.step.runUntilQuiet(),
    () => broker.step.advanceClock(5),
    () => broker.clock.advanceToNextDeadline(),
    () => rule.release(),
    () => broker.fault.arm({ point: POINT, action: "crash" }),
    () => broker.fault.crash(),
  ])
    await expect(order()).rejects.toMatchObject(CRASHED);
  expect(() => broker.step.events()).toThrow(expect.objectContaining(CRASHED));
  // What they have done is known all the same.
  expect((await broker.fault.list()).rules).toMatchObject([{ fired: 0 }, { fired: 1 }]);
  expect(await rule.counts()).toEqual({ hits: 0, fired: 0, held: 0 });
  await broker.restart({ after: "kill" });
  expect((await broker.fault.list()).rules).toEqual([]);
});

test("a rule in whose block the broker has crashed ends with it, and the block well", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await (async () => {
    await using _rule = await broker.fault.arm({ point: "request.fetch", action: "close" });
    await letDie(broker);
  })();
});

test("an order that is given while the broker that has crashed is started again waits for it", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await letDie(broker);
  const restarted = broker.restart({ after: "kill" });
  await Promise.resolve();
  expect((await broker.fault.list()).rules).toEqual([]);
  await restarted;
});

test("a request that waits for a broker that has crashed says so when it gives up", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await letDie(broker);
  // An attempt, so that the reason is there before the time is over.
  await expect(broker.client.open()).rejects.toMatchObject({ code: "CONNECTION" });
  await expect(broker.client.admin().listTopics({ timeoutMs: 1 })).rejects.toMatchObject({
    code: "CONNECTION",
    message: expect.stringContaining(`cannot connect to the broker in this process: ${CRASHED.message}`),
  });
  await using producer = broker.client.producer({ deliveryTimeoutMs: 1 });
  await expect(producer.send({ topic: "orders", value: "late" })).rejects.toMatchObject({
    message: expect.stringContaining(CRASHED.message),
  });
});

test.each([
  ["a crash", (broker: TestBroker) => broker.fault.crash(), "the broker has crashed"],
  ["daemon.kill()", (broker: TestBroker) => broker.daemon.kill(), "ended by hand"],
] as const)(
  "a wait for what a test looks at itself says after %s that nobody is there",
  async (_how, end, why) => {
    await using broker = await startBroker({ kafka: false, waitTimeoutMs: 1 });
    await end(broker);
    await expect(broker.waitUntil("it", () => false)).rejects.toThrow(why);
  },
);
