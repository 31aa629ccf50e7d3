/** A start, a restart or a reset that fails, since the system or the folder is in its way: what is said then, and what the next one finds. */
import { readdir, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type StartOptions, startBroker, type TestBroker } from "../src/index.ts";
import { COMES_BACK, emptyDir, requireWorking } from "./support/ends.ts";

/** Listens where the daemon did, which the test has ended by itself. */
async function taken(port: number): Promise<Server> {
  const server = createServer().listen(port, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return server;
}

interface Place {
  readonly setting: string;
  readonly options: StartOptions;
  readonly portOf: (broker: TestBroker) => number;
}

/** The system may give others what is free meanwhile: each broker has as few ports as it can. */
const PLACES: readonly Place[] = [
  { setting: "port", options: { kafka: false }, portOf: ({ address }) => address.port },
  { setting: "kafka_port", options: {}, portOf: ({ daemon }) => daemon.kafkaAddresses[0]?.port ?? 0 },
  {
    setting: "http_port",
    options: { kafka: false, http: true },
    portOf: ({ httpAddress }) => httpAddress.port,
  },
];

test.each(
  PLACES.flatMap((place) => COMES_BACK.map(([name, end]) => [place.setting, name, place, end] as const)),
)(
  "where the %s was taken meanwhile the broker is told not to be there, and a %s brings it back once it is free",
  async (_setting, _name, { options, portOf }, end) => {
    await using broker = await startBroker({ ...options, topics: { orders: 1 }, waitTimeoutMs: 1 });
    const port = portOf(broker);
    await broker.daemon.kill();
    const server = await taken(port);
    const why = `could not be started again (cannot listen on 127.0.0.1:${port}`;
    for (const after of ["stop", "kill"] as const) {
      await expect(broker.restart({ after })).rejects.toMatchObject({ code: "EADDRINUSE" });
      expect(() => broker.records("orders")).toThrow(why);
    }
    await expect(broker.waitForRecords("orders", 1)).rejects.toThrow(why);
    await expect(broker.client.open()).rejects.toThrow(why);
    await expect(end(broker)).rejects.toMatchObject({ code: "EADDRINUSE" });
    await new Promise((resolve) => server.close(resolve));
    await end(broker);
    await requireWorking(broker);
  },
);

test("a reset that failed is made good by the restart after it: the topics of the start are there", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await broker.client.producer().send({ topic: "orders", value: "before" });
  const { port } = broker.address;
  await broker.daemon.kill();
  const server = await taken(port);
  await expect(broker.reset()).rejects.toMatchObject({ code: "EADDRINUSE" });
  await new Promise((resolve) => server.close(resolve));
  await broker.restart();
  expect(broker.records("orders")).toEqual([]);
});

test("where the folder is gone a reset makes another, and a restart does once it has told so", async () => {
  for (const end of ["restart", "reset"] as const) {
    const dir = await emptyDir();
    await using broker = await startBroker({ storage: { dir }, topics: { orders: 1 } });
    await broker.client.producer().send({ topic: "orders", value: "gone" });
    await rm(dir, { recursive: true });
    if (end === "restart") {
      await expect(broker.restart()).rejects.toThrow("ENOENT");
      expect(() => broker.records("orders")).toThrow("restart() or reset() tries it once more");
    }
    await broker[end]();
    if (end === "restart") await broker.client.admin().createTopic({ topic: "orders" });
    await requireWorking(broker);
  }
});

test.each<[string, (dir: string, port: number) => StartOptions]>([
  ["a topic", (dir) => ({ storage: { dir }, topics: { orders: 1, "no/name": 1 } })],
  ["a port", (dir, port) => ({ storage: { dir }, settings: { port } })],
])("a start that is refused for %s leaves a folder as it was", async (_what, options) => {
  const there = await emptyDir();
  const server = await taken(0);
  const { port } = server.address() as { port: number };
  for (const dir of [there, join(there, "new")]) {
    await expect(startBroker(options(dir, port))).rejects.toThrow();
    expect(await readdir(there)).toEqual([]);
    await using broker = await startBroker({ storage: { dir }, topics: { orders: 1 } });
    await broker.reset();
    await broker.close();
    await rm(there, { recursive: true });
  }
});
