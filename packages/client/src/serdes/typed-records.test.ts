/** Producers and consumers of typed records: from the caller's data to bytes, and back. */
import { expect, expectTypeOf, test } from "vitest";
import { consuming, numbered, P0, P1 } from "../../test/support/consuming.ts";
import { failure } from "../../test/support/failure.ts";
import { producing } from "../../test/support/producing.ts";
import { transacting } from "../../test/support/transacting.ts";
import { type Client, connect } from "../client.ts";
import type { ConsumerRecord } from "../consumer/consumer-record.ts";
import { RecordDeserializationError } from "../consumer/deserialized-record.ts";
import type { ProducedRecord } from "../producer/produced-record.ts";
import { jsonDeserializer, jsonSerializer } from "./json-serde.ts";
import { integerDeserializer, stringDeserializer, stringSerializer } from "./ready-serdes.ts";

interface Order {
  readonly amount: number;
}

const SERIALIZERS = { key: stringSerializer, value: jsonSerializer<Order>() };
const DESERIALIZERS = { key: stringDeserializer, value: jsonDeserializer<Order>() };

/** The number that a text is, or an error. */
const number = (bytes: Buffer) => {
  const found = Number(bytes.toString());
  if (Number.isNaN(found)) throw new RangeError(`${bytes} is no number`);
  return found;
};

test("a typed record goes in and comes out; null stays null, and the partition is chosen by the key's bytes", async () => {
  const { broker, client } = await producing();
  const producer = client.producer({ serializers: SERIALIZERS });
  await producer.send({ topic: "orders", key: "alice", value: { amount: 7 } });
  await producer.sendMany([
    { topic: "orders", key: "alice", value: null },
    { topic: "orders", key: "alice" },
  ]);
  expect(broker.values("orders", 1)).toEqual(['{"amount":7}', null, null]);
  const consumer = client.consumer({ deserializers: DESERIALIZERS });
  consumer.assign([{ ...P1, offset: 0 }]);
  const records = await consumer.poll();
  expectTypeOf(records).toEqualTypeOf<ConsumerRecord<string, Order>[]>();
  expect(records.map(({ key, value }) => [key, value])).toEqual([
    ["alice", { amount: 7 }],
    ["alice", null],
    ["alice", null],
  ]);
  await client.close();
});

test("a part without a serializer is text or bytes, and bytes without a deserializer", async () => {
  const { client } = await producing();
  const producer = client.producer({ serializers: { value: jsonSerializer<Order>() } });
  expectTypeOf(producer.send).parameter(0).toEqualTypeOf<ProducedRecord<string | Uint8Array, Order>>();
  await producer.send({ topic: "orders", partition: 0, key: Buffer.from("k"), value: { amount: 1 } });
  const consumer = client.consumer({ deserializers: { value: jsonDeserializer<Order>() } });
  consumer.assign([{ ...P0, offset: 0 }]);
  const [record] = await consumer.poll();
  expectTypeOf(record).toEqualTypeOf<ConsumerRecord<Buffer, Order> | undefined>();
  expect([record?.key, record?.value]).toEqual([Buffer.from("k"), { amount: 1 }]);
  await client.close();
});

test("serializers and deserializers are told where the data belongs", async () => {
  const { client } = await producing();
  const told: unknown[] = [];
  const producer = client.producer({
    serializers: {
      value: (data: number, place) => {
        told.push(place);
        return String(data);
      },
    },
  });
  const headers = [{ key: "type", value: "number" }];
  await producer.send({ topic: "orders", partition: 0, value: 7, headers });
  const consumer = client.consumer({
    deserializers: {
      value: (bytes, place) => {
        told.push({ ...place, headers: place.headers.map(({ key, value }) => [key, String(value)]) });
        return bytes.length;
      },
    },
  });
  consumer.assign([{ ...P0, offset: 0 }]);
  expect(await consumer.poll()).toMatchObject([{ value: 1 }]);
  expect(told).toEqual([
    { topic: "orders", part: "value", headers },
    { topic: "orders", part: "value", headers: [["type", "number"]] },
  ]);
  await client.close();
});

test("what a serializer refuses is SERIALIZATION with its cause, and nothing of the call is accepted", async () => {
  const { broker, client } = await producing();
  const producer = client.producer({ serializers: SERIALIZERS });
  const refused = { topic: "orders", key: 7 as never, value: { amount: 7 } };
  const error = await failure(producer.sendMany([{ topic: "orders", value: { amount: 1 } }, refused]));
  expect(error).toMatchObject({
    code: "SERIALIZATION",
    retriable: false,
    details: { topic: "orders", part: "key" },
  });
  expect(error.cause).toBeInstanceOf(TypeError);
  expect(await failure(producer.send(refused))).toMatchObject({ code: "SERIALIZATION" });
  expect(producer.buffered.records).toBe(0);
  const misspelt = { topic: "orders", key: "a", valeu: { amount: 1 } } as never;
  expect(await failure(producer.send(misspelt))).toMatchObject({ code: "USAGE" });
  expect(broker.produced).toEqual([]);
  await client.close();
});

