import { decodeRecords } from "@minikafka/record";
import { expect, test } from "vitest";
import { producing } from "../../test/support/producing.ts";
import { AcceptedRecords } from "./accepted-records.ts";
import type { Delivery } from "./delivery.ts";
import type { ProducedRecord } from "./produced-record.ts";

const DELIVERY: Delivery = { succeed: () => {}, fail: () => {} };
const AS = { delivery: DELIVERY, nowMs: 1_000, batchBytesMax: 1_000 };

const MIXED: readonly ProducedRecord[] = [
  { topic: "orders", partition: 1, value: Buffer.from("bytes"), timestampMs: 7 },
  { topic: "orders", key: "text", value: "größe" },
  { topic: "orders", key: new Uint8Array([1, 2]) },
  { topic: "others", value: null, headers: [{ key: "name", value: "value" }] },
  { topic: "orders", value: Buffer.alloc(0), headers: [] },
];

test("records of text, bytes and headers are handed on in their order, each as what it was given", () => {
  const records = new AcceptedRecords(MIXED, AS);
  const taken: object[] = [];
  records.handOn(({ key, value, timestampMs, headers, slot }, topic, partition) => {
    const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString());
    taken.push({ topic, partition, slot, key: text(key), value: text(value), timestampMs, headers });
  });
  const plain = { topic: "orders", partition: undefined, key: null, timestampMs: 1_000, headers: [] };
  const headers = [{ key: "name", value: Buffer.from("value") }];
  expect(taken).toEqual([
    { ...plain, partition: 1, slot: 0, value: "bytes", timestampMs: 7 },
    { ...plain, slot: 1, key: "text", value: "größe" },
    { ...plain, slot: 2, key: "\x01\x02", value: null },
    { ...plain, topic: "others", slot: 3, value: null, headers },
    { ...plain, slot: 4, value: "" },
  ]);
});

test("what all hold is known before the first is handed on", () => {
  let heldBytes = 0;
  const records = new AcceptedRecords(MIXED, AS);
  records.handOn((record) => {
    heldBytes += record.heldBytes;
  });
  expect(records.heldBytes).toBe(heldBytes);
});

test.each([
  ["a topic is missing", { topic: "", value: Buffer.from("v") }, "USAGE"],
  ["a partition is below 0", { topic: "orders", partition: -1 }, "USAGE"],
  ["a time is not whole", { topic: "orders", timestampMs: 0.5 }, "USAGE"],
  ["bytes are too many", { topic: "orders", value: Buffer.alloc(1_000) }, "RECORD_TOO_LARGE"],
])("none is accepted where of one %s", (_what, input, code) => {
  expect(() => new AcceptedRecords([...MIXED, input], AS)).toThrow(expect.objectContaining({ code }));
});

test("records of bytes that wait for their topic's partitions keep what they were, each its own", async () => {
  const { broker, client, producer } = await producing();
  const values = ["one", "two", "three"];
  const inputs = values.map((value, index) => ({
    topic: "orders",
    partition: 0,
    value: Buffer.from(value),
    timestampMs: 100 + index,
  }));
  const metadata = await producer.sendMany(inputs);
  expect(metadata.map(({ offset, timestampMs }) => [offset, timestampMs])).toEqual([
    [0, 100],
    [1, 101],
    [2, 102],
  ]);
  const [{ batch_b64: frame } = { batch_b64: undefined }] = broker.produced;
  expect(decodeRecords(frame as Buffer).map(({ value }) => String(value))).toEqual(values);
  await client.close();
});
