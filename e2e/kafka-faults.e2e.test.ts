/** Faults at the requests of kafkajs, which goes on: nothing is lost or there twice, and the counts prove that each has acted. */
import type { FaultOrder } from "@minikafka/client";
import type { Producer } from "kafkajs";
import { expect, test } from "vitest";
import { valuesOf } from "./support/committed-values.ts";
import { kafkaOf, kafkaWorld, Member, opened } from "./support/kafka-world.ts";

const TOPIC = "orders";
/** An answer that never comes is missed after this. */
const REQUEST_TIMEOUT_MS = 1_000;

async function experiment() {
  const world = await kafkaWorld(["--lab", "--log-level", "fatal"]);
  await world.client.admin().createTopic({ topic: TOPIC, partitions: 1 });
  const kafka = kafkaOf(world.daemon, { requestTimeout: REQUEST_TIMEOUT_MS });
  const arm = (order: FaultOrder) => world.client.faults().arm(order);
  return { ...world, kafka, arm };
}

/** What befalls one request: its name in a test, and the fault. */
const BEFALLS: readonly (readonly [string, Omit<FaultOrder, "point">])[] = [
  ["an error once", { action: "error", code: "NOT_LEADER_OR_FOLLOWER" }],
  ["a delay", { action: "delay", delayMs: 300 }],
  ["an answer that never comes", { action: "drop_answer" }],
  ["a connection that closes before it is done", { action: "close" }],
  ["a connection that closes when it is done", { action: "close_after" }],
];

const VALUES = ["a", "b", "c", "d"];

test.for(BEFALLS)(
  "Produce, %s: an idempotent kafkajs producer goes on, and each record is there once, in order",
  async ([, fault]) => {
    const { kafka, client, arm } = await experiment();
    const producer = await opened(kafka.producer({ idempotent: true, maxInFlightRequests: 1 }));
    const rule = await arm({ ...fault, point: "kafka.Produce", times: { nth: 2 } });
    // One record with a time and one without make a batch whose retry has other bytes.
    for (const value of VALUES)
      await producer.send({ topic: TOPIC, acks: -1, messages: [{ value, timestamp: "1" }, { value: "-" }] });
    await rule.assertFired();
    expect(await valuesOf(client, TOPIC)).toEqual(VALUES.flatMap((value) => [value, "-"]));
  },
);

test("a record to which kafkajs gives the sequence of one whose answers it missed is refused, and none is acknowledged that is nowhere", async () => {
  const { daemon, client, arm } = await experiment();
  const retry = { retries: 1, initialRetryTime: 20 };
  const kafka = kafkaOf(daemon, { requestTimeout: REQUEST_TIMEOUT_MS, retry });
  const open = () => opened(kafka.producer({ idempotent: true, maxInFlightRequests: 1 }));
  const acknowledged: string[] = [];
  const outcome = async (producer: Producer, value: string) => {
    try {
      await producer.send({ topic: TOPIC, acks: -1, messages: [{ value }] });
      acknowledged.push(value);
      return "acknowledged";
    } catch (problem) {
      return (problem as { type?: string }).type ?? "no answer";
    }
  };
  const producer = await open();
  expect(await outcome(producer, "one")).toBe("acknowledged");
  const rule = await arm({ action: "close_after", point: "kafka.Produce", times: { first: 2 } });
  expect(await outcome(producer, "two")).toBe("no answer");
  await rule.assertFired();
  for (const value of ["three", "four"])
    expect(await outcome(producer, value)).toBe("OUT_OF_ORDER_SEQUENCE_NUMBER");
  const next = await open();
  for (const value of ["three", "four"]) expect(await outcome(next, value)).toBe("acknowledged");
  expect(acknowledged).toEqual(["one", "three", "four"]);
  expect(await valuesOf(client, TOPIC)).toEqual(["one", "two", "three", "four"]);
});

test.for(BEFALLS)(
  "Fetch, %s: a kafkajs consumer goes on, and hands out each record once, in order",
  async ([, fault]) => {
    const { kafka, client, arm } = await experiment();
    const producer = client.producer({ acks: "all" });
    const send = (value: string) => producer.send({ topic: TOPIC, partition: 0, value });
    for (const value of VALUES.slice(0, 2)) await send(value);
    const member = await Member.join(kafka, { topic: TOPIC });
    await member.read(2);
    const rule = await arm({ ...fault, point: "kafka.Fetch" });
    await rule.whenFired();
    for (const value of VALUES.slice(2)) await send(value);
    await member.read(VALUES.length);
    expect(member.values).toEqual(VALUES);
  },
);

test.for(BEFALLS)(
  "JoinGroup, %s: kafkajs's members are all in the end, and share the partitions",
  async ([, fault]) => {
    const { kafka, client, arm } = await experiment();
    await client.admin().createPartitions(TOPIC, 4);
    const code = fault.action === "error" ? { code: "COORDINATOR_LOAD_IN_PROGRESS" as const } : {};
    const rule = await arm({ ...fault, ...code, point: "kafka.JoinGroup" });
    const options = { topic: TOPIC, sessionTimeout: 6_000, rebalanceTimeout: 1_000 };
    const members = await Promise.all([1, 2].map(() => Member.begin(kafka, options)));
    const all = () =>
      members
        .flatMap(({ assignment }) => assignment ?? [])
        .sort()
        .join() === "0,1,2,3";
    await Promise.all(members.map((member) => member.until(() => all() && members.every(has2))));
    await rule.assertFired();
  },
);

const has2 = ({ assignment }: Member) => assignment?.length === 2;
