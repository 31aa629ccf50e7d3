import { expect, test } from "vitest";
import { consuming, numbered, P0, P1, texts } from "../../test/support/consuming.ts";
import { failure } from "../../test/support/failure.ts";
import { quiet } from "../../test/support/scripted-peer.ts";

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

test("records that come before damage, in its partition or another, are handed out before it is told", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, ["before"]);
  broker.append("orders", 1, ["elsewhere"]);
  const [whole = Buffer.alloc(0)] = broker.frames("orders", 0);
  consumer.assign([P1, P0].map((place) => ({ ...place, offset: 0 })));
  const marks = { high_watermark: 2, last_stable_offset: 2, log_start_offset: 0, next_offset: 2 };
  const damaged = Buffer.concat([whole, Buffer.from("not a frame")]).toString("base64");
  broker.partitionAnswer = (topic, partition) =>
    partition === 0 ? { topic, partition, batches_b64: damaged, ...marks } : null;
  expect(texts(await consumer.poll())).toEqual(["elsewhere", "before"]);
  expect(await failure(consumer.poll())).toMatchObject({ code: "CORRUPT_BATCH", details: P0 });
  expect(await consumer.position(P0)).toBe(1);
  await client.close();
});
