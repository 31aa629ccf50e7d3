import { expect, test } from "vitest";
import { MemoryBroker } from "../../test/support/memory-broker.ts";
import { quiet } from "../../test/support/scripted-peer.ts";
import { connect } from "../client.ts";
import { ManualClock } from "../clock.ts";
import type { MiniKafkaError } from "../errors.ts";
import type { ConsumerOptions } from "./consumer-options.ts";
import type { ConsumerRecord } from "./consumer-record.ts";

async function consuming(options: ConsumerOptions = {}, topics: { [topic: string]: number } = { orders: 2 }) {
  const broker = new MemoryBroker(topics);
  const clock = new ManualClock();
  const client = await connect({ link: broker.peer.link }, { clock });
  const consumer = client.consumer({ autoOffsetReset: "earliest", ...options });
  return { broker, peer: broker.peer, clock, client, consumer };
}

const P0 = { topic: "orders", partition: 0 };
const P1 = { topic: "orders", partition: 1 };

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: MiniKafkaError) => error,
  );

const texts = (records: readonly ConsumerRecord[]) => records.map(({ value }) => value?.toString() ?? null);
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `${from + index}`);

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

test("no partition starves behind one that always has records", async () => {
  const { broker, client, consumer } = await consuming({}, { orders: 3 });
  for (const partition of [0, 1, 2])
    for (let batch = 0; batch < 10; batch += 1) broker.append("orders", partition, numbered(20, batch * 20));
  consumer.assign([0, 1, 2].map((partition) => ({ topic: "orders", partition })));
  const served: number[] = [];
  for (let poll = 0; poll < 9; poll += 1) {
    const records = await consumer.poll({ maxRecords: 10 });
    served.push(...new Set(records.map(({ partition }) => partition)));
  }
  expect(served).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2]);
  await client.close();
});

test("a fetch that has no room for all begins with another partition each time", async () => {
  const { broker, client, consumer } = await consuming({ fetchBytes: 500 }, { orders: 3 });
  for (const partition of [0, 1, 2])
    for (let batch = 0; batch < 4; batch += 1) broker.append("orders", partition, ["x".repeat(400)]);
  consumer.assign([0, 1, 2].map((partition) => ({ topic: "orders", partition, offset: 0 })));
  const served = [];
  for (let poll = 0; poll < 6; poll += 1) served.push((await consumer.poll())[0]?.partition);
  expect(served).toEqual([0, 1, 2, 0, 1, 2]);
  await client.close();
});

test("with fetching ahead, a busy partition still starves no other", async () => {
  const { broker, client, consumer } = await consuming({ fetchAhead: true, fetchBytes: 2_000 });
  for (let batch = 0; batch < 200; batch += 1) broker.append("orders", 0, ["x".repeat(500)]);
  consumer.assign([P0, P1]);
  await consumer.poll({ maxRecords: 1 });
  broker.append("orders", 1, ["here I am"]);
  let polls = 0;
  for (let seen = false; !seen; polls += 1) {
    const records = await consumer.poll({ maxRecords: 1 });
    seen = records.some(({ partition }) => partition === 1);
  }
  expect(polls).toBeLessThan(12);
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

test("without a position and without a rule, a poll fails with NO_POSITION", async () => {
  const { client, consumer } = await consuming({ autoOffsetReset: "error" });
  consumer.assign([P0]);
  expect(await failure(consumer.poll())).toMatchObject({ code: "NO_POSITION", details: P0 });
  expect(await failure(consumer.position(P0))).toMatchObject({ code: "NO_POSITION" });
  await consumer.seek(P0, "beginning");
  expect(await consumer.poll()).toEqual([]);
  await client.close();
});

test("an offset that is not there any more is replaced by the rule, or is the caller's", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(3));
  consumer.assign([{ ...P0, offset: 99 }]);
  expect(texts(await consumer.poll())).toEqual(["0", "1", "2"]);
  const strict = client.consumer({ autoOffsetReset: "error" });
  strict.assign([{ ...P0, offset: 99 }]);
  expect(await failure(strict.poll())).toMatchObject({
    code: "OFFSET_OUT_OF_RANGE",
    details: { ...P0, log_start_offset: 0, log_end_offset: 3 },
  });
  expect(await strict.position(P0)).toBe(99);
  await client.close();
});

test("one partition's error is thrown once per attempt and does not hold up the others", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 1, ["fine"]);
  broker.partitionAnswer = (topic, partition) =>
    partition === 0 ? { topic, partition, code: "STORAGE_ERROR", message: "position 512 of 0.log" } : null;
  consumer.assign([
    { ...P0, offset: 0 },
    { ...P1, offset: 0 },
  ]);
  expect(await failure(consumer.poll())).toMatchObject({
    code: "STORAGE_ERROR",
    retriable: false,
    details: P0,
  });
  expect(texts(await consumer.poll())).toEqual(["fine"]);
  await client.close();
});

