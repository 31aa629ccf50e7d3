/** Groups under a manual clock, where nobody beats, commits or expires by itself: the original's lessons, step by step. */
import { type Client, type Consumer, connect, ManualClock } from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";

async function world(rebalance: "barrier" | "immediate") {
  const arguments_ = ["--clock", "manual", "--rebalance", rebalance, "--log-level", "error"];
  const daemon = await startDaemon(temporaryFolder(), arguments_);
  const clientOf = async () => {
    const client = await connect({ port: daemon.port }, { clock: new ManualClock() });
    onTestFinished(() => client.close());
    return client;
  };
  const client = await clientOf();
  await client.admin().createTopic({ topic: "orders", partitions: 4 });
  for (const partition of [0, 1, 2, 3])
    await client.producer({ acks: "all" }).send({ topic: "orders", partition, value: `v${partition}` });
  return { client, clientOf };
}

async function join(client: Client, memberId: string): Promise<Consumer> {
  const consumer = client.consumer({ groupId: "g", memberId, autoOffsetReset: "earliest" });
  await consumer.subscribe(["orders"]);
  return consumer;
}

const numbers = ({ assignment }: Consumer) => assignment.map(({ partition }) => partition);
const P1 = { topic: "orders", partition: 1 };

async function values(consumer: Consumer): Promise<string[]> {
  const found: string[] = [];
  for (let polls = 0; polls < 5; polls += 1)
    for (const { value } of await consumer.poll()) found.push(`${value}`);
  return found.sort();
}

test("under barrier a partition has one reader: the second member waits until the first has confirmed", async () => {
  const { client, clientOf } = await world("barrier");
  const first = await join(client, "a");
  expect(numbers(first)).toEqual([0, 1, 2, 3]);
  const second = await join(await clientOf(), "b");
  expect([numbers(first), numbers(second)]).toEqual([[0, 1, 2, 3], []]);
  await first.refreshAssignment();
  await second.refreshAssignment();
  expect([numbers(first), numbers(second)]).toEqual([[0, 2], []]);
  await first.heartbeat();
  await second.refreshAssignment();
  expect([numbers(first), numbers(second)]).toEqual([
    [0, 2],
    [1, 3],
  ]);
  expect([await values(first), await values(second)]).toEqual([
    ["v0", "v2"],
    ["v1", "v3"],
  ]);
});

test("under immediate the first member's old view overlaps until it is refreshed, and its stale generation cannot commit", async () => {
  const { client, clientOf } = await world("immediate");
  const first = await join(client, "a");
  const second = await join(await clientOf(), "b");
  expect([numbers(first), numbers(second)]).toEqual([
    [0, 1, 2, 3],
    [1, 3],
  ]);
  expect([await values(first), await values(second)]).toEqual([
    ["v0", "v1", "v2", "v3"],
    ["v1", "v3"],
  ]);
  const stale = first.commit([{ ...P1, offset: 1 }]);
  await expect(stale).rejects.toMatchObject({ code: "ILLEGAL_GENERATION" });
  await first.refreshAssignment();
  expect(numbers(first)).toEqual([0, 2]);
  const foreign = first.commit([{ ...P1, offset: 1 }]);
  await expect(foreign).rejects.toMatchObject({ code: "NOT_PARTITION_OWNER" });
  await second.commit([{ ...P1, offset: 1 }]);
  expect((await second.committed([P1]))[0]?.offset).toBe(1);
});

test("a silent member is expired by a step of the broker, and finds out with its next heartbeat", async () => {
  const { client, clientOf } = await world("barrier");
  const silent = await join(client, "a");
  const second = await join(await clientOf(), "b");
  const stepper = client.stepper();
  await stepper.advanceClock(9_000);
  await second.heartbeat();
  await stepper.advanceClock(2_000);
  expect((await stepper.expireMembers()).expired).toMatchObject([{ groupId: "g", memberId: "a" }]);
  await second.heartbeat();
  expect([numbers(silent), numbers(second)]).toEqual([
    [0, 1, 2, 3],
    [0, 1, 2, 3],
  ]);
  await expect(silent.commit([{ ...P1, offset: 1 }])).rejects.toMatchObject({ code: "UNKNOWN_MEMBER" });
  await silent.heartbeat();
  expect(numbers(silent)).toEqual([]);
  await second.heartbeat();
  await silent.heartbeat();
  expect([numbers(silent), numbers(second)].map((own) => own.length)).toEqual([2, 2]);
});
