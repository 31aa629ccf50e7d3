/** Groups that kafkajs forms among its clients, against the running daemon, by the system's clock. */
import type { Kafka } from "kafkajs";
import { expect, test } from "vitest";
import { output } from "./support/cli.ts";
import { kafkaWorld, Member, opened } from "./support/kafka-world.ts";

const PARTITIONS = 6;
const TOPIC = "jobs";

async function withTopic(arguments_: readonly string[] = []) {
  const world = await kafkaWorld(arguments_);
  await world.client.admin().createTopic({ topic: TOPIC, partitions: PARTITIONS });
  return world;
}

/** One record for each partition, by kafkajs. */
async function produceRound(kafka: Kafka, round: number): Promise<void> {
  const producer = await opened(kafka.producer());
  const messages = Array.from({ length: PARTITIONS }, (_, partition) => ({
    partition,
    value: `${round}/${partition}`,
  }));
  await producer.send({ topic: TOPIC, messages });
}

const roundOf = (round: number) =>
  Array.from({ length: PARTITIONS }, (_, partition) => `${round}/${partition}`);
const all = [0, 1, 2, 3, 4, 5];

/** Whether each partition has one reader of these. */
function share(members: readonly Member[], each: number): boolean {
  const had = members.map(({ assignment }) => assignment ?? []);
  const isWhole = had.flat().sort().join() === all.join();
  return isWhole && had.every(({ length }) => length === each);
}

async function untilShared(members: readonly Member[], each: number): Promise<void> {
  await Promise.all(members.map((member) => member.until(() => share(members, each))));
}

test("three members share the partitions as they come and go, and every record is read once", async () => {
  const { kafka } = await withTopic();
  await produceRound(kafka, 0);
  const first = await Member.join(kafka, { topic: TOPIC });
  await first.read(PARTITIONS);
  expect(first.assignment).toEqual(all);
  const second = await Member.join(kafka, { topic: TOPIC });
  await untilShared([first, second], 3);
  const third = await Member.join(kafka, { topic: TOPIC });
  const members = [first, second, third];
  await untilShared(members, 2);
  await produceRound(kafka, 1);
  await Promise.all([first.read(PARTITIONS + 2), second.read(2), third.read(2)]);
  await first.consumer.disconnect();
  await untilShared([second, third], 3);
  await produceRound(kafka, 2);
  await Promise.all([second.read(5), third.read(5)]);
  await second.consumer.disconnect();
  await third.until(() => third.assignment?.length === PARTITIONS);
  await produceRound(kafka, 3);
  await third.read(5 + PARTITIONS);
  const values = members.flatMap((member) => member.values).sort();
  expect(values).toEqual([0, 1, 2, 3].flatMap(roundOf));
});

test("a group goes on where it has committed, also when all its members were gone and the daemon was ended in between", async () => {
  const { kafka, daemon } = await withTopic();
  await produceRound(kafka, 0);
  const before = await Member.join(kafka, { topic: TOPIC });
  await before.read(PARTITIONS);
  // Commits on its way out.
  await before.consumer.disconnect();
  await produceRound(kafka, 1);
  expect((await daemon.end("SIGTERM")).code).toBe(0);
  const again = await kafkaWorld([], daemon.data);
  const after = await Member.join(again.kafka, { topic: TOPIC });
  await after.read(PARTITIONS);
  expect(after.values.sort()).toEqual(roundOf(1));
});