test("a partition without a leader is tried again after a backoff, and a poll whose time is up says why it has nothing", async () => {
  const { broker, clock, client, consumer } = await consuming();
  broker.append("orders", 0, ["back"]);
  broker.partitionAnswer = (topic, partition) => ({
    topic,
    partition,
    code: "LEADER_NOT_AVAILABLE",
    message: "none",
  });
  consumer.assign([{ ...P0, offset: 0 }]);
  expect(await failure(consumer.poll())).toMatchObject({ code: "LEADER_NOT_AVAILABLE", retriable: true });
  const polled = consumer.poll({ timeoutMs: 1_000 });
  await quiet();
  expect(broker.fetched).toHaveLength(1);
  broker.partitionAnswer = null;
  clock.advance(100);
  expect(texts(await polled)).toEqual(["back"]);
  await client.close();
});

test("a long poll waits at the broker for at most fetchWaitMs at a time and for the first record that comes", async () => {
  const { broker, peer, clock, client, consumer } = await consuming();
  broker.byHand("fetch_many", 2);
  consumer.assign([{ ...P0, offset: 0 }]);
  const polled = consumer.poll({ timeoutMs: 700 });
  const first = await peer.next("fetch_many");
  expect(first.fields).toMatchObject({ max_wait_ms: 500, min_bytes: 1, encoding: "batch" });
  clock.advance(500);
  broker.answerFetch(first);
  const second = await peer.next("fetch_many");
  expect(second.fields).toMatchObject({ max_wait_ms: 200 });
  broker.append("orders", 0, ["at last"]);
  broker.answerFetch(second);
  expect(texts(await polled)).toEqual(["at last"]);
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("a poll whose time is up returns empty, and what its fetch brings later is not lost", async () => {
  const { broker, peer, clock, client, consumer } = await consuming();
  broker.byHand("fetch_many", 1);
  consumer.assign([{ ...P0, offset: 0 }]);
  const polled = consumer.poll({ timeoutMs: 100 });
  const request = await peer.next("fetch_many");
  clock.advance(100);
  expect(await polled).toEqual([]);
  broker.append("orders", 0, ["late"]);
  broker.answerFetch(request);
  await quiet();
  expect(texts(await consumer.poll())).toEqual(["late"]);
  expect(broker.fetched).toHaveLength(1);
  await client.close();
});

test("a poll that asks what is there now does not rely on a fetch that still waits", async () => {
  const { broker, peer, client, consumer } = await consuming();
  broker.byHand("fetch_many", 1);
  consumer.assign([{ ...P0, offset: 0 }]);
  const abort = new AbortController();
  const aborted = consumer.poll({ timeoutMs: 10_000, signal: abort.signal });
  const waiting = await peer.next("fetch_many");
  abort.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  broker.append("orders", 0, ["there"]);
  expect(texts(await consumer.poll())).toEqual(["there"]);
  broker.answerFetch(waiting);
  await quiet();
  expect(await consumer.poll()).toEqual([]);
  await client.close();
});

test("a broken connection is mended within a poll's time, and is its error when the time is up", async () => {
  const { broker, peer, clock, client, consumer } = await consuming();
  broker.append("orders", 0, ["v"]);
  consumer.assign([{ ...P0, offset: 0 }]);
  broker.byHand("fetch_many", 2);
  const lost = failure(consumer.poll());
  await peer.next("fetch_many");
  peer.breakLink();
  expect(await lost).toMatchObject({ code: "CONNECTION", retriable: true });
  const polled = consumer.poll({ timeoutMs: 5_000 });
  for (let step = 0; step < 2; step += 1) {
    await quiet();
    clock.advance(100);
  }
  broker.answerFetch(await peer.next("fetch_many"));
  expect(texts(await polled)).toEqual(["v"]);
  await client.close();
});

test("damaged bytes are CORRUPT_BATCH, after what was whole before them, and never delivered", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, ["whole"]);
  broker.append("orders", 0, ["damaged"]);
  consumer.assign([{ ...P0, offset: 0 }]);
  broker.partitionAnswer = (topic, partition) => {
    broker.partitionAnswer = null;
    const bytes = Buffer.from("not a frame").toString("base64");
    return {
      topic,
      partition,
      batches_b64: bytes,
      high_watermark: 2,
      last_stable_offset: 2,
      log_start_offset: 0,
      next_offset: 2,
    };
  };
  expect(await failure(consumer.poll())).toMatchObject({ code: "CORRUPT_BATCH", details: P0 });
  expect(await consumer.position(P0)).toBe(0);
  expect(texts(await consumer.poll())).toEqual(["whole", "damaged"]);
  await client.close();
});

test("a paused partition is neither fetched nor handed out, and goes on where it was", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(4));
  broker.append("orders", 1, ["one"]);
  consumer.assign([P0, P1]);
  expect(texts(await consumer.poll({ maxRecords: 2 }))).toEqual(["0", "1"]);
  consumer.pause([P0]);
  expect(texts(await consumer.poll())).toEqual(["one"]);
  expect(await consumer.poll()).toEqual([]);
  expect(broker.fetched.at(-1)?.partitions).toMatchObject([P1]);
  consumer.resume();
  expect(texts(await consumer.poll())).toEqual(["2", "3"]);
  await client.close();
});

