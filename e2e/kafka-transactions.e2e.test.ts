/** Transactions by kafkajs against the running daemon: what is committed, what is aborted, who is fenced, and what the SDK sees of it. */
import type { Producer, Transaction } from "kafkajs";
import { expect, onTestFinished, test } from "vitest";
import { again } from "./support/again.ts";
import { valuesOf } from "./support/committed-values.ts";
import { type KafkaWorld, kafkaWorld, Member, opened } from "./support/kafka-world.ts";

const TOPIC = "payments";
const PARTITIONS = 2;

async function withTopic(arguments_: readonly string[] = [], replicationFactor = 1): Promise<KafkaWorld> {
  const world = await kafkaWorld(arguments_);
  await world.client.admin().createTopic({ topic: TOPIC, partitions: PARTITIONS, replicationFactor });
  return world;
}

const producerOf = ({ kafka }: KafkaWorld, transactionalId = "billing") =>
  opened(kafka.producer({ transactionalId, maxInFlightRequests: 1, idempotent: true }));

/** To both partitions. */
async function send(tx: Transaction | Producer, value: string): Promise<void> {
  const messages = [0, 1].map((partition) => ({ partition, value }));
  await tx.send({ topic: TOPIC, messages });
}

/** What members of a kafkajs group see by the time they have so many. */
async function seen({ kafka }: KafkaWorld, count: number, readUncommitted = false): Promise<string[]> {
  const groupId = readUncommitted ? "all of it" : "committed";
  const member = await Member.join(kafka, { topic: TOPIC, groupId, readUncommitted });
  await member.read(count);
  return member.values.sort();
}

test("what kafkajs commits is seen, what it aborts is not; who reads uncommitted sees both", async () => {
  const world = await withTopic();
  const producer = await producerOf(world);
  const first = await producer.transaction();
  await send(first, "committed");
  await first.commit();
  const second = await producer.transaction();
  await send(second, "aborted");
  await second.abort();
  const third = await producer.transaction();
  await send(third, "last");
  await third.commit();
  const expected = ["committed", "committed", "last", "last"];
  expect(await seen(world, 4)).toEqual(expected);
  expect(await seen(world, 6, true)).toEqual(["aborted", "aborted", ...expected]);
  const values = await Promise.all([0, 1].map((partition) => valuesOf(world.client, TOPIC, partition)));
  expect(values).toEqual([
    ["committed", "last"],
    ["committed", "last"],
  ]);
});

test("nothing behind an open transaction is read by who wants what is committed, until it ends", async () => {
  const world = await withTopic();
  const producer = await producerOf(world);
  const tx = await producer.transaction();
  await send(tx, "open");
  await send(await opened(world.kafka.producer()), "outside");
  const admin = await opened(world.kafka.admin());
  const member = await Member.join(world.kafka, { topic: TOPIC });
  const { beats } = member;
  await member.until(() => member.beats > beats + 1);
  expect(member.values).toEqual([]);
  expect((await admin.fetchTopicOffsets(TOPIC)).map(({ offset }) => offset)).toEqual(["0", "0"]);
  await tx.commit();
  await member.read(4);
  expect((await admin.fetchTopicOffsets(TOPIC)).map(({ offset }) => offset)).toEqual(["3", "3"]);
  expect(member.values.sort()).toEqual(["open", "open", "outside", "outside"]);
});

test("offsets that are sent in a transaction count when it commits, and never when it is aborted; the SDK sees them", async () => {
  const world = await withTopic();
  const producer = await producerOf(world);
  const committed = async () => (await world.client.admin().fetchOffsets("g")).map(({ offset }) => offset);
  const sendOffset = async (offset: string) => {
    const tx = await producer.transaction();
    await send(tx, offset);
    await tx.sendOffsets({
      consumerGroupId: "g",
      topics: [{ topic: TOPIC, partitions: [{ partition: 0, offset }] }],
    });
    return tx;
  };
  const first = await sendOffset("5");
  expect(await committed()).toEqual([]);
  await first.commit();
  expect(await committed()).toEqual([5]);
  await (await sendOffset("9")).abort();
  expect(await committed()).toEqual([5]);
});

test("a second producer with the same transactional id fences the first, whose open transaction is aborted", async () => {
  const world = await withTopic();
  const first = await producerOf(world);
  const tx = await first.transaction();
  await send(tx, "lost");
  const second = await producerOf(world);
  const next = await second.transaction();
  await send(next, "kept");
  await next.commit();
  await expect(send(tx, "too late")).rejects.toMatchObject({ message: expect.stringMatching(/epoch/i) });
  await expect(tx.commit()).rejects.toMatchObject({ type: "INVALID_PRODUCER_EPOCH" });
  expect(await seen(world, 2)).toEqual(["kept", "kept"]);
});

test("transactions of kafkajs and of the SDK take turns under one transactional id, and each fences the other", async () => {
  const world = await withTopic();
  const kafkajs = await producerOf(world);
  const old = await kafkajs.transaction();
  await send(old, "kafkajs, open");
  const sdk = world.client.producer({ transactionalId: "billing" });
  onTestFinished(() => sdk.close().catch(() => {}));
  await sdk.transaction(async (tx) => {
    for (const partition of [0, 1]) await tx.send({ topic: TOPIC, partition, value: "sdk" });
  });
  await expect(old.commit()).rejects.toMatchObject({ type: "INVALID_PRODUCER_EPOCH" });
  const again = await producerOf(world);
  const tx = await again.transaction();
  await send(tx, "kafkajs");
  await tx.commit();
  await expect(
    sdk.beginTransaction().then((late) => late.send({ topic: TOPIC, partition: 0, value: "x" })),
  ).rejects.toMatchObject({ code: "PRODUCER_FENCED" });
  expect(await seen(world, 4)).toEqual(["kafkajs", "kafkajs", "sdk", "sdk"]);
});

test("leaders and coordinators move while kafkajs runs transactions: all that was committed is there once, and nothing else", async () => {
  const world = await withTopic(["--brokers", "3"], 3);
  const admin = world.client.admin();
  const producer = await producerOf(world);
  const expected: string[] = [];
  for (let number = 0; number < 9; number += 1) {
    const tx = await producer.transaction();
    await send(tx, `${number}`);
    for (const topic of [TOPIC, "__transaction_state"])
      for (const { partition, isr, leaderId } of (await admin.metadata(topic)).partitions) {
        const next = isr.find((brokerId) => brokerId !== leaderId && (brokerId + number) % 2 === 0);
        if (next !== undefined) await again(() => admin.promote({ topic, partition }, next));
      }
    await send(tx, `${number}`);
    if (number % 3 === 0) await tx.abort();
    else {
      await tx.commit();
      expected.push(...Array.from({ length: 4 }, () => `${number}`));
    }
  }
  expect(await seen(world, expected.length)).toEqual(expected);
});
