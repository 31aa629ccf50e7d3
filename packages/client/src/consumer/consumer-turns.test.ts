import { expect, test } from "vitest";
import { consuming, numbered, P0, P1, texts } from "../../test/support/consuming.ts";
import { quiet } from "../../test/support/scripted-peer.ts";

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

test("a poll that asks what is there now finds the last of many partitions, though each position comes by itself", async () => {
  const { broker, peer, client, consumer } = await consuming({}, { orders: 8 });
  broker.append("orders", 7, ["last"]);
  broker.byHand("list_offsets", 8);
  consumer.assign([0, 1, 2, 3, 4, 5, 6, 7].map((partition) => ({ topic: "orders", partition })));
  const polled = consumer.poll();
  for (let count = 0; count < 8; count += 1) {
    (await peer.next("list_offsets")).answer({ offset: 0, timestamp_ms: null });
    await quiet();
  }
  expect(texts(await polled)).toEqual(["last"]);
  await client.close();
});