test("iteration hands out record by record; leaving it loses none and delivers none twice", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(3));
  broker.append("orders", 0, numbered(3, 3));
  consumer.assign([P0]);
  const first: (string | undefined)[] = [];
  for await (const record of consumer) {
    first.push(record.value?.toString());
    if (first.length === 2) break;
  }
  expect(first).toEqual(["0", "1"]);
  expect(await consumer.position(P0)).toBe(2);
  expect(texts(await consumer.poll())).toEqual(["2", "3", "4", "5"]);
  await client.close();
});

test("an iteration waits for records, survives a broken link, and ends when the consumer is closed", async () => {
  const { broker, peer, clock, client, consumer } = await consuming();
  consumer.assign([{ ...P0, offset: 0 }]);
  broker.byHand("fetch_many");
  const seen: (string | undefined)[] = [];
  const iterated = (async () => {
    for await (const record of consumer) seen.push(record.value?.toString());
  })();
  await peer.next("fetch_many");
  peer.breakLink();
  broker.append("orders", 0, ["after the break"]);
  for (let step = 0; step < 3; step += 1) {
    await quiet();
    clock.advance(100);
  }
  broker.answerFetch(await peer.next("fetch_many"));
  await peer.next("fetch_many");
  expect(seen).toEqual(["after the break"]);
  await consumer.close();
  await iterated;
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("an iteration fails with its signal's reason, and with an error that will not mend", async () => {
  const { broker, peer, client, consumer } = await consuming();
  consumer.assign([{ ...P0, offset: 0 }]);
  const abort = new AbortController();
  broker.byHand("fetch_many", 1);
  const next = consumer.records({ signal: abort.signal }).next();
  const waiting = await peer.next("fetch_many");
  abort.abort(new Error("enough"));
  await expect(next).rejects.toThrow("enough");
  broker.delete("orders");
  broker.answerFetch(waiting);
  expect(await failure(consumer.records().next())).toMatchObject({ code: "UNKNOWN_TOPIC" });
  await client.close();
});

test("batches are what a fetch returned of one partition, whole, or cut at maxRecords", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(700));
  broker.append("orders", 1, ["one"]);
  consumer.assign([P0, P1]);
  const whole = [];
  for await (const batch of consumer.batches()) {
    whole.push([batch.partition, batch.records.length, batch.nextOffset, batch.highWatermark]);
    if (whole.length === 2) break;
  }
  expect(whole).toEqual([
    [0, 700, 700, 700],
    [1, 1, 1, 1],
  ]);
  await consumer.seek(P0, 0);
  const cut = await consumer.batches({ maxRecords: 300 }).next();
  expect(cut.value?.records).toHaveLength(300);
  expect(await consumer.position(P0)).toBe(300);
  await client.close();
});

test("two polls at once are refused, since they would tear the order apart", async () => {
  const { broker, peer, client, consumer } = await consuming();
  consumer.assign([{ ...P0, offset: 0 }]);
  broker.byHand("fetch_many", 1);
  const first = consumer.poll();
  expect(await failure(consumer.poll())).toMatchObject({ code: "USAGE" });
  broker.answerFetch(await peer.next("fetch_many"));
  expect(await first).toEqual([]);
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

test("fetching ahead asks for the next records while the caller works on these, and stays within its bound", async () => {
  const { broker, client, consumer } = await consuming({ fetchAhead: true, fetchBytes: 1_000 });
  for (let batch = 0; batch < 20; batch += 1) broker.append("orders", 0, ["x".repeat(400)]);
  consumer.assign([P0]);
  expect(await consumer.poll({ maxRecords: 1 })).toHaveLength(1);
  await quiet();
  expect(broker.fetched.length).toBeGreaterThan(1);
  const askedAhead = broker.fetched.length;
  await quiet();
  expect(broker.fetched).toHaveLength(askedAhead);
  const offsets = [0];
  while (offsets.length < 20)
    offsets.push(...(await consumer.poll({ maxRecords: 3 })).map(({ offset }) => offset));
  expect(offsets).toEqual(Array.from({ length: 20 }, (_, index) => index));
  await client.close();
});

test("close ends a poll with CLOSED, and nothing more is asked", async () => {
  const { broker, peer, clock, client, consumer } = await consuming();
  consumer.assign([{ ...P0, offset: 0 }]);
  broker.byHand("fetch_many", 1);
  const polled = failure(consumer.poll({ timeoutMs: 10_000 }));
  await peer.next("fetch_many");
  await consumer.close();
  expect(await polled).toMatchObject({ code: "CLOSED" });
  expect(await failure(consumer.poll())).toMatchObject({ code: "CLOSED" });
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("an assignment of nothing polls nothing", async () => {
  const { broker, client, consumer } = await consuming();
  expect(await consumer.poll()).toEqual([]);
  expect(broker.fetched).toHaveLength(0);
  await client.close();
});
