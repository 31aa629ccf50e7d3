/** `check` beside brokers of this process: what a monitor reads of it, and the exit code that it goes by. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type StartOptions, startBroker, type TestBroker } from "@minikafka/testing";
import { expect, onTestFinished, test } from "vitest";
import { command } from "./support/cli.ts";
import { temporaryFolder } from "./support/daemon.ts";

async function started(options: StartOptions): Promise<TestBroker> {
  const broker = await startBroker({ kafka: false, ...options, settings: { port: 0, ...options.settings } });
  onTestFinished(() => broker.close());
  return broker;
}

/** The exit code, and the line in front of what was measured. */
async function checked(broker: TestBroker, ...options: string[]) {
  const { code, stdout, stderr } = await command(broker.address, ["check", ...options]);
  expect(stderr).toBe("");
  expect(stdout.split("\n")).toHaveLength(2);
  const [said, measured = ""] = stdout.trimEnd().split(" | ");
  return { code, said, measured };
}

test("a cluster is OK until a broker is away: WARNING where others go on, CRITICAL where nobody leads or too few are in sync", async () => {
  const topics = {
    orders: { replicationFactor: 3 },
    strict: { replicationFactor: 3, config: { min_insync_replicas: 3 } },
  };
  const broker = await started({ brokers: 3, clock: "manual", topics });
  expect(await checked(broker)).toMatchObject({
    code: 0,
    said: "OK - 3 brokers run, 2 partitions have a leader and every replica in sync",
    measured: expect.stringMatching(
      /^time=[\d.]+s;;;0 brokers_running=3;;;0 partitions=2;;;0 failed_brokers=0;/,
    ),
  });
  const leaders = ["orders", "strict"].map((topic) => broker.partition(topic, 0).leaderId);
  const away = [1, 2, 3].find((brokerId) => !leaders.includes(brokerId)) ?? 0;
  await broker.client.admin().stopBroker(away);
  expect(await checked(broker)).toMatchObject({ code: 1, said: `WARNING - 1 broker is stopped (${away})` });
  await broker.clock.advance(60_000);
  await broker.step.refreshIsr();
  expect(await checked(broker)).toMatchObject({
    code: 2,
    said:
      "CRITICAL - 1 partition has fewer replicas in sync than min_insync_replicas (strict:0); " +
      `1 broker is stopped (${away}); 2 partitions are under-replicated (orders:0, strict:0)`,
  });
  await broker.client.admin().alterConfig("strict", { min_insync_replicas: 1 });
  expect(await checked(broker)).toMatchObject({
    code: 1,
    said: `WARNING - 1 broker is stopped (${away}); 2 partitions are under-replicated (orders:0, strict:0)`,
    measured: expect.stringContaining(" under_replicated_partitions=2;;;0"),
  });
  await broker.client.admin().stopBroker(leaders[0] ?? 0);
  const { code, said } = await checked(broker);
  expect([code, said]).toEqual([
    2,
    expect.stringMatching(/^CRITICAL - \d partitions? ha(s|ve) no leader \(.*orders:0/),
  ]);
});

test("a broker whose disk has failed is CRITICAL, though it can be read", async () => {
  const broker = await started({ brokers: 2, topics: { orders: { replicationFactor: 2 } } });
  const brokerId = broker.partition("orders", 0).leaderId ?? 0;
  await broker.fault.arm({ point: "disk.sync.before", action: "error", brokerId });
  const sent = broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "a" });
  await expect(sent).rejects.toThrow();
  const { code, said } = await checked(broker);
  expect([code, said]).toEqual([2, `CRITICAL - 1 broker has failed (${brokerId})`]);
});

test("a copy that cannot be read is CRITICAL, with the reason, though others are in sync", async () => {
  const dir = temporaryFolder();
  const options = { brokers: 2, topics: { orders: { replicationFactor: 2 } }, storage: { dir } };
  const before = await started(options);
  const follower = before.partition("orders", 0).leaderId === 1 ? 2 : 1;
  await before.close();
  writeFileSync(join(dir, `broker-${follower}`, "orders-0", "manifest.json"), "damaged");
  const { topics: _there, ...again } = options;
  const { code, said } = await checked(await started(again));
  expect(code).toBe(2);
  expect(said).toContain(`1 replica cannot be read (orders:0 on broker ${follower}: `);
});

