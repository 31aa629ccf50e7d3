/** Static members (KIP-345) by @platformatic/kafka against the running daemon; kafkajs knows none. */
import { Consumer, type ProtocolError, stringDeserializers } from "@platformatic/kafka";
import { expect, onTestFinished, test } from "vitest";
import { addressesOf, type KafkaWorld, kafkaWorld } from "./support/kafka-world.ts";
import { quietOnceClosed } from "./support/quiet-once-closed.ts";

const GROUP = "readers";

/** A member whose name is `groupInstanceId`, and which is quick to hear of what changes. */
async function memberOf({ daemon }: KafkaWorld, groupInstanceId: string) {
  const consumer = new Consumer({
    ...{ clientId: "e2e", bootstrapBrokers: addressesOf(daemon), retryDelay: 20 },
    ...{ groupId: GROUP, groupInstanceId, heartbeatInterval: 50, maxWaitTime: 50 },
    ...{ sessionTimeout: 10_000, rebalanceTimeout: 10_000, deserializers: stringDeserializers },
  });
  quietOnceClosed(consumer);
  onTestFinished(async () => {
    await Promise.resolve(consumer.close(true) as unknown).catch(() => {});
  });
  await consumer.consume({ topics: ["jobs"], mode: "committed", fallbackMode: "earliest" });
  return consumer;
}

type Reader = Awaited<ReturnType<typeof memberOf>>;

const partitionsOf = ({ assignments }: Reader) => assignments?.[0]?.partitions ?? [];

async function untilShared(readers: readonly Reader[], each: number): Promise<void> {
  while (readers.some((reader) => partitionsOf(reader).length !== each))
    await new Promise((resolve) => setImmediate(resolve));
}

async function described({ client }: KafkaWorld) {
  const { generation, state, members } = await client.admin().describeGroup(GROUP);
  const ids = new Map(members.map(({ memberId, classic }) => [classic?.instanceId, memberId]));
  return { generation, state, ids };
}

test("a static member that comes back has what it had, nobody else joins again, and who had its name is fenced", async () => {
  const world = await kafkaWorld();
  await world.client.admin().createTopic({ topic: "jobs", partitions: 4 });
  const [one, two] = [await memberOf(world, "one"), await memberOf(world, "two")];
  await untilShared([one, two], 2);
  const before = await described(world);
  expect([...before.ids.keys()].sort()).toEqual(["one", "two"]);
  let joins = 0;
  two.on("consumer:group:join", () => {
    joins += 1;
  });
  const fenced = new Promise<Error>((resolve) => {
    one.on("consumer:heartbeat:error", ({ error }) => resolve(error as Error));
  });
  const again = await memberOf(world, "one");
  expect(partitionsOf(again)).toEqual(partitionsOf(one));
  const after = await described(world);
  expect(after).toMatchObject({ generation: before.generation, state: "stable" });
  expect(after.ids.get("two")).toBe(before.ids.get("two"));
  expect(after.ids.get("one")).not.toBe(before.ids.get("one"));
  const { errors } = (await fenced) as Error & { readonly errors: readonly ProtocolError[] };
  expect(errors).toMatchObject([{ apiId: "FENCED_INSTANCE_ID" }]);
  expect(joins).toBe(0);
});
