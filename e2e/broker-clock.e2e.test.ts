/** Clients whose time is the broker's stepped clock: what waits at them comes due when somebody moves it, and not before. */
import { type Client, connect } from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { CuttingProxy } from "./support/cutting-proxy.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const START_MS = 1_700_000_000_000;
const QUIET = ["--log-level", "fatal"];
const MANUAL = [...QUIET, "--clock", "manual", "--start-time", `${START_MS}`];

async function following({ port }: Daemon): Promise<Client> {
  const client = await connect({ port }, { clock: "broker" });
  onTestFinished(() => client.close());
  return client;
}

async function world() {
  const broker = await startDaemon(temporaryFolder(), MANUAL);
  const operator = await connect({ port: broker.port });
  onTestFinished(() => operator.close());
  await operator.admin().createTopic({ topic: "orders", partitions: 1 });
  const client = await following(broker);
  const highWatermark = async () =>
    (await operator.admin().describePartition({ topic: "orders", partition: 0 })).highWatermark;
  return { broker, operator, client, stepper: operator.stepper(), highWatermark };
}

test("a batch lingers on the broker's clock, and carries its time", async () => {
  const { client, stepper, highWatermark } = await world();
  const producer = client.producer({ lingerMs: 100 });
  const sent = producer.send({ topic: "orders", value: "paid" });
  await stepper.advanceClock(99);
  await client.stepper().clock();
  expect(await highWatermark()).toBe(0);
  await stepper.advanceClock(1);
  expect(await sent).toMatchObject({ offset: 0 });
  const consumer = client.consumer();
  const place = { topic: "orders", partition: 0 };
  consumer.assign([place]);
  await consumer.seek(place, 0);
  const [record] = await consumer.poll();
  expect([`${record?.value}`, record?.timestampMs]).toEqual(["paid", START_MS]);
});

test("a producer tries again when the broker's clock says so, and not before", async () => {
  const { client, operator, stepper, highWatermark } = await world();
  const fault = await operator
    .faults()
    .arm({ point: "request.produce", action: "error", code: "NOT_ENOUGH_REPLICAS" });
  const producer = client.producer();
  const sent = producer.send({ topic: "orders", value: "again" });
  await fault.whenFired();
  await client.stepper().clock();
  expect(await highWatermark()).toBe(0);
  await stepper.advanceClock(60_000);
  expect(await sent).toMatchObject({ offset: 0 });
});

test("a request times out by the broker's clock", async () => {
  const { client, operator, stepper } = await world();
  const fault = await operator.faults().arm({ point: "request.ping", action: "hold" });
  const asked = client.call("ping", {}, { timeoutMs: 1000 }).catch((error: unknown) => error);
  await fault.whenFired();
  await stepper.advanceClock(999);
  await operator.stepper().clock();
  expect(client.clock.elapsedMs()).toBeLessThan(1000);
  await stepper.advanceClock(1);
  expect(await asked).toMatchObject({ code: "TIMEOUT" });
  await fault.release();
});

test("after a broker has come back its clock is followed on, from the time that it tells then", async () => {
  const data = temporaryFolder();
  const proxy = await CuttingProxy.open(() => Number.POSITIVE_INFINITY);
  const start = async (startMs: number) => {
    const daemon = await startDaemon(data, [...QUIET, "--clock", "manual", "--start-time", `${startMs}`]);
    proxy.target = daemon.port;
    return daemon;
  };
  const first = await start(START_MS);
  const client = await connect({ port: proxy.port }, { clock: "broker" });
  onTestFinished(() => client.close());
  await first.end("SIGKILL");
  await start(START_MS + 5000);
  await expect.poll(() => client.clock.nowMs(), { timeout: 10_000 }).toBe(START_MS + 5000);
  await client.stepper().advanceClock(7);
  await expect.poll(() => client.clock.elapsedMs()).toBe(5007);
});

test("a broker whose clock goes by itself is refused", async () => {
  const { port } = await startDaemon(temporaryFolder(), QUIET);
  await expect(connect({ port }, { clock: "broker" })).rejects.toMatchObject({
    code: "USAGE",
    message: expect.stringContaining("--clock manual"),
  });
});
