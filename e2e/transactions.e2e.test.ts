/** Transactions of the SDK over real daemons: what commits is shown as a whole, what does not is never shown. */
import { type Client, connect, ManualClock, type MiniKafkaError } from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { valuesOf } from "./support/committed-values.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

async function clientOf(daemon: Daemon): Promise<Client> {
  const client = await connect({ port: daemon.port });
  onTestFinished(() => client.close());
  return client;
}

async function world(arguments_: readonly string[] = []) {
  const daemon = await startDaemon(temporaryFolder(), ["--log-level", "error", ...arguments_]);
  const client = await clientOf(daemon);
  await client.admin().createTopic({ topic: "orders", partitions: 2 });
  return { daemon, client };
}

const errorOf = (promise: Promise<unknown>): Promise<MiniKafkaError> =>
  promise.then(
    () => {
      throw new Error("expected a failure");
    },
    (error) => error,
  );

const to = (partition: number, value: string) => ({ topic: "orders", partition, value });

test("what commits is shown in all its partitions, what is aborted or thrown in none, also after a kill", async () => {
  const { daemon, client } = await world();
  const producer = client.producer({ transactionalId: "billing" });
  await producer.transaction((tx) => tx.sendMany([to(0, "a"), to(1, "b")]));
  const aborted = await producer.beginTransaction();
  await aborted.sendMany([to(0, "aborted"), to(1, "aborted")]);
  await aborted.abort();
  const thrown = producer.transaction(async (tx) => {
    await tx.send(to(0, "thrown"));
    throw new RangeError("no");
  });
  await expect(thrown).rejects.toThrow(RangeError);
  await producer.transaction((tx) => tx.send(to(0, "c")));
  const open = await producer.beginTransaction();
  await open.send(to(0, "open"));
  const check = async (reader: Client) => {
    expect(await valuesOf(reader, "orders", 0)).toEqual(["a", "c"]);
    expect(await valuesOf(reader, "orders", 1)).toEqual(["b"]);
    expect(await valuesOf(reader, "orders", 0, "read_uncommitted")).toEqual([
      "a",
      "aborted",
      "thrown",
      "c",
      "open",
    ]);
  };
  await check(client);
  await daemon.end("SIGKILL");
  const again = await startDaemon(daemon.data, ["--log-level", "error"]);
  const reader = await clientOf(again);
  await check(reader);
  await reader.producer({ transactionalId: "billing" }).transaction((tx) => tx.send(to(0, "d")));
  expect(await valuesOf(reader, "orders", 0)).toEqual(["a", "c", "d"]);
});

test("a newer instance ends the open transaction of the older one, which can neither send nor commit any more", async () => {
  const { daemon, client } = await world();
  const zombie = client.producer({ transactionalId: "billing" });
  const old = await zombie.beginTransaction();
  await old.send(to(0, "old"));
  const newer = (await clientOf(daemon)).producer({ transactionalId: "billing" });
  await newer.transaction((tx) => tx.send(to(0, "new")));
  for (const late of [() => old.send(to(0, "late")), () => old.commit(), () => zombie.beginTransaction()])
    expect(await errorOf(late())).toMatchObject({ code: "PRODUCER_FENCED", fatal: true, retriable: false });
  await newer.transaction((tx) => tx.send(to(0, "newer")));
  expect(await valuesOf(client, "orders")).toEqual(["new", "newer"]);
});

test("under a manual clock a transaction times out by a step alone, and its producer goes on with another", async () => {
  const daemon = await startDaemon(temporaryFolder(), ["--clock", "manual", "--log-level", "error"]);
  const client = await connect({ port: daemon.port }, { clock: new ManualClock() });
  onTestFinished(() => client.close());
  await client.admin().createTopic({ topic: "orders" });
  const producer = client.producer({ transactionalId: "billing", transactionTimeoutMs: 10_000 });
  const tx = await producer.beginTransaction();
  await tx.send(to(0, "gone"));
  const stepper = client.stepper();
  await stepper.advanceClock(10_000);
  expect((await stepper.expireTransactions()).aborted).toEqual([]);
  await stepper.advanceClock(1);
  expect((await client.admin().listTransactions({ states: ["ongoing"] })).length).toBe(1);
  expect((await stepper.expireTransactions()).aborted).toEqual(["billing"]);
  expect(await errorOf(tx.commit())).toMatchObject({ code: "TRANSACTION_ABORTED", abortable: true });
  await producer.transaction((next) => next.send(to(0, "kept")));
  expect(await valuesOf(client, "orders")).toEqual(["kept"]);
  const described = await client.admin().describeTransaction("billing");
  expect(described).toMatchObject({
    state: "complete_commit",
    lastEnd: { committed: true, cause: "request" },
  });
});

test("a transaction that an operator aborts is over, and its producer goes on with another", async () => {
  const { client } = await world();
  const producer = client.producer({ transactionalId: "billing" });
  const tx = await producer.beginTransaction();
  await tx.send(to(0, "gone"));
  expect(await client.admin().abortTransaction("billing")).toBe(true);
  expect(await client.admin().abortTransaction("billing")).toBe(false);
  expect(await errorOf(tx.send(to(0, "late")))).toMatchObject({
    code: "TRANSACTION_ABORTED",
    abortable: true,
  });
  await tx.abort();
  await producer.transaction((next) => next.send(to(0, "kept")));
  expect(await valuesOf(client, "orders")).toEqual(["kept"]);
  const missing = client.admin().describeTransaction("nobody");
  expect(await errorOf(missing)).toMatchObject({ code: "UNKNOWN_TRANSACTIONAL_ID" });
});