test("a serializer that returns nothing is a mistake and no tombstone, which one that returns null means", async () => {
  const { broker, client } = await producing();
  const forgetful = client.producer({ serializers: { value: (() => {}) as never } });
  const record = { topic: "orders", partition: 0, key: "k", value: "7" };
  const refused = { code: "USAGE", message: expect.stringContaining("value is undefined as its serializer") };
  expect(await failure(forgetful.send(record))).toMatchObject(refused);
  expect(await failure(forgetful.sendMany([record]))).toMatchObject(refused);
  expect(broker.produced).toEqual([]);
  const deliberate = client.producer({ serializers: { value: (() => null) as never } });
  await deliberate.send(record);
  expect(broker.values("orders", 0)).toEqual([null]);
  await client.close();
});

test("a transaction takes typed records as well, and one that is refused leaves it to be aborted", async () => {
  const { client, committed } = await transacting();
  const producer = client.producer({ transactionalId: "typed", serializers: SERIALIZERS });
  await producer.transaction((tx) => tx.send({ topic: "orders", partition: 0, value: { amount: 1 } }));
  const circular = { amount: 2, self: {} };
  circular.self = circular;
  const refused = producer.transaction(async (tx) => {
    await tx.send({ topic: "orders", partition: 0, value: { amount: 2 } });
    await tx.sendMany([{ topic: "orders", partition: 0, value: circular }]);
  });
  expect(await failure(refused)).toMatchObject({ code: "SERIALIZATION", abortable: true });
  expect((await committed()).values).toEqual(['{"amount":1}']);
  await client.close();
});

test("a record that is refused is told after those before it, as often as it is asked for, until a seek goes past it", async () => {
  const { broker, client } = await consuming();
  broker.append("orders", 0, ["1", "2"]);
  broker.append("orders", 0, ["3", "four", "5"]);
  const consumer = client.consumer({ deserializers: { value: number } });
  consumer.assign([{ ...P0, offset: 0 }]);
  expect((await consumer.poll()).map(({ value }) => value)).toEqual([1, 2, 3]);
  const fetches = broker.fetched.length;
  for (let turn = 0; turn < 2; turn += 1) {
    const error = await failure(consumer.poll());
    expect(error).toMatchObject({
      code: "RECORD_DESERIALIZATION",
      details: { ...P0, offset: 3, part: "value" },
    });
    if (!(error instanceof RecordDeserializationError)) throw error;
    expect([error.record.value?.toString(), error.record.offset]).toEqual(["four", 3]);
    expect(error.cause).toBeInstanceOf(RangeError);
    expect(await consumer.position(P0)).toBe(3);
  }
  expect(broker.fetched).toHaveLength(fetches);
  await consumer.seek(P0, 4);
  expect((await consumer.poll()).map(({ value }) => value)).toEqual([5]);
  await client.close();
});

test("one partition's refused record costs no record of another, in polls and in batches", async () => {
  const { broker, client } = await consuming();
  broker.append("orders", 0, ["one"]);
  broker.append("orders", 1, ["1", "2"]);
  const consumer = client.consumer({ deserializers: { value: number } });
  const seen: unknown[] = [];
  const poll = async () => {
    try {
      seen.push(...(await consumer.poll({ maxRecords: 1 })).map(({ value }) => value));
    } catch (error) {
      seen.push((error as RecordDeserializationError).code);
    }
  };
  consumer.assign([P1, P0].map((place) => ({ ...place, offset: 0 })));
  for (let turn = 0; turn < 4; turn += 1) await poll();
  expect(seen).toEqual([1, "RECORD_DESERIALIZATION", 2, "RECORD_DESERIALIZATION"]);
  consumer.assign([P0, P1].map((place) => ({ ...place, offset: 0 })));
  expect(await failure(consumer.batches().next())).toMatchObject({ code: "RECORD_DESERIALIZATION" });
  expect((await consumer.batches().next()).value?.records.map(({ value }) => value)).toEqual([1, 2]);
  await client.close();
});

