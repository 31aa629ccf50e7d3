/** A fault that lets the broker die is proved like any other, however the test and the death fall together. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect, type Faults } from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { startBroker, type TestBroker } from "../src/index.ts";
import { untilDead } from "./support/ends.ts";

const CONNECTS = "tracing:minikafka:connect:start";
const POINT = "log.append.after_write";
/** All that an idempotent record passes. */
const POINTS = ["request.produce", "log.append.before_write", POINT, "request.init_producer"];

function send(broker: TestBroker): void {
  broker.client
    .producer({ idempotent: true, acks: "all" })
    .send({ topic: "orders", value: "once" })
    .catch(() => undefined);
}

const ORDERS: {
  readonly [how: string]: (broker: TestBroker, whenFired: () => Promise<void>) => Promise<void>;
} = {
  "before the send": async (broker, whenFired) => {
    const fired = whenFired();
    send(broker);
    await fired;
  },
  "right after a send that is not awaited": async (broker, whenFired) => {
    send(broker);
    await whenFired();
  },
  "long after the death": async (broker, whenFired) => {
    send(broker);
    await untilDead(broker);
    await whenFired();
  },
};

const CASES = POINTS.flatMap((point) =>
  Object.keys(ORDERS).flatMap((how) => [
    [point, how, "fresh"] as const,
    ...(point === "request.init_producer" ? [] : [[point, how, "used"] as const]),
  ]),
);

test.each(CASES)(
  "a crash at %s with whenFired %s of a %s broker is proved, and stays so",
  async (point, how, state) => {
    await using broker = await startBroker({ topics: { orders: 1 } });
    if (state === "used") await broker.client.producer().send({ topic: "orders", value: "before" });
    const rule = await broker.fault.arm({ point, action: "crash" });
    await ORDERS[how]?.(broker, () => rule.whenFired());
    await rule.assertFired();
    await rule.whenFired();
    expect(await rule.counts()).toEqual({ hits: 1, fired: 1, held: 0 });
    expect(() => broker.records("orders")).toThrow(
      expect.objectContaining({ code: "CRASHED", details: { point } }),
    );
    await broker.restart({ after: "kill" });
    await rule.assertFired();
  },
);

test.each([
  ["the broker's own client", async (broker: TestBroker) => broker.client.faults()],
  ["a client at its port", async (broker: TestBroker) => (await connect(broker.address)).faults()],
])("so is one that %s has armed", async (_who, faultsOf) => {
  for (const point of POINTS)
    for (const order of Object.values(ORDERS)) {
      await using broker = await startBroker({ topics: { orders: 1 } });
      const faults: Faults = await faultsOf(broker);
      const rule = await faults.arm({ point, action: "crash" });
      await order(broker, () => rule.whenFired());
      await rule.assertFired();
    }
});

test.each(["restart", "reset"] as const)(
  "a crash that nobody has asked about is proved after a %s, whenever that comes, and so is a whenFired under way",
  async (how) => {
    for (const [turns, isAwaited] of [0, 1, 20].flatMap((some) => [
      [some, false] as const,
      [some, true] as const,
    ])) {
      await using broker = await startBroker({ topics: { orders: 1 } });
      const rule = await broker.fault.arm({ point: POINT, action: "crash" });
      const other = await broker.fault.arm({ point: POINT, action: "crash", topic: "nobody" });
      const fired = isAwaited ? rule.whenFired() : null;
      await broker.client
        .producer()
        .send({ topic: "orders", value: "once" })
        .catch(() => undefined);
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      await broker[how]();
      await fired;
      await rule.assertFired();
      expect(await rule.fired()).toBe(1);
      await expect(other.assertFired()).rejects.toMatchObject({ code: "USAGE" });
    }
  },
);

test("what the others had done by the time of a crash can still be proved, and nothing more", async () => {
  await using broker = await startBroker({ topics: { orders: 1, others: 1 } });
  const failed = await broker.fault.arm({ point: "request.ping", action: "error", code: "STORAGE_ERROR" });
  const silent = await broker.fault.arm({ point: POINT, action: "crash", topic: "others" });
  const unmet = silent.whenFired().catch((error: unknown) => error);
  await broker.fault.arm({ point: POINT, action: "crash", topic: "orders" });
  await expect(broker.client.call("ping", {})).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  send(broker);
  await untilDead(broker);
  await failed.assertFired();
  await failed.whenFired();
  expect(await failed.counts()).toEqual({ hits: 1, fired: 1, held: 0 });
  const CRASHED = { code: "CRASHED", details: { point: POINT } };
  expect(await unmet).toMatchObject(CRASHED);
  await expect(silent.assertFired()).rejects.toMatchObject({ code: "FAULT_NOT_FIRED", details: { hits: 0 } });
  await expect(silent.whenFired()).rejects.toMatchObject(CRASHED);
  expect((await broker.fault.list()).rules.map(({ fired }) => fired)).toEqual([1, 0, 1]);
  expect([await failed.disarm(), await broker.fault.disarmAll()]).toEqual([false, 0]);
});

test.each([
  ["the operation crash", (broker: TestBroker) => broker.fault.crash(), "CRASHED"],
  ["restart()", (broker: TestBroker) => broker.restart(), "CLOSED"],
  ["a restart after a kill", (broker: TestBroker) => broker.restart({ after: "kill" }), "CLOSED"],
  ["reset()", (broker: TestBroker) => broker.reset(), "CLOSED"],
  ["close()", (broker: TestBroker) => broker.close(), "CLOSED"],
])("%s is no firing: it ends whenFired with a code of its own", async (_how, end, code) => {
  for (const action of ["crash", "close_after"] as const) {
    await using broker = await startBroker({ topics: { orders: 1 } });
    const rule = await broker.fault.arm({ point: "request.produce", action });
    const fired = rule.whenFired().catch((error: unknown) => error);
    await rule.counts();
    await end(broker);
    const ended = { code, message: expect.stringMatching(/^the broker (has crashed|was re|is closed)/) };
    expect(await fired).toMatchObject(ended);
    await expect(rule.assertFired()).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:FAULT_NOT_FIRED|USAGE|CLOSED)$/),
    });
  }
});

test("a crash in the middle of a restart is told as what it is, and the next one goes well", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  let crash: Promise<unknown> | null = null;
  // As it connects to the one to come, so that this is the first that it is asked.
  const connects = () => {
    crash ??= broker.client
      .faults()
      .crash()
      .catch(() => undefined);
  };
  subscribe(CONNECTS, connects);
  onTestFinished(() => void unsubscribe(CONNECTS, connects));
  await expect(broker.reset()).rejects.toMatchObject({
    code: "CRASHED",
    details: { point: "the operation crash" },
  });
  await crash;
  await broker.reset();
  expect(broker.records("orders")).toEqual([]);
});

test("who asks a broker that has crashed is told so, and what starts it again", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await broker.fault.crash();
  await expect(broker.connect()).rejects.toMatchObject({
    code: "CONNECTION",
    message: expect.stringContaining("has crashed (at the operation crash); restart() or reset()"),
  });
});
