/** A broker that closes while requests wait for others: each is answered, and with a manual clock at once. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import type { Broker } from "../src/daemon.ts";
import { base64, openBroker, Session, settle } from "./support/broker.ts";
import { send } from "./support/kafka-asks.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";
import { TransactionalSession } from "./support/transactions.ts";

/** A part of the grace of 5 s that a broker gives to those who can still be answered. */
const AT_ONCE_MS = 2_500;
const MANUAL = { clock: "manual", start_time: 1_700_000_000_000 } as const;
const ORDERS = { topic: "orders", partition: 0 };
const PRODUCE = { operation: "produce", ...ORDERS, value_b64: base64("v"), acks: "all" };
const OUT_OF_TIME = { ok: false, code: "REQUEST_TIMED_OUT" };

async function closesAtOnce(broker: Broker): Promise<void> {
  const begunMs = performance.now();
  await broker.close();
  expect(performance.now() - begunMs).toBeLessThan(AT_ONCE_MS);
}

async function openOrders(replicationFactor: number) {
  const broker = await openBroker({ brokers: 2 });
  broker.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor });
  return { broker, session: Session.open(broker), stepper: Session.open(broker) };
}

/** Rounds until `work` is over. */
async function stepped<Result>(work: Promise<Result>, stepper: Session): Promise<Result> {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await stepper.call("replicate_once");
    await settle();
  }
  return done;
}

const OFFSETS = [{ ...ORDERS, offset: 0 }];

test.each<[string, number, object, object]>([
  [
    "a long poll",
    2,
    { operation: "fetch", ...ORDERS, offset: 0, min_bytes: 1, max_wait_ms: 60_000 },
    { records: [] },
  ],
  ["a produce with acks all", 2, PRODUCE, OUT_OF_TIME],
  ["a commit of offsets", 1, { operation: "commit_offsets", group_id: "g", offsets: OFFSETS }, OUT_OF_TIME],
  [
    "a member that joins",
    1,
    { operation: "join_group", group_id: "g", member_id: "m", topics: ["orders"] },
    OUT_OF_TIME,
  ],
  ["a named producer", 1, { operation: "init_producer", transactional_id: "t" }, OUT_OF_TIME],
])(
  "%s is answered at once when a broker with a manual clock closes",
  async (_what, replicationFactor, request, answer) => {
    const { broker, session } = await openOrders(replicationFactor);
    session.request({ ...request, id: "first" });
    // Whoever waits behind it begins when it has ended.
    session.request({ ...request, id: "second" });
    await settle();
    expect(session.answers).toEqual([]);
    await closesAtOnce(broker);
    expect(await session.answer()).toMatchObject({ ...answer, id: "first" });
    expect(await session.answer()).toMatchObject({ ...answer, id: "second" });
    expect(await session.answer()).toBeNull();
  },
);

test("so is the end of a transaction", async () => {
  const { broker, session, stepper } = await openOrders(2);
  const producer = await stepped(
    (async () => {
      const opened = await TransactionalSession.open(session);
      await opened.begin();
      await opened.produce("a");
      return opened;
    })(),
    stepper,
  );
  session.request({ operation: "end_transaction", ...producer.who, commit: true });
  await settle();
  expect(session.answers).toEqual([]);
  await closesAtOnce(broker);
  expect(await session.answer()).toMatchObject(OUT_OF_TIME);
});

test.each([
  { point: "request.produce", action: "delay", delay_ms: 60_000 },
  { point: "request.produce", action: "hold" },
])("so is whom a fault holds up: $action", async (fault) => {
  const { broker, session } = await openOrders(1);
  await session.call("arm_fault", fault);
  session.request(PRODUCE);
  await settle();
  expect(session.answers).toEqual([]);
  await closesAtOnce(broker);
  expect(await session.answer()).not.toBeNull();
});

/** Until so many of Kafka's requests have arrived, and wait; the test's own time limit ends it otherwise. */
async function untilWaiting(json: Session, count: number): Promise<void> {
  for (;;) {
    const { deadlines } = await json.call("pending_steps");
    if (deadlines.filter(({ what }) => what === "answer").length >= count) return;
  }
}

test("with Kafka's protocol as well: a produce is REQUEST_TIMED_OUT, a commit COORDINATOR_NOT_AVAILABLE", async () => {
  const broker = await openKafkaBroker({ ...MANUAL, brokers: 2 });
  broker.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: 2 });
  const json = Session.open(broker);
  const coordinator = await broker.cluster.groups.coordinatorOf("g");
  const clients = await Promise.all([1, coordinator].map((brokerId) => KafkaClient.open(broker, brokerId)));
  const [writer, committer] = clients as [KafkaClient, KafkaClient];
  const sent = send(writer, kafkaBatch(["a"]), { timeoutMs: 60_000 });
  const partitions = [{ partitionIndex: 0, committedOffset: 0, committedMetadata: null }];
  const committed = committer.ask("OffsetCommit", 7, {
    groupId: "g",
    topics: [{ name: "orders", partitions }],
  });
  await untilWaiting(json, 2);
  await closesAtOnce(broker);
  expect(await sent).toMatchObject({ errorCode: 7 });
  expect((await committed).topics[0]?.partitions[0]).toMatchObject({ errorCode: 15 });
});

test("a member that waits for others to join, or for its assignment, is answered at once as well", async () => {
  const broker = await openKafkaBroker(MANUAL);
  const [first, second, third] = await Promise.all([1, 1, 1].map(() => KafkaClient.open(broker)));
  const join = (client: KafkaClient | undefined, groupId: string, memberId = "") =>
    (client as KafkaClient).ask("JoinGroup", 2, {
      ...{ groupId, memberId, sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 60_000 },
      ...{ protocolType: "consumer", protocols: [{ name: "range", metadata: Buffer.from("m") }] },
    });
  const leader = await join(first, "g");
  const waiting = join(second, "g");
  await settle();
  await join(first, "g", leader.memberId);
  const { memberId, generationId } = await waiting;
  const syncing = second?.ask("SyncGroup", 1, { groupId: "g", memberId, generationId, assignments: [] });
  await join(first, "h");
  const joining = join(third, "h");
  await settle();
  await closesAtOnce(broker);
  expect(await joining).toMatchObject({ errorCode: 15 });
  expect(await syncing).toMatchObject({ errorCode: 15 });
});

async function openWithHeldDisk() {
  const disk = new MemoryDisk();
  const broker = await openBroker({ clock: "auto", start_time: undefined }, disk);
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const session = Session.open(broker);
  disk.holdSyncs();
  session.request(PRODUCE);
  await settle();
  const begunMs = performance.now();
  const closed = broker.close();
  await settle();
  expect(session.answers).toEqual([]);
  return { disk, session, begunMs, closed };
}

test("with a clock that goes by itself what is acknowledged within the grace is told so", async () => {
  const { disk, session, closed } = await openWithHeldDisk();
  disk.releaseSyncs();
  expect(await session.answer()).toMatchObject({ ok: true, offset: 0 });
  await closed;
});

test("who waits in vain through the grace is answered all the same, before the connection ends", async () => {
  const { disk, session, begunMs, closed } = await openWithHeldDisk();
  expect(await session.answer()).toMatchObject(OUT_OF_TIME);
  expect(performance.now() - begunMs).toBeGreaterThan(AT_ONCE_MS);
  expect(await session.answer()).toBeNull();
  disk.releaseSyncs();
  await closed;
}, 20_000);