test("a loop ends at a refused record, and goes on behind it", async () => {
  const { broker, client } = await consuming();
  broker.append("orders", 0, ["1", "two", "3"]);
  const consumer = client.consumer({ deserializers: { value: number } });
  consumer.assign([{ ...P0, offset: 0 }]);
  const seen: unknown[] = [];
  while (seen.length < 3) {
    try {
      for await (const { value } of consumer) if (seen.push(value) === 3) break;
    } catch (error) {
      if (!(error instanceof RecordDeserializationError)) throw error;
      seen.push(`skipped ${error.record.value}`);
      await consumer.seek(error.record, error.record.offset + 1);
    }
  }
  expect(seen).toEqual([1, "skipped two", 3]);
  await client.close();
});

test("what is no function, or no part, is refused", async () => {
  const { client } = await consuming();
  const refused: readonly ((client: Client) => unknown)[] = [
    (one) => one.producer({ serializers: { key: "string" as never } }),
    (one) => one.producer({ serializers: { keys: stringSerializer } as never }),
    (one) => one.consumer({ deserializers: { value: {} as never } }),
    (one) => one.consumer({ deserializers: stringDeserializer as never }),
  ];
  for (const make of refused) expect(() => make(client)).toThrow(expect.objectContaining({ code: "USAGE" }));
  await client.close();
});

test("records of a fetch are made one by one when they are handed out", async () => {
  const { broker, client } = await consuming();
  broker.append("orders", 0, numbered(10));
  let made = 0;
  const count = (bytes: Buffer) => {
    made += 1;
    return bytes.length;
  };
  const consumer = client.consumer({ deserializers: { value: count } });
  consumer.assign([{ ...P0, offset: 0 }]);
  await consumer.poll({ maxRecords: 3 });
  expect(made).toBe(3);
  await client.close();
});

test("types: what a producer is not for does not compile", async () => {
  const { broker, client } = await producing();
  const producer = client.producer({ serializers: SERIALIZERS });
  // @ts-expect-error its values are orders
  await producer.send({ topic: "orders", partition: 0, value: "text" });
  const plain = client.producer();
  // @ts-expect-error its values are text or bytes
  await expect(plain.send({ topic: "orders", value: { amount: 1 } })).rejects.toThrow("value is object");
  const consumer = client.consumer({ deserializers: { value: integerDeserializer } });
  expectTypeOf(consumer[Symbol.asyncIterator]().next).returns.resolves.toMatchTypeOf<
    IteratorResult<ConsumerRecord<Buffer, number>, void>
  >();
  expect(broker.values("orders", 0)).toEqual(['"text"']);
  await client.close();
});

test("the default is as it was: text and bytes in, bytes out", async () => {
  const { broker } = await producing();
  const client = await connect({ link: broker.peer.link });
  const consumer = client.consumer();
  expectTypeOf(consumer.poll).returns.resolves.toEqualTypeOf<ConsumerRecord[]>();
  expectTypeOf<ConsumerRecord["value"]>().toEqualTypeOf<Buffer | null>();
  expectTypeOf(client.producer().send).parameter(0).toEqualTypeOf<ProducedRecord>();
  await client.close();
});

test.each([
  ["a promise", () => Promise.reject(new Error("unheard"))],
  // biome-ignore lint/suspicious/noThenProperty: that is what is refused
  ["what is waited for like one", () => ({ then: () => undefined })],
])(
  "a function of the caller's that returns %s is told so, and what that fails with is nobody's",
  async (_what, later) => {
    const { broker, client, producer: plain } = await producing({});
    const record = { topic: "orders", partition: 0, key: "k", value: "v" };
    const promise = (part: string) => ({
      code: "USAGE",
      message: `${part} is a promise as its serializer returned it; a serializer waits for nothing`,
    });
    for (const part of ["key", "value"] as const) {
      const producer = client.producer({ serializers: { [part]: later as never } });
      expect(await failure(producer.send(record))).toMatchObject(promise(part));
      expect(await failure(producer.sendMany([record]))).toMatchObject(promise(part));
    }
    const placing = client.producer({ partitioner: later as never });
    expect(await failure(placing.send({ topic: "orders", key: "k", value: "v" }))).toMatchObject({
      code: "USAGE",
      message: "the partitioner gave a promise; expected an integer of at least 0",
    });
    expect(broker.produced).toEqual([]);
    await plain.send(record);
    const consumer = client.consumer({ deserializers: { value: later as never } });
    consumer.assign([{ ...P0, offset: 0 }]);
    expect(await failure(consumer.poll())).toMatchObject({
      code: "RECORD_DESERIALIZATION",
      message: expect.stringContaining("it is a promise; a deserializer waits for nothing"),
    });
    // A rejection that nobody has heard would have failed this run by now.
    await new Promise((resolve) => setImmediate(resolve));
    await client.close();
  },
);