test("what a kafkajs member commits the SDK sees, and the other way round", async () => {
  const { kafka, client } = await withTopic();
  await produceRound(kafka, 0);
  const admin = client.admin();
  const member = await Member.join(kafka, { topic: TOPIC, autoCommit: false });
  await member.read(PARTITIONS);
  await member.consumer.commitOffsets([
    { topic: TOPIC, partition: 0, offset: "1", metadata: "a note" },
    { topic: TOPIC, partition: 1, offset: "0" },
  ]);
  expect(await admin.fetchOffsets("readers")).toMatchObject([
    { topic: TOPIC, partition: 0, offset: 1, metadata: "a note" },
    { topic: TOPIC, partition: 1, offset: 0, metadata: "" },
  ]);
  await member.consumer.disconnect();
  await admin.commitOffsets("readers", [
    { topic: TOPIC, partition: 0, offset: 0 },
    { topic: TOPIC, partition: 1, offset: 1, metadata: "from the SDK" },
  ]);
  const kafkaAdmin = await opened(kafka.admin());
  const [found] = await kafkaAdmin.fetchOffsets({ groupId: "readers", topics: [TOPIC] });
  const byPartition = new Map(
    found?.partitions.map(({ partition, offset, metadata }) => [partition, [offset, metadata]]),
  );
  expect(byPartition.get(0)).toEqual(["0", null]);
  expect(byPartition.get(1)).toEqual(["1", "from the SDK"]);
  expect(byPartition.get(2)).toEqual(["-1", null]);
  const after = await Member.join(kafka, { topic: TOPIC });
  await after.read(5);
  expect(after.values.sort()).toEqual(roundOf(0).filter((value) => value !== "0/1"));
});

test("the command line waits for a group of kafkajs to be rebalanced, and to be stable again", async () => {
  const { kafka, daemon } = await withTopic();
  await produceRound(kafka, 0);
  let release = () => {};
  const work = new Promise<void>((resolve) => {
    release = resolve;
  });
  const busy = await Member.join(kafka, { topic: TOPIC, work: () => work, rebalanceTimeout: 60_000 });
  await busy.read(1);
  const wait = (state: string) => output(daemon, ["groups", "wait", "readers", "--state", state]);
  expect(await wait("stable")).toBe("the group readers is stable, with 1 member in generation 1\n");
  const second = await Member.begin(kafka, { topic: TOPIC, rebalanceTimeout: 60_000 });
  expect(await wait("preparing_rebalance")).toMatch(/^the group readers is preparing_rebalance, /);
  release();
  await untilShared([busy, second], 3);
  expect(await wait("stable")).toBe("the group readers is stable, with 2 members in generation 2\n");
});

test("the SDK sees a group of kafkajs with its state, its members and how far each partition is read", async () => {
  const { kafka, client } = await withTopic();
  await produceRound(kafka, 0);
  const member = await Member.join(kafka, { topic: TOPIC });
  await member.read(PARTITIONS);
  await member.consumer.commitOffsets(all.map((partition) => ({ topic: TOPIC, partition, offset: "1" })));
  const admin = client.admin();
  expect(await admin.listGroups()).toMatchObject([{ groupId: "readers" }]);
  const lag = await admin.groupLag("readers");
  expect(lag.map(({ partition, lag }) => [partition, lag])).toEqual(all.map((partition) => [partition, 0]));
});

test("a group has one kind: while kafkajs's members are in it the SDK's are refused, afterwards they go on with its offsets", async () => {
  const { kafka, client } = await withTopic();
  await produceRound(kafka, 0);
  const member = await Member.join(kafka, { topic: TOPIC });
  await member.read(PARTITIONS);
  const refused = client.consumer({ groupId: "readers" });
  await expect(refused.subscribe([TOPIC])).rejects.toMatchObject({ code: "INCONSISTENT_GROUP_PROTOCOL" });
  await refused.close().catch(() => {});
  await member.consumer.disconnect();
  await produceRound(kafka, 1);
  const consumer = client.consumer({ groupId: "readers" });
  await consumer.subscribe([TOPIC]);
  const found: string[] = [];
  while (found.length < PARTITIONS)
    for (const { value } of await consumer.poll({ timeoutMs: 1_000 })) found.push(`${value}`);
  expect(found.sort()).toEqual(roundOf(1));
  await consumer.close();
});
