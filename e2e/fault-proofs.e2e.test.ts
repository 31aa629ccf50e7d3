/** What proves that a daemon has died of a fault, once its process is gone: what it has told before, and never that it is dead. */
import { type Client, connect } from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

async function client(broker: Daemon): Promise<Client> {
  const opened = await connect({ port: broker.port });
  onTestFinished(() => opened.close());
  return opened;
}

async function experiment() {
  const broker = await startDaemon(temporaryFolder(), ["--lab", "--log-level", "fatal"]);
  const [user, lab] = [await client(broker), await client(broker)];
  for (const topic of ["orders", "others"]) await lab.admin().createTopic({ topic });
  const send = () =>
    user
      .producer({ acks: "all" })
      .send({ topic: "orders", value: "last" })
      .catch(() => undefined);
  return { broker, user, lab, send };
}

const UNSEEN = { code: "CONNECTION", message: expect.stringContaining("was not seen to act") };

test.each(["request.produce", "log.append.before_write", "log.append.after_write", "log.flush.after_sync"])(
  "a daemon that a fault at %s has killed is the proof that whenFired and assertFired find, at once and later",
  async (point) => {
    const { broker, lab, send } = await experiment();
    const rule = await lab.faults().arm({ point, action: "crash" });
    void send();
    await rule.whenFired();
    expect(await broker.ended).toMatchObject({ signal: "SIGKILL" });
    await rule.assertFired();
    expect(await rule.counts()).toMatchObject({ fired: 1, held: 0 });
    // Nobody is left to be asked, and nothing to be disarmed.
    await rule[Symbol.asyncDispose]();
  },
);

test("assertFired alone finds it as well, of a fault that nobody has waited for", async () => {
  const { broker, lab, send } = await experiment();
  const rule = await lab.faults().arm({ point: "log.append.after_write", action: "crash" });
  await send();
  await broker.ended;
  await rule.assertFired();
});

test("a daemon that another fault at the same point has killed proves nothing of the first", async () => {
  const { broker, lab, send } = await experiment();
  const point = "log.append.after_write";
  const silent = await lab.faults().arm({ point, action: "crash", topic: "others" });
  const other = await lab.faults().arm({ point, action: "crash", topic: "orders" });
  const unseen = expect(silent.whenFired()).rejects.toMatchObject(UNSEEN);
  await send();
  expect(await broker.ended).toMatchObject({ signal: "SIGKILL" });
  await other.assertFired();
  await unseen;
  await expect(silent.assertFired()).rejects.toMatchObject({ code: "CONNECTION" });
});

test.each(["SIGTERM", "SIGKILL"] as const)("neither does one that %s has ended", async (signal) => {
  const { broker, lab } = await experiment();
  const rule = await lab.faults().arm({ point: "log.append.after_write", action: "crash" });
  const fired = rule.whenFired().catch((error: unknown) => error);
  await rule.counts();
  await broker.end(signal);
  expect(await fired).toMatchObject({ code: expect.stringMatching(/^(?:CONNECTION|SHUTTING_DOWN)$/) });
  await expect(rule.assertFired()).rejects.toMatchObject({ code: "CONNECTION" });
});