test("a transaction's timeout beyond what the broker allows is refused with the bound", async () => {
  const { client } = await world(["--transaction-max-timeout-ms", "5000"]);
  const producer = client.producer({ transactionalId: "billing", transactionTimeoutMs: 5_001 });
  expect(await errorOf(producer.beginTransaction())).toMatchObject({
    code: "INVALID_TRANSACTION_TIMEOUT",
    fatal: true,
  });
});

test("the offsets of a group count with the records that were made of them, and after an abort the records come again", async () => {
  const { client } = await world();
  await client.admin().createTopic({ topic: "doubled" });
  const numbers = Array.from({ length: 40 }, (_, number) => `${number}`);
  await client.producer({ idempotent: true }).sendMany(numbers.map((value, index) => to(index % 2, value)));
  const consumer = client.consumer({
    groupId: "doublers",
    autoOffsetReset: "earliest",
    isolation: "read_committed",
    autoCommit: false,
  });
  await consumer.subscribe("orders");
  await consumer.ready();
  const producer = client.producer({ transactionalId: "doubler" });
  let attempts = 0;
  for (let done = 0; done < numbers.length; ) {
    const records = await consumer.poll({ maxRecords: 7, timeoutMs: 1_000 });
    const isFailing = attempts++ % 3 === 1;
    try {
      await producer.transaction(async (tx) => {
        for (const { value } of records) void tx.send({ topic: "doubled", value: `${Number(value) * 2}` });
        await tx.sendOffsets(consumer);
        if (isFailing) throw new Error("no luck");
      });
      done += records.length;
    } catch (error) {
      expect((error as Error).message).toBe("no luck");
      await consumer.seekToCommitted();
    }
  }
  const doubled = (await valuesOf(client, "doubled")).map(Number).sort((one, other) => one - other);
  expect(doubled).toEqual(numbers.map((value) => Number(value) * 2));
  const lags = (await client.admin().groupLag("doublers")).map(({ lag }) => lag);
  expect(lags).toEqual([0, 0]);
  await consumer.close();
});

test("the offsets of a member that was replaced do not get into a transaction", async () => {
  const { daemon, client } = await world();
  await client.producer().send(to(0, "a"));
  const reader = client.consumer({
    groupId: "g",
    memberId: "same",
    autoOffsetReset: "earliest",
    autoCommit: false,
    autoHeartbeat: false,
  });
  await reader.subscribe("orders");
  await reader.ready();
  expect(await reader.poll({ timeoutMs: 1_000 })).toHaveLength(1);
  await (await clientOf(daemon)).call("leave_group", { group_id: "g", member_id: "same" });
  const producer = client.producer({ transactionalId: "billing" });
  const refused = await errorOf(producer.transaction((tx) => tx.sendOffsets(reader)));
  expect(refused).toMatchObject({ abortable: true });
  expect(["UNKNOWN_MEMBER", "UNKNOWN_GROUP", "ILLEGAL_GENERATION"]).toContain(refused.code);
  expect(await client.admin().fetchOffsets("g")).toEqual([]);
  await reader.close();
});

/** Gives every partition of a topic another leader, one after the other. */
async function promoteAll(client: Client, topic: string): Promise<void> {
  const admin = client.admin();
  for (const { partition, leaderId, isr } of (await admin.metadata(topic)).partitions) {
    const next = isr.find((brokerId) => brokerId !== leaderId);
    if (next !== undefined) await admin.promote({ topic, partition }, next);
  }
}

test("promotions in the middle of transactions, of partitions and of coordinators, cost them nothing", async () => {
  const { client } = await world(["--brokers", "3"]);
  await client.admin().createTopic({ topic: "spread", partitions: 2, replicationFactor: 3 });
  const producer = client.producer({ transactionalId: "billing" });
  const begin = async (number: number) => {
    const tx = await producer.beginTransaction();
    for (const partition of [0, 1]) void tx.send({ topic: "spread", partition, value: `${number}` });
    await tx.sendOffsets({
      groupId: "g",
      offsets: [{ topic: "spread", partition: 0, offset: number + 1 }],
    });
    return tx;
  };
  await (await begin(0)).commit();
  const topics = ["spread", "__transaction_state", "__consumer_offsets"];
  const committed = ["0"];
  for (let number = 1; number <= 12; number += 1) {
    const tx = await begin(number);
    const isCommit = number % 3 !== 0;
    if (isCommit) committed.push(`${number}`);
    const ended = isCommit ? tx.commit() : tx.abort();
    // Now one after the other, now while the markers are written.
    if (number % 2 === 0) await ended;
    for (const topic of topics) await promoteAll(client, topic);
    await ended;
  }
  for (const partition of [0, 1]) expect(await valuesOf(client, "spread", partition)).toEqual(committed);
  expect(await client.admin().fetchOffsets("g")).toMatchObject([{ offset: 12 }]);
});
