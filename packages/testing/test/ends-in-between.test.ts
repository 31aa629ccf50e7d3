/** Ends of a broker while something waits, looks or crashes: each comes to its end, soon, and the broker comes back. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startBroker } from "../src/index.ts";
import { END_WAYS, emptyDir, requireWorking } from "./support/ends.ts";

/** vitest gives a test 5 s. */
const SOON_MS = 2_500;

test.each(END_WAYS)(
  "a record that waits for a follower which does not run holds up a %s for a moment at most",
  async (_name, end) => {
    await using broker = await startBroker({ brokers: 3, topics: { orders: { replicationFactor: 3 } } });
    await broker.client.admin().stopBroker(3);
    const other = await broker.connect();
    void other
      .producer({ acks: "all" })
      .send({ topic: "orders", value: "paid" })
      .catch(() => undefined);
    await broker.waitForRecords("orders", 0);
    await broker.waitUntil("the leader has it", () => broker.partition("orders", 0).logEndOffset === 1);
    const begunMs = performance.now();
    await end(broker);
    expect(performance.now() - begunMs).toBeLessThan(SOON_MS);
  },
);

test("a close comes to its end also where the process lives for nothing else", async () => {
  const program = fileURLToPath(new URL("support/unacknowledged.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout).toBe("closed\n");
});

test.each(["kill", "power_cut"] as const)(
  "a %s answers nobody: who waits for replicas is told of a connection that broke, as by a process that died",
  async (after) => {
    await using broker = await startBroker({
      brokers: 2,
      clock: "manual",
      topics: { orders: { replicationFactor: 2 } },
    });
    const other = await broker.connect();
    const sent = other.producer({ acks: "all", idempotent: false }).send({ topic: "orders", value: "paid" });
    const told = sent.catch((problem: unknown) => problem);
    await broker.waitUntil("the leader has it", () => broker.partition("orders", 0).logEndOffset === 1);
    await broker.restart({ after });
    expect(await told).toMatchObject({ code: "CONNECTION", details: { sent: true } });
  },
);

const POINTS = ["manifest.before_rename", "clean_shutdown.before_write", "disk.sync.before"] as const;

test.each(POINTS.flatMap((point) => END_WAYS.map(([name, end]) => [point, name, end] as const)))(
  "a crash at %s in the middle of a %s counts as a kill, and the broker comes back",
  async (point, name, end) => {
    await using broker = await startBroker({ topics: { orders: 1 } });
    await broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "before" });
    await broker.fault.arm({ point, action: "crash" });
    await end(broker);
    if (name === "close") return;
    expect(broker.records("orders")).toMatchObject(name === "reset" ? [] : [{ value: "before" }]);
    await requireWorking(broker);
  },
);

test.each(END_WAYS.filter(([name]) => !name.includes("after")))(
  "so it is over a folder, in the middle of a %s",
  async (name, end) => {
    await using broker = await startBroker({ storage: { dir: await emptyDir() }, topics: { orders: 1 } });
    await broker.fault.arm({ point: "clean_shutdown.before_write", action: "crash" });
    await end(broker);
    if (name !== "close") await requireWorking(broker);
  },
);

test("nobody who looks or waits sees a broker that is half there: groups and transactions are not gone meanwhile", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const offsets = [{ topic: "orders", partition: 0, offset: 0 }];
  await broker.client.admin().commitOffsets("billing", offsets);
  const tx = await broker.client.producer({ transactionalId: "transfers" }).beginTransaction();
  await tx.send({ topic: "orders", value: "open" });
  const sawGone: string[] = [];
  const look = () => {
    if (broker.group("billing") === null) sawGone.push("group");
    if (broker.transactions().length === 0) sawGone.push("transaction");
    return false;
  };
  for (const after of ["stop", "kill", "power_cut"] as const) {
    const enough = new AbortController();
    const waited = broker.waitUntil("one is gone", look, { signal: enough.signal }).catch(() => undefined);
    const away = new Set<unknown>();
    let isOver = false;
    const restarted = broker.restart({ after }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      try {
        look();
      } catch (problem) {
        away.add((problem as { code?: unknown }).code);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await restarted;
    enough.abort();
    await waited;
    expect([...away]).toEqual(["LEADER_NOT_AVAILABLE"]);
  }
  expect(sawGone).toEqual([]);
});

test("a broker whose client the test has closed restarts and resets like any other", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await broker.client.close();
  await broker.restart();
  await broker.reset();
  const other = await broker.connect();
  await other.producer().send({ topic: "orders", value: "new" });
  expect(broker.records("orders")).toMatchObject([{ value: "new" }]);
});
