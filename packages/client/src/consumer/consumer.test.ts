import { expect, test } from "vitest";
import { consuming, numbered, P0, P1, texts } from "../../test/support/consuming.ts";
import { failure } from "../../test/support/failure.ts";
import { quiet } from "../../test/support/scripted-peer.ts";

test("a poll brings what is there, and the position is behind the last record", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, ["a", "b"]);
  consumer.assign([P0]);
  expect(await consumer.poll()).toMatchObject([
    { topic: "orders", partition: 0, offset: 0 },
    { topic: "orders", partition: 0, offset: 1 },
  ]);
  expect(await consumer.position(P0)).toBe(2);
  expect(await consumer.poll()).toEqual([]);
  await client.close();
});

test("tombstones stay null, empty bytes stay bytes, and headers keep their order", async () => {
  const { client, consumer } = await consuming();
  const headers = [{ key: "b", value: "2" }, { key: "a" }, { key: "b", value: "" }];
  await client.producer().sendMany([
    { ...P0, key: "k", value: null, headers },
    { ...P0, key: "", value: "" },
  ]);
  consumer.assign([P0]);
  const [tombstone, empty] = await consumer.poll();
  expect([tombstone?.value, tombstone?.key?.toString()]).toEqual([null, "k"]);
  expect(tombstone?.headers.map(({ key, value }) => [key, value?.toString() ?? null])).toEqual([
    ["b", "2"],
    ["a", null],
    ["b", ""],
  ]);
  expect([empty?.key?.length, empty?.value?.length]).toEqual([0, 0]);
  await client.close();
});

test("maxRecords bounds a poll, and what was fetched beyond it comes next without another fetch", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(5));
  consumer.assign([P0]);
  expect(texts(await consumer.poll({ maxRecords: 2 }))).toEqual(["0", "1"]);
  expect(await consumer.position(P0)).toBe(2);
  expect(texts(await consumer.poll({ maxRecords: 2 }))).toEqual(["2", "3"]);
  expect(texts(await consumer.poll({ maxRecords: 2 }))).toEqual(["4"]);
  expect(broker.fetched).toHaveLength(1);
  expect(await failure(consumer.poll({ maxRecords: 0 }))).toMatchObject({ code: "USAGE" });
  expect(await failure(consumer.poll({ maxRecords: -1 }))).toMatchObject({ code: "USAGE" });
  await client.close();
});

test("the fetch begins inside a batch, and nothing below the position is delivered", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(10));
  consumer.assign([{ ...P0, offset: 7 }]);
  expect(texts(await consumer.poll())).toEqual(["7", "8", "9"]);
  await client.close();
});

test("the position moves over what was scanned and is not for us, so that lag ends at 0", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, ["a"]);
  broker.partitionAnswer = () => ({
    ...P0,
    batches_b64: "",
    high_watermark: 5,
    last_stable_offset: 5,
    log_start_offset: 0,
    next_offset: 5,
  });
  consumer.assign([P0]);
  expect(await consumer.poll()).toEqual([]);
  expect(await consumer.position(P0)).toBe(5);
  await client.close();
});

test("seek to a number, the beginning, the end and a time, and polls go on from there", async () => {
  const { broker, client, consumer } = await consuming();
  const records = [10, 20, 30].map((timestampMs) => ({ ...P0, value: `${timestampMs}`, timestampMs }));
  await client.producer({ batchBytes: 1 }).sendMany(records);
  consumer.assign([P0]);
  await consumer.poll();
  await consumer.seek(P0, 1);
  expect(texts(await consumer.poll())).toEqual(["20", "30"]);
  await consumer.seek(P0, "beginning");
  expect(texts(await consumer.poll({ maxRecords: 1 }))).toEqual(["10"]);
  await consumer.seek(P0, { timestampMs: 15 });
  expect(await consumer.position(P0)).toBe(1);
  await consumer.seek(P0, { timestampMs: 1_000 });
  expect(await consumer.position(P0)).toBe(3);
  await consumer.seek(P0, "beginning");
  await consumer.seek(P0, "end");
  expect(await consumer.poll()).toEqual([]);
  broker.append("orders", 0, ["new"]);
  expect(texts(await consumer.poll())).toEqual(["new"]);
  await client.close();
});

