import { readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import { failure } from "../../test/support/failure.ts";
import { producing } from "../../test/support/producing.ts";
import { quiet } from "../../test/support/scripted-peer.ts";
import { isFateUnknown } from "../errors.ts";

const ORDERS = { topic: "orders", partition: 0 };

/** An idempotent producer that sends each record by itself, so that a test sees which of them is in which request. */
async function idempotent(options: object = {}) {
  const world = await producing({ idempotent: true, batchBytes: 1, ...options });
  const send = (value: string) => world.producer.send({ ...ORDERS, value });
  const sequences = () =>
    world.broker.produced.map(({ batch_b64: frame = Buffer.alloc(0) }) => {
      const { producerId, producerEpoch, baseSequence } = readBatchHeader(frame);
      return [producerId, producerEpoch, baseSequence];
    });
  /** Lets time pass until nothing happens any more. */
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      await quiet();
      world.clock.advance(500);
    }
  };
  return { ...world, send, sequences, settle };
}

test("each batch has the next sequence of its partition, and acks is all", async () => {
  const { broker, client, producer, send, sequences } = await idempotent();
  await Promise.all([send("1"), send("2"), producer.send({ topic: "orders", partition: 1, value: "a" })]);
  await producer.sendMany(["3", "4"].map((value) => ({ ...ORDERS, value })));
  expect(sequences().sort()).toEqual([
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 1],
    [0, 0, 2],
    [0, 0, 3],
  ]);
  expect(broker.produced.every(({ acks }) => acks === "all")).toBe(true);
  await client.close();
});

