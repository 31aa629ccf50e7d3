import { expect, test } from "vitest";
import { consuming, numbered, P0, P1, texts } from "../../test/support/consuming.ts";
import { failure } from "../../test/support/failure.ts";
import { quiet } from "../../test/support/scripted-peer.ts";

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

test("the next fetch goes out when an answer has arrived, before anybody takes its records", async () => {
  const { broker, peer, client, consumer } = await consuming({ fetchAhead: true, fetchBytes: 1_000 });
  for (let batch = 0; batch < 4; batch += 1) broker.append("orders", 0, ["x".repeat(400)]);
  broker.byHand("fetch_many", 2);
  consumer.assign([{ ...P0, offset: 0 }]);
  const abort = new AbortController();
  const polled = consumer.poll({ timeoutMs: 10_000, signal: abort.signal });
  const first = await peer.next("fetch_many");
  abort.abort(new Error("enough"));
  await expect(polled).rejects.toThrow("enough");
  broker.answerFetch(first);
  const second = await peer.next("fetch_many");
  expect(second.fields).toMatchObject({ partitions: [{ ...P0, offset: 2 }], max_wait_ms: 0 });
  await consumer.seek(P0, 1);
  broker.answerFetch(second);
  const offsets: number[] = [];
  while (offsets.length < 3) offsets.push(...(await consumer.poll()).map(({ offset }) => offset));
  expect(offsets).toEqual([1, 2, 3]);
  await client.close();
});

test("nothing is fetched ahead while an error of a partition waits to be told", async () => {
  const { broker, client, consumer } = await consuming({ fetchAhead: true, fetchBytes: 1_000 });
  for (let batch = 0; batch < 4; batch += 1) broker.append("orders", 1, ["x".repeat(400)]);
  broker.partitionAnswer = (topic, partition) =>
    partition === 0 ? { topic, partition, code: "STORAGE_ERROR", message: "position 512 of 0.log" } : null;
  consumer.assign([
    { ...P0, offset: 0 },
    { ...P1, offset: 0 },
  ]);
  expect(await failure(consumer.poll())).toMatchObject({ code: "STORAGE_ERROR" });
  await quiet();
  expect(broker.fetched).toHaveLength(1);
  expect(await consumer.poll()).toHaveLength(2);
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