test("a seek while a fetch is under way wins: what was asked for before it is never delivered", async () => {
  const { broker, peer, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(10));
  broker.byHand("fetch_many", 1);
  consumer.assign([{ ...P0, offset: 0 }]);
  const polled = consumer.poll({ timeoutMs: 1_000 });
  const old = await peer.next("fetch_many");
  await consumer.seek(P0, 8);
  expect(texts(await polled)).toEqual(["8", "9"]);
  broker.answerFetch(old);
  await quiet();
  expect(await consumer.position(P0)).toBe(10);
  expect(await consumer.poll()).toEqual([]);
  await client.close();
});

test("a later seek wins over an earlier one whose answer comes late", async () => {
  const { broker, peer, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(10));
  consumer.assign([{ ...P0, offset: 0 }]);
  broker.byHand("list_offsets", 1);
  const toEnd = consumer.seek(P0, "end");
  const request = await peer.next("list_offsets");
  await consumer.seek(P0, 4);
  request.answer({ offset: 10, timestamp_ms: null });
  await toEnd;
  expect(await consumer.position(P0)).toBe(4);
  await client.close();
});

test("a seek that fails is told to its caller and leaves the position", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(3));
  consumer.assign([{ ...P0, offset: 1 }]);
  broker.delete("orders");
  expect(await failure(consumer.seek(P0, "end"))).toMatchObject({ code: "UNKNOWN_TOPIC" });
  expect(await consumer.position(P0)).toBe(1);
  expect(await failure(consumer.seek(P1, 0))).toMatchObject({ code: "USAGE" });
  expect(await failure(consumer.seek(P0, -1))).toMatchObject({ code: "USAGE" });
  await client.close();
});

test("latest begins at the end of the moment of the assignment", async () => {
  const { broker, client, consumer } = await consuming({ autoOffsetReset: "latest" });
  broker.append("orders", 0, ["old"]);
  consumer.assign([P0]);
  await quiet();
  broker.append("orders", 0, ["new"]);
  expect(texts(await consumer.poll())).toEqual(["new"]);
  await client.close();
});

test("a new assignment replaces the old one; a partition that stays keeps its position", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(3));
  broker.append("orders", 1, ["one"]);
  consumer.assign([P0]);
  await consumer.poll({ maxRecords: 1 });
  consumer.assign([P0, P1]);
  expect(consumer.assignment).toEqual([P0, P1]);
  expect(texts(await consumer.poll())).toEqual(["1", "2"]);
  expect(texts(await consumer.poll())).toEqual(["one"]);
  consumer.assign([{ ...P0, offset: "beginning" }]);
  expect(texts(await consumer.poll())).toEqual(["0", "1", "2"]);
  expect(await failure(consumer.seek(P1, 0))).toMatchObject({ code: "USAGE" });
  expect(() => consumer.assign([P0, P0])).toThrow(expect.objectContaining({ code: "USAGE" }));
  await client.close();
});

test("lag is the distance to the visible end as the broker knows it now", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(5));
  consumer.assign([P0, P1]);
  await consumer.poll({ maxRecords: 2 });
  expect(await consumer.lag()).toEqual([
    { ...P0, position: 2, endOffset: 5, lag: 3 },
    { ...P1, position: 0, endOffset: 0, lag: 0 },
  ]);
  await client.close();
});

test("past the end there is no lag to know, until the next poll resets the position", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(5));
  consumer.assign([{ ...P0, offset: 9 }]);
  expect(await consumer.lag()).toEqual([{ ...P0, position: 9, endOffset: 5, lag: null }]);
  await consumer.seek(P0, 5);
  expect(await consumer.lag()).toEqual([{ ...P0, position: 5, endOffset: 5, lag: 0 }]);
  await client.close();
});

test("an assignment of nothing polls nothing", async () => {
  const { broker, client, consumer } = await consuming();
  expect(await consumer.poll()).toEqual([]);
  expect(broker.fetched).toHaveLength(0);
  await client.close();
});
