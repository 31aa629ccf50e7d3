/** A fault that lets the broker die is waited for like any other. */
import { connect } from "@minikafka/client";
import { expect, test } from "vitest";
import { startBroker, type TestBroker } from "../src/index.ts";

const POINT = "log.append.after_write";

function send(broker: TestBroker): void {
  broker.client
    .producer({ idempotent: true })
    .send({ topic: "orders", value: "once" })
    .catch(() => undefined);
}

test.each([POINT, "log.append.before_write", "request.produce"])(
  "whenFired of a crash at %s resolves once the broker has died of it",
  async (point) => {
    await using broker = await startBroker({ topics: { orders: 1 } });
    const rule = await broker.fault.arm({ point, action: "crash" });
    const fired = rule.whenFired();
    send(broker);
    await fired;
    // What is known needs nobody to be asked for.
    await rule.assertFired();
    expect(() => broker.records("orders")).toThrow(
      expect.objectContaining({ code: "CRASHED", details: { point } }),
    );
    await broker.restart({ after: "kill" });
  },
);

test("so does that of a client at the broker's port", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await using client = await connect(broker.address);
  const rule = await client.faults().arm({ point: POINT, action: "crash" });
  const fired = rule.whenFired();
  send(broker);
  await fired;
});

test("a crash of another cause, and a restart, are no firing", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  for (const end of [() => broker.fault.crash(), () => broker.restart()]) {
    const rule = await broker.fault.arm({ point: POINT, action: "crash" });
    const fired = rule.whenFired().then(
      () => "fired",
      (error: { code: string }) => error.code,
    );
    await rule.counts();
    await end();
    expect(await fired).toMatch(/^(?:CONNECTION|CRASHED|SHUTTING_DOWN|USAGE)$/);
    await broker.restart({ after: "kill" });
  }
});

test("who asks a broker that has crashed is told so, and what starts it again", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await broker.fault.crash();
  await expect(broker.connect()).rejects.toMatchObject({
    code: "CONNECTION",
    message: expect.stringContaining("has crashed (at the operation crash); restart() or reset()"),
  });
});
