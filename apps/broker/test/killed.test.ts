/** A program's broker that ends as by kill -9, or dies in the middle of its end: at once, with no word to anybody, and nothing written. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CrashSignal } from "@minikafka/core";
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { startBroker } from "../src/daemon.ts";
import { base64, openBroker, Session, settle } from "./support/broker.ts";
import { armFault } from "./support/faults.ts";
import { portOf, readEvents } from "./support/http.ts";
import { openKafkaBroker } from "./support/kafka-client.ts";

const AUTO = { clock: "auto", start_time: undefined, lab: true } as const;
const ORDERS = { topic: "orders", partition: 0 };
const PRODUCE = { operation: "produce", ...ORDERS, value_b64: base64("v"), acks: "all" };

const bytesOf = (disk: MemoryDisk) =>
  [...disk.files()].map(([path, bytes]) => [path, bytes.toString("base64")]);

/** Its record waits for a follower that does not run. */
async function withUnacknowledged(settings: object, disk = new MemoryDisk()) {
  const broker = await openBroker({ brokers: 2, ...settings }, disk, (killed) => killed.kill());
  broker.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 2 });
  await broker.cluster.stopBroker(2);
  const session = Session.open(broker);
  session.request(PRODUCE);
  session.request({ operation: "fetch", ...ORDERS, offset: 0, min_bytes: 1, max_wait_ms: 60_000 });
  await settle();
  expect(session.answers).toEqual([]);
  return { broker, session };
}

test.each([
  ["manual", {}],
  ["that goes by itself", AUTO],
])("with a clock %s a kill answers nobody who waits, and writes nothing", async (_clock, settings) => {
  const disk = new MemoryDisk();
  const { broker, session } = await withUnacknowledged(settings, disk);
  const before = bytesOf(disk).filter(([path]) => path !== "/data/lock");
  await broker.kill();
  expect([await session.answer(), session.answers]).toEqual([null, []]);
  expect(bytesOf(disk)).toEqual(before);
  expect(() => broker.connectInProcess()).toThrow("the broker is closed");
});

test("a close under way, which waits, is over at once by a kill", async () => {
  const { broker, session } = await withUnacknowledged(AUTO);
  const closed = broker.close();
  await settle();
  await Promise.all([broker.kill(), closed]);
  expect([await session.answer(), session.answers]).toEqual([null, []]);
});

test("whenever a kill comes into a close over a folder, both are over without a problem, and what was acknowledged is there", async () => {
  const data = mkdtempSync(join(tmpdir(), "minikafka-killed-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const settings = { data, log_level: "silent" };
  for (let turns = 0; turns < 30; turns += 1) {
    const broker = await startBroker({ settings, listen: false });
    if (turns === 0) broker.cluster.createTopic({ topic: "orders", partitions: 1 });
    expect(broker.cluster.describePartition(ORDERS)).toMatchObject({ logEndOffset: turns });
    expect(await Session.open(broker).ask(PRODUCE)).toMatchObject({ ok: true });
    const closed = broker.close();
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([broker.kill(), closed]);
  }
});

test("who reads events over HTTP is cut off without an end, and no port takes anybody any more", async () => {
  const settings = { data: "/data", http_port: 0, port: 0, log_level: "silent" };
  const broker = await startBroker({ settings, disk: new MemoryDisk() });
  const reader = await readEvents(broker);
  const ends: string[] = [];
  for (const name of ["aborted", "end"]) reader.response.on(name, () => ends.push(name));
  const gone = new Promise((resolve) => reader.response.once("close", resolve));
  const ports = [portOf(broker), broker.address?.port ?? 0];
  await broker.kill();
  await gone;
  expect(ends).toEqual(["aborted"]);
  for (const port of ports) {
    const [refused] = await once(connect(port, "127.0.0.1"), "error");
    expect(refused).toMatchObject({ code: "ECONNREFUSED" });
  }
});

test("what was written is there for the next one, over the same disk and at the same ports", async () => {
  const disk = new MemoryDisk();
  const first = await openKafkaBroker({ ...AUTO }, disk);
  first.cluster.createTopic({ topic: "orders", partitions: 1 });
  expect(await Session.open(first).ask({ ...PRODUCE, acks: 1 })).toMatchObject({ ok: true });
  const ports = first.kafkaAddresses.map(({ port }) => port);
  await first.kill();
  const second = await openKafkaBroker({ ...AUTO, kafka_port: ports[0] }, disk);
  expect(second.cluster.describePartition(ORDERS)).toMatchObject({ logEndOffset: 1 });
});

test("a kill in the middle of a load of a snapshot is a kill: nothing breaks that would be told", async () => {
  for (let turns = 0; turns < 24; turns += 1) {
    const broken: Error[] = [];
    const onBroken = (error: Error) => broken.push(error);
    const broker = await openBroker({}, new MemoryDisk(), (killed) => killed.kill(), { onBroken });
    const session = Session.open(broker);
    await session.call("create_topic", { topic: "orders", partitions: 1 });
    await session.call("save_snapshot", { name: "before" });
    session.request({ operation: "load_snapshot", name: "before" });
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await broker.kill();
    await settle();
    expect([broken, broker.cluster.state]).toEqual([[], "failed"]);
  }
});

async function closedAfterCrash(arm: (session: Session) => Promise<unknown>) {
  const disk = new MemoryDisk();
  const broken: Error[] = [];
  const onBroken = (error: Error) => broken.push(error);
  const broker = await openBroker(AUTO, disk, (closed) => closed.close(), { onBroken });
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const session = Session.open(broker);
  expect(await session.ask({ ...PRODUCE, acks: 1 })).toMatchObject({ ok: true });
  await arm(session);
  await broker.close();
  const left = [...disk.files().keys()];
  const next = await openBroker(AUTO, disk);
  expect(next.cluster.describePartition(ORDERS)).toMatchObject({ logEndOffset: 1 });
  return { broken, left };
}

test.each(["manifest.before_rename", "clean_shutdown.before_write", "disk.sync.before"])(
  "a crash at %s in the middle of a close is told as any other, and the close is a kill",
  async (point) => {
    const { broken } = await closedAfterCrash((session) => armFault(session, { point, action: "crash" }));
    expect(broken).toEqual([expect.any(CrashSignal)]);
    expect(broken).toMatchObject([{ point }]);
  },
);

test("one that has died is not closed in order: nothing says that it ended cleanly", async () => {
  const { left } = await closedAfterCrash(async (session) => {
    expect(await session.ask({ operation: "crash" })).toBeNull();
  });
  expect(left.filter((path) => path.includes("clean-shutdown"))).toEqual([]);
});

test("replicas are given as long at a close as the program says", async () => {
  const settings = { data: "/data", brokers: 2, log_level: "silent" };
  const broker = await startBroker({ settings, disk: new MemoryDisk(), listen: false, graceMs: 0 });
  broker.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 2 });
  await broker.cluster.stopBroker(2);
  const session = Session.open(broker);
  session.request(PRODUCE);
  await settle();
  const begunMs = performance.now();
  await broker.close();
  expect(performance.now() - begunMs).toBeLessThan(2_500);
  expect(await session.answer()).toMatchObject({ ok: false, code: "REQUEST_TIMED_OUT" });
});