test("five batches of a partition are out at once, once the partition has taken the first", async () => {
  const { broker, peer, client, send } = await idempotent();
  broker.byHand("produce");
  const sends = ["1", "2", "3", "4", "5", "6", "7"].map(send);
  const first = await peer.next("produce");
  await quiet();
  expect(peer.unread).toHaveLength(0);
  broker.answerProduce(first);
  await quiet();
  expect(peer.unread).toHaveLength(5);
  for (let n = 0; n < 6; n += 1) broker.answerProduce(await peer.next("produce"));
  expect((await Promise.all(sends)).map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  await client.close();
});

test("a link that breaks with five batches under way loses none and doubles none, whatever the broker has taken", async () => {
  for (let taken = 0; taken <= 5; taken += 1) {
    const { broker, peer, clock, client, send, settle } = await idempotent();
    await send("0");
    broker.byHand("produce", 5);
    const sends = ["1", "2", "3", "4", "5", "6"].map(send);
    const requests = [];
    for (let n = 0; n < 5; n += 1) requests.push(await peer.next("produce"));
    for (const { fields } of requests.slice(0, taken))
      if (fields.batch_b64 !== undefined) broker.takeFrame("orders", 0, fields.batch_b64);
    peer.breakLink();
    await settle();
    expect((await Promise.all(sends)).map(({ offset }) => offset)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(broker.values("orders", 0)).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
    await client.close();
    expect(clock.waiting).toBe(0);
  }
});

test("a batch that is refused for now is followed by none, and all come in their order", async () => {
  const { broker, peer, client, send, settle, sequences } = await idempotent();
  await send("0");
  broker.byHand("produce", 1);
  const sends = ["1", "2", "3"].map(send);
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  await settle();
  await Promise.all(sends);
  expect(broker.values("orders", 0)).toEqual(["0", "1", "2", "3"]);
  expect(new Set(sequences().map(([, epoch]) => epoch))).toEqual(new Set([0]));
  await client.close();
});

test("the first batch of a partition is alone, so that none behind it can take its place", async () => {
  const { broker, peer, client, send, settle } = await idempotent();
  broker.byHand("produce", 1);
  const sends = ["1", "2"].map(send);
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  await settle();
  await Promise.all(sends);
  expect(broker.values("orders", 0)).toEqual(["1", "2"]);
  await client.close();
});

test("a batch that fails for good leaves its sequence to nobody: the next ones are of another epoch", async () => {
  const { broker, peer, client, send, settle, sequences } = await idempotent();
  await send("0");
  broker.byHand("produce", 1);
  const refused = failure(send("1"));
  const others = ["2", "3"].map(send);
  (await peer.next("produce")).refuse("INVALID_RECORD");
  expect(isFateUnknown(await refused)).toBe(false);
  await settle();
  await Promise.all(others);
  expect(broker.values("orders", 0)).toEqual(["0", "2", "3"]);
  expect(sequences().filter(([, epoch]) => epoch === 1)).toEqual([
    [0, 1, 0],
    [0, 1, 1],
  ]);
  await client.close();
});

test("a batch whose time is up while its fate is open is there once or not at all, and those behind it once", async () => {
  for (const isTaken of [false, true]) {
    const { broker, peer, clock, client, send, settle } = await idempotent({
      deliveryTimeoutMs: 2_000,
      inFlightPerPartitionMax: 1,
    });
    await send("0");
    broker.byHand("produce", 1);
    const late = failure(send("1"));
    const request = await peer.next("produce");
    if (isTaken) broker.takeFrame("orders", 0, request.fields.batch_b64 ?? Buffer.alloc(0));
    clock.advance(1_500);
    const next = send("2");
    await quiet();
    clock.advance(500);
    await settle();
    const error = await late;
    expect([error.code, isFateUnknown(error)]).toEqual(["TIMEOUT", true]);
    await next;
    expect(broker.values("orders", 0)).toEqual(isTaken ? ["0", "1", "2"] : ["0", "2"]);
    await client.close();
    expect(clock.waiting).toBe(0);
  }
});

test("two batches whose fate is open are not sent as others, since the old ones may still come", async () => {
  const { broker, peer, clock, client, send, settle } = await idempotent({ deliveryTimeoutMs: 2_000 });
  await send("0");
  broker.byHand("produce", 2);
  const first = failure(send("1"));
  clock.advance(1_500);
  const second = failure(send("2"));
  const late = [await peer.next("produce"), await peer.next("produce")];
  clock.advance(500);
  await settle();
  expect([isFateUnknown(await first), isFateUnknown(await second)]).toEqual([true, true]);
  await send("3");
  for (const { fields } of late) broker.takeFrame("orders", 0, fields.batch_b64 ?? Buffer.alloc(0));
  expect(broker.values("orders", 0)).toEqual(["0", "3"]);
  await client.close();
});

test("a new instance of a name ends the old one, whose sends fail from then on", async () => {
  const { broker, client, producer, send } = await idempotent({ name: "billing" });
  await send("1");
  const second = client.producer({ idempotent: true, name: "billing", batchBytes: 1 });
  await second.send({ ...ORDERS, value: "2" });
  for (const value of ["3", "4"])
    expect(await failure(send(value))).toMatchObject({ code: "PRODUCER_FENCED", retriable: false });
  await second.send({ ...ORDERS, value: "5" });
  expect(broker.values("orders", 0)).toEqual(["1", "2", "5"]);
  await producer.close();
  await client.close();
});

test("a broker that knows the producer no more gives it another identity, and nothing is lost", async () => {
  const { broker, client, send, settle, sequences } = await idempotent();
  await send("1");
  broker.producers.forget();
  const sent = send("2");
  await settle();
  await sent;
  expect(broker.values("orders", 0)).toEqual(["1", "2"]);
  expect(sequences().at(-1)).toEqual([0, 0, 0]);
  await client.close();
});

test("an identity that cannot be had for now is asked for again, and one that is refused fails what waits", async () => {
  const { broker, peer, clock, client, send, settle } = await idempotent();
  broker.byHand("init_producer", 3);
  const waits = send("1");
  (await peer.next("init_producer")).refuse("SHUTTING_DOWN");
  await quiet();
  clock.advance(100);
  broker.answerInit(await peer.next("init_producer"));
  await settle();
  await waits;
  await client.close();

  const other = await idempotent();
  other.broker.byHand("init_producer", 1);
  const fails = failure(other.send("1"));
  (await other.peer.next("init_producer")).refuse("BROKER_FAILED");
  expect(await fails).toMatchObject({ code: "BROKER_FAILED" });
  await other.send("2");
  expect(other.broker.values("orders", 0)).toEqual(["2"]);
  await other.client.close();
  expect([clock.waiting, other.clock.waiting]).toEqual([0, 0]);
});

test("records that wait for an identity too long fail, and were surely not sent", async () => {
  const { broker, peer, clock, client, send, settle } = await idempotent({ deliveryTimeoutMs: 1_000 });
  broker.byHand("init_producer", 1);
  const sent = failure(send("1"));
  await peer.next("init_producer");
  await quiet();
  clock.advance(1_000);
  await settle();
  const error = await sent;
  expect([error.code, isFateUnknown(error), broker.produced]).toEqual(["TIMEOUT", false, []]);
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("a batch that is halved keeps the sequence of each record", async () => {
  const { broker, peer, client, producer, sequences } = await producingTwo();
  broker.byHand("produce", 1);
  const sent = producer.sendMany(["1", "2", "3"].map((value) => ({ ...ORDERS, value })));
  void producer.flush();
  (await peer.next("produce")).refuse("RECORD_TOO_LARGE");
  await sent;
  expect(broker.values("orders", 0)).toEqual(["1", "2", "3"]);
  expect(sequences()).toEqual([0, 0, 2]);
  await client.close();
});

async function producingTwo() {
  const world = await producing({ idempotent: true, lingerMs: 10 });
  const sequences = () =>
    world.broker.produced.map(
      ({ batch_b64: frame = Buffer.alloc(0) }) => readBatchHeader(frame).baseSequence,
    );
  return { ...world, sequences };
}

test("close with an identity still asked for ends at its time, and leaves no timer", async () => {
  const { broker, peer, clock, client, producer, send } = await idempotent();
  broker.byHand("init_producer", 1);
  const sent = failure(send("1"));
  await peer.next("init_producer");
  const closed = failure(producer.close({ timeoutMs: 200 }));
  await quiet();
  clock.advance(200);
  expect(await sent).toMatchObject({ code: "CLOSED" });
  expect(await closed).toMatchObject({ code: "CLOSED" });
  await client.close();
  expect(clock.waiting).toBe(0);
});

test.each<[object, string]>([
  [{ idempotent: true, acks: 1 }, 'acks is 1; expected "all", since the producer is idempotent'],
  [{ idempotent: true, acks: 0 }, 'acks is 0; expected "all", since the producer is idempotent'],
  [{ name: "billing" }, 'name is "billing"; expected none, since the producer is not idempotent'],
  [{ idempotent: true, inFlightPerPartitionMax: 6 }, "inFlightPerPartitionMax is 6"],
])("the options %j do not fit together", async (options, message) => {
  const { client } = await producing();
  expect(() => client.producer(options)).toThrow(message);
  await client.close();
});
