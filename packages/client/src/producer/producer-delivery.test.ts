import { expect, test } from "vitest";
import { failure } from "../../test/support/failure.ts";
import { producing } from "../../test/support/producing.ts";
import { quiet } from "../../test/support/scripted-peer.ts";
import { isFateUnknown } from "../errors.ts";

test("a retriable refusal is tried again before anything that came after it, so that order holds", async () => {
  const { broker, peer, clock, client, producer } = await producing({ batchBytes: 1 });
  broker.byHand("produce", 2);
  const sends = ["1", "2", "3"].map((value) => producer.send({ topic: "orders", partition: 0, value }));
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  await quiet();
  expect(broker.produced).toHaveLength(1);
  clock.advance(100);
  (await peer.next("produce")).refuse("LEADER_NOT_AVAILABLE");
  await quiet();
  clock.advance(199);
  await quiet();
  expect(broker.produced).toHaveLength(2);
  clock.advance(1);
  expect((await Promise.all(sends)).map(({ offset }) => offset)).toEqual([0, 1, 2]);
  expect(broker.values("orders", 0)).toEqual(["1", "2", "3"]);
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("one batch of a partition is out at once, while other partitions go side by side", async () => {
  const { broker, peer, client, producer } = await producing({ batchBytes: 1 });
  broker.byHand("produce", 3);
  const sends = [0, 0, 1].map((partition) => producer.send({ topic: "orders", partition, value: "v" }));
  const first = await peer.next("produce");
  const other = await peer.next("produce");
  await quiet();
  expect([first.fields.partition, other.fields.partition, peer.unread.length]).toEqual([0, 1, 0]);
  broker.answerProduce(other);
  broker.answerProduce(first);
  broker.answerProduce(await peer.next("produce"));
  await Promise.all(sends);
  await client.close();
});

test("with more batches of a partition out, retries keep their order among themselves", async () => {
  const { broker, peer, clock, client, producer } = await producing({
    batchBytes: 1,
    inFlightPerPartitionMax: 3,
  });
  await producer.send({ topic: "orders", partition: 0, value: "0" });
  broker.byHand("produce", 3);
  const sends = ["1", "2", "3"].map((value) => producer.send({ topic: "orders", partition: 0, value }));
  const requests = [await peer.next("produce"), await peer.next("produce"), await peer.next("produce")];
  for (const index of [1, 0, 2]) requests[index]?.refuse("NOT_ENOUGH_REPLICAS");
  await quiet();
  clock.advance(1_000);
  await Promise.all(sends);
  expect(broker.values("orders", 0)).toEqual(["0", "1", "2", "3"]);
  await client.close();
});

test("a produce that was under way when the link broke is not sent again, and says that its fate is unknown", async () => {
  const { broker, peer, clock, client, producer } = await producing({ batchBytes: 1 });
  broker.byHand("produce", 1);
  const lost = failure(producer.send({ topic: "orders", partition: 0, value: "lost?" }));
  const next = producer.send({ topic: "orders", partition: 0, value: "next" });
  await peer.next("produce");
  peer.breakLink();
  expect(await lost).toMatchObject({ code: "CONNECTION", retriable: true, details: { sent: true } });
  clock.advance(100);
  await next;
  expect(broker.values("orders", 0)).toEqual(["next"]);
  await client.close();
});

test("who prefers duplicates to losses has it sent again, in its place", async () => {
  const { broker, peer, clock, client, producer } = await producing({
    batchBytes: 1,
    onUnknownFate: "retry",
  });
  broker.byHand("produce", 1);
  const sends = ["1", "2"].map((value) => producer.send({ topic: "orders", partition: 0, value }));
  await peer.next("produce");
  peer.breakLink();
  for (let step = 0; step < 4; step += 1) {
    await quiet();
    clock.advance(100);
  }
  await Promise.all(sends);
  expect(broker.values("orders", 0)).toEqual(["1", "2"]);
  await client.close();
});

test("a batch that cannot be delivered within its delivery timeout fails, and the next has its own time", async () => {
  const { broker, peer, clock, client, producer } = await producing({
    batchBytes: 1,
    deliveryTimeoutMs: 250,
  });
  broker.byHand("produce", 2);
  const late = failure(producer.send({ topic: "orders", partition: 0, value: "late" }));
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  await quiet();
  clock.advance(100);
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  expect(await late).toMatchObject({ code: "NOT_ENOUGH_REPLICAS" });
  await producer.send({ topic: "orders", partition: 0, value: "fine" });
  expect(broker.values("orders", 0)).toEqual(["fine"]);
  await client.close();
});

test.each([
  ["the broker does not answer", "TIMEOUT"],
  ["there is no broker", "CONNECTION"],
])(
  "records wait no longer than their delivery timeout for their topic's partitions: %s",
  async (why, code) => {
    const { broker, peer, clock, client, producer } = await producing({ deliveryTimeoutMs: 2_000 });
    broker.byHand("metadata");
    if (why === "there is no broker") {
      peer.refuseLinks(new Error("gone"));
      peer.breakLink();
    }
    const outcomes: unknown[] = [];
    const send = (value: string) =>
      producer.send({ topic: "orders", value }).catch((error: unknown) => outcomes.push(error));
    const sent = send("first");
    await quiet();
    clock.advance(1_999);
    await quiet();
    expect(outcomes).toEqual([]);
    clock.advance(1);
    await quiet();
    expect(outcomes).toMatchObject([{ code, details: { sent: false } }]);
    await sent;
    expect(producer.buffered.records).toBe(0);
    await client.close();
    expect(clock.waiting).toBe(0);
  },
);

test("to every producer of a client a broker that does not answer is one that does not, and their records were not sent", async () => {
  const topics = { orders: 2 };
  const { broker, clock, client, producer } = await producing({ deliveryTimeoutMs: 2_000 }, topics, {
    requestTimeoutMs: 2_000,
  });
  broker.byHand("metadata");
  const first = failure(producer.send({ topic: "orders", value: "first" }));
  await quiet();
  clock.advance(1);
  const second = failure(client.producer({ deliveryTimeoutMs: 2_000 }).send({ topic: "orders", value: "2" }));
  await quiet();
  // The connection is given up, and the second has no time left for another.
  clock.advance(1_999);
  await quiet();
  for (const error of [await first, await second]) {
    expect(error).toMatchObject({ code: "TIMEOUT", details: { sent: false, deliveryTimeoutMs: 2_000 } });
    expect(isFateUnknown(error)).toBe(false);
  }
  expect((await second).message).toContain("was given up, since nothing came in for 2000 ms");
  await client.close();
});

test("when the broker takes smaller batches, only the record that is too large by itself fails", async () => {
  const { broker, peer, client, producer } = await producing({ lingerMs: 10 });
  broker.byHand("produce");
  const values = ["1", "2", "x".repeat(300), "4", "5"];
  const sends = values.map((value) => producer.send({ topic: "orders", partition: 0, value }));
  const outcomes = Promise.allSettled(sends);
  const flushed = failure(producer.flush());
  for (let settled = false; !settled; ) {
    const request = await peer.next("produce");
    if ((request.fields.batch_b64?.length ?? 0) > 300) request.refuse("RECORD_TOO_LARGE");
    else broker.answerProduce(request);
    settled = broker.values("orders", 0).length === 4;
  }
  expect((await outcomes).map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
  expect(await flushed).toMatchObject({ code: "RECORD_TOO_LARGE" });
  expect(broker.values("orders", 0)).toEqual(["1", "2", "4", "5"]);
  expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
  await client.close();
});

test("flush fails with the first failure, and sends that were not looked at yet do not end the process", async () => {
  const { broker, peer, client, producer } = await producing({ lingerMs: 100 });
  broker.byHand("produce", 1);
  const sent = producer.send({ topic: "orders", partition: 0, value: "v" });
  const flushed = failure(producer.flush());
  (await peer.next("produce")).refuse("STORAGE_ERROR");
  expect(await flushed).toMatchObject({ code: "STORAGE_ERROR" });
  await quiet();
  expect(await failure(sent)).toMatchObject({ code: "STORAGE_ERROR" });
  await client.close();
});

test("close sends what lingers, then refuses everything", async () => {
  const { broker, clock, client, producer } = await producing({ lingerMs: 10_000 });
  const sent = producer.send({ topic: "orders", partition: 0, value: "last" });
  await producer.close();
  expect((await sent).offset).toBe(0);
  expect(broker.values("orders", 0)).toEqual(["last"]);
  expect(await failure(producer.send({ topic: "orders", value: "v" }))).toMatchObject({ code: "CLOSED" });
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("close tries what waited for a retry once more and then gives up", async () => {
  const { broker, peer, clock, client, producer } = await producing();
  broker.byHand("produce", 2);
  const sent = failure(producer.send({ topic: "orders", partition: 0, value: "v" }));
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  await quiet();
  const closed = failure(producer.close());
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  expect(await sent).toMatchObject({ code: "NOT_ENOUGH_REPLICAS" });
  expect(await closed).toMatchObject({ code: "NOT_ENOUGH_REPLICAS" });
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("close does not wait longer than it may: what is left fails with CLOSED", async () => {
  const { broker, peer, clock, client, producer } = await producing();
  broker.byHand("produce", 1);
  const sent = failure(producer.send({ topic: "orders", partition: 0, value: "v" }));
  const late = await peer.next("produce");
  const closed = failure(producer.close({ timeoutMs: 200 }));
  await quiet();
  clock.advance(200);
  expect(await sent).toMatchObject({ code: "CLOSED", details: { sent: true } });
  expect(await closed).toMatchObject({ code: "CLOSED" });
  broker.answerProduce(late);
  await quiet();
  expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
  await client.close();
});

test("a client that closes while the broker is gone ends its producers at once and leaves no timer", async () => {
  const { peer, clock, client, producer } = await producing({ lingerMs: 10 });
  peer.refuseLinks(new Error("gone"));
  peer.breakLink();
  const sent = failure(producer.send({ topic: "orders", value: "v" }));
  await quiet();
  expect(await failure(client.close())).toMatchObject({ code: "CLOSED" });
  expect(await sent).toMatchObject({ code: "CLOSED", details: { sent: false } });
  expect([clock.waiting, peer.openLinkCount]).toEqual([0, 0]);
});
