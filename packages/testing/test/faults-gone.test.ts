/** Questions about a fault whose broker is gone are answered at once, with the reason: nobody comes who could answer them. */
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startBroker, type TestBroker } from "../src/index.ts";

/** Has a restart fail: somebody else listens where the broker did. */
async function failRestart(broker: TestBroker): Promise<void> {
  const { port } = broker.address;
  await broker.daemon.kill();
  const server = createServer().listen(port, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  await expect(broker.restart()).rejects.toMatchObject({ code: "EADDRINUSE" });
}

const GOES = [
  ["a restart that failed", failRestart, "could not be started again"],
  ["daemon.kill() by hand", (broker: TestBroker) => broker.daemon.kill(), "ended by hand"],
  ["daemon.close() by hand", (broker: TestBroker) => broker.daemon.close(), "ended by hand"],
] as const;
const ORDERS = [
  { point: "log.append.after_write", action: "crash" },
  { point: "request.fetch", action: "hold" },
] as const;

test.each(
  GOES.flatMap(([name, go, why]) => ORDERS.map((order) => [name, order.action, go, why, order] as const)),
)(
  "after %s all about a %s is answered at once, and nothing is armed",
  async (_name, _action, go, why, order) => {
    await using broker = await startBroker({ kafka: false, topics: { orders: 1 } });
    const rule = await broker.fault.arm(order);
    await go(broker);
    const refused = { code: "CONNECTION", message: expect.stringContaining(why) };
    // Its own watch may have been the first to be told.
    const unseen = order.action === "crash" ? "not seen to act before its broker went" : why;
    for (const ask of [() => rule.assertFired(), () => rule.counts(), () => rule.whenFired()])
      await expect(ask()).rejects.toMatchObject({ ...refused, message: expect.stringContaining(unseen) });
    await expect(broker.fault.arm(order)).rejects.toMatchObject(refused);
    expect(await rule.disarm()).toBe(false);
  },
);

test.each(GOES.slice(1))(
  "after %s steps and looks are refused at once, a client is told why, and a restart brings all back",
  async (_name, go, why) => {
    await using broker = await startBroker({ kafka: false, topics: { orders: 1 } });
    await go(broker);
    const refused = { code: "CONNECTION", message: expect.stringContaining(why) };
    await expect(broker.step.next()).rejects.toMatchObject(refused);
    await expect(broker.clock.advanceToNextDeadline()).rejects.toMatchObject(refused);
    expect(() => broker.records("orders")).toThrow(expect.objectContaining(refused));
    await expect(broker.connect()).rejects.toMatchObject(refused);
    await broker.restart();
    expect(broker.records("orders")).toEqual([]);
    expect(await broker.step.next()).toBeDefined();
  },
);

test("a rule whose block ends after its broker was closed ends well: nothing is armed any more", async () => {
  const broker = await startBroker({ kafka: false, topics: { orders: 1 } });
  await (async () => {
    await using _hold = await broker.fault.arm({ point: "request.fetch", action: "hold" });
    await using _crash = await broker.fault.arm({ point: "log.append.after_write", action: "crash" });
    await broker.close();
  })();
});

test("a question that was put during a restart ends as that fails", async () => {
  await using broker = await startBroker({ kafka: false, topics: { orders: 1 } });
  const rule = await broker.fault.arm({ point: "request.fetch", action: "hold" });
  const { port } = broker.address;
  await broker.daemon.kill();
  const server = createServer().listen(port, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const restarted = broker.restart().catch((problem: unknown) => problem);
  await Promise.resolve();
  await expect(rule.counts()).rejects.toMatchObject({ code: "CONNECTION" });
  expect(await restarted).toMatchObject({ code: "EADDRINUSE" });
});