test("a group is judged by how far it is behind in all of its partitions, and every group where none is named", async () => {
  const broker = await started({ topics: { orders: 2 } });
  const producer = broker.client.producer();
  for (let n = 0; n < 6; n += 1) await producer.send({ topic: "orders", partition: n % 2, value: `${n}` });
  const admin = broker.client.admin();
  const behind = (offset: number) => [0, 1].map((partition) => ({ topic: "orders", partition, offset }));
  await admin.commitOffsets("billing", behind(1));
  await admin.commitOffsets("shipping", behind(3));
  expect(await checked(broker, "--group", "billing", "--lag-warning", "4")).toMatchObject({
    code: 0,
    measured: expect.stringMatching(/ 'lag billing'=4;4;;0$/),
  });
  const bounds = ["--lag-warning", "3", "--lag-critical", "3"];
  expect(await checked(broker, ...bounds)).toMatchObject({
    code: 2,
    said: "CRITICAL - the group billing is 4 records behind, more than 3",
    measured: expect.stringMatching(/ 'lag billing'=4;3;3;0 'lag shipping'=0;3;3;0$/),
  });
  expect(await checked(broker, "--group", "billing", "--lag-warning", "1")).toMatchObject({
    code: 1,
    said: "WARNING - the group billing is 4 records behind, more than 1",
  });
});

test("a transaction is judged by how long it is open, on the broker's clock", async () => {
  const broker = await started({ clock: "manual", topics: { orders: 1 } });
  const producer = broker.client.producer({ transactionalId: "billing", transactionTimeoutMs: 900_000 });
  const transaction = await producer.beginTransaction();
  await transaction.send({ topic: "orders", value: "a" });
  const bounds = ["--transaction-age-warning", "1m", "--transaction-age-critical", "10m"];
  expect(await checked(broker, ...bounds)).toMatchObject({ code: 0 });
  await broker.clock.advance(61_000);
  expect(await checked(broker, ...bounds)).toMatchObject({
    code: 1,
    said: "WARNING - 1 transaction is open for more than 1m (billing for 1m1s)",
    measured: expect.stringMatching(/ open_transactions=1;;;0 oldest_transaction=61s;60;600;0$/),
  });
  await broker.clock.advance(600_000);
  expect(await checked(broker, ...bounds)).toMatchObject({ code: 2 });
  await transaction.abort();
  expect(await checked(broker, ...bounds)).toMatchObject({ code: 0 });
});

test("-J has the same as a document, and the same exit code", async () => {
  const broker = await started({ brokers: 2 });
  await broker.client.admin().stopBroker(2);
  const { code, stdout } = await command(broker.address, ["check", "-J"]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    status: "WARNING",
    exit_code: 1,
    message: "1 broker is stopped (2)",
    findings: [{ status: "WARNING", check: "stopped_brokers", message: "1 broker is stopped (2)" }],
    measures: expect.arrayContaining([
      { label: "stopped_brokers", value: 1, unit: null, warning: null, critical: null },
    ]),
  });
});

test("what cannot be told is UNKNOWN, in a line on stdout, and hides nothing that can", async () => {
  const broker = await started({ brokers: 2 });
  const unknown = 'UNKNOWN_GROUP: there is no group "nobody"';
  expect(await checked(broker, "--group", "nobody")).toMatchObject({ code: 3, said: `UNKNOWN - ${unknown}` });
  await broker.client.admin().stopBroker(2);
  expect(await checked(broker, "--group", "nobody")).toMatchObject({
    code: 1,
    said: `WARNING - 1 broker is stopped (2); ${unknown}`,
    measured: expect.stringContaining(" stopped_brokers=1;"),
  });
});
