/** Streams of records: how fast one may be written into, what its end waits for, and what a failure or an abort does. */
import { getEventListeners, once } from "node:events";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ReadableStream } from "node:stream/web";
import { expect, test } from "vitest";
import { failure } from "../../test/support/failure.ts";
import { producing } from "../../test/support/producing.ts";
import { quiet } from "../../test/support/scripted-peer.ts";
import { transacting } from "../../test/support/transacting.ts";
import type { WritableRecord } from "./record-sink.ts";

const REASON = new Error("no more");
const AT_ONCE = { batchBytes: 1, inFlightPerPartitionMax: 8 };

const record = (value: string, partition = 0) => ({ topic: "orders", partition, value });

const records = (count: number) => Array.from({ length: count }, (_, index) => record(`${index}`));

const values = (count: number) => records(count).map(({ value }) => value);

/** Whether the promise has settled. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const over = () => {
    settled = true;
  };
  promise.then(over, over);
  await quiet();
  return settled;
}

test("what is piped into it is sent, in order, and the pipe ends when all of it is acknowledged", async () => {
  const { broker, client, producer, peer } = await producing();
  broker.byHand("produce", 1);
  const source = ReadableStream.from(values(5).map((value) => ({ partition: 0, value })));
  const piped = source.pipeTo(producer.writable({ topic: "orders" }));
  const produce = await peer.next("produce");
  expect(await isSettled(piped)).toBe(false);
  broker.answerProduce(produce);
  await piped;
  expect(broker.values("orders", 0)).toEqual(values(5));
  // It is the stream that has ended.
  await producer.send(record("after"));
  await client.close();
});

test("a write waits while as many records as there may be are not acknowledged, and so does the source", async () => {
  const { broker, client, producer, peer } = await producing(AT_ONCE);
  await producer.send(record("first"));
  broker.byHand("produce");
  let asked = 0;
  const source = new ReadableStream<WritableRecord<string, string>>(
    {
      pull(controller) {
        asked += 1;
        if (asked > 6) controller.close();
        else controller.enqueue(record(`${asked}`));
      },
    },
    { highWaterMark: 0 },
  );
  const piped = source.pipeTo(producer.writable({ unacknowledgedMax: 3 }));
  await quiet();
  expect([producer.buffered.records, asked]).toEqual([3, 3]);
  broker.answerProduce(await peer.next("produce"));
  await quiet();
  expect([producer.buffered.records, asked]).toEqual([3, 4]);
  for (let left = 5; left > 0; left -= 1) broker.answerProduce(await peer.next("produce"));
  await piped;
  expect(broker.values("orders", 0)).toEqual(["first", "1", "2", "3", "4", "5", "6"]);
  await client.close();
});

test("a full buffer is waited for and never an error; a record that no buffer holds is", async () => {
  const { broker, client, producer } = await producing({ bufferBytesMax: 400 });
  const large = [...records(40), record("x".repeat(250)), ...records(3)];
  // Somebody else takes the room that a flush has made.
  let isPiped = false;
  const others = (async () => {
    for (; !isPiped; await new Promise((resolve) => setImmediate(resolve)))
      void producer.send(record("y", 1)).catch(() => {});
  })();
  await ReadableStream.from(large).pipeTo(producer.writable());
  isPiped = true;
  await others;
  expect(broker.values("orders", 0)).toEqual(large.map(({ value }) => value));
  const never = ReadableStream.from([record("x".repeat(500))]).pipeTo(producer.writable());
  expect(await failure(never)).toMatchObject({ code: "BUFFER_FULL" });
  await client.close();
});

test("the first record that fails fails the stream with its error, which cancels the source; others go on", async () => {
  const { broker, client, producer, peer } = await producing(AT_ONCE);
  broker.byHand("produce", 3);
  const cancelled: unknown[] = [];
  const source = new ReadableStream<WritableRecord<string, string>>({
    start(controller) {
      for (const each of records(3)) controller.enqueue(each);
    },
    cancel(reason) {
      cancelled.push(reason);
    },
  });
  const piped = failure(source.pipeTo(producer.writable()));
  const [first, second, third] = [
    await peer.next("produce"),
    await peer.next("produce"),
    await peer.next("produce"),
  ];
  second.refuse("INVALID_RECORD");
  const error = await piped;
  expect(error).toMatchObject({ code: "INVALID_RECORD" });
  expect(cancelled).toEqual([error]);
  broker.answerProduce(first);
  broker.answerProduce(third);
  await quiet();
  expect(broker.values("orders", 0)).toEqual(["0", "2"]);
  await client.close();
});

test("a write that waits for acknowledgements ends when a record fails", async () => {
  const { broker, client, producer, peer } = await producing(AT_ONCE);
  broker.byHand("produce", 1);
  const writer = producer.writable({ unacknowledgedMax: 1 }).getWriter();
  writer.closed.catch(() => {});
  const written = writer.write(record("a"));
  const produce = await peer.next("produce");
  expect(await isSettled(written)).toBe(false);
  produce.refuse("INVALID_RECORD");
  await written.catch(() => {});
  expect(await failure(writer.write(record("b")))).toMatchObject({ code: "INVALID_RECORD" });
  await client.close();
});

test("what is no record fails the stream, and nothing of it is sent", async () => {
  const { broker, client, producer } = await producing();
  for (const given of [null, "text", { value: "no topic" }, { topic: "orders", valeu: "misspelt" }]) {
    const { signal } = new AbortController();
    const writer = producer.writable({ signal }).getWriter();
    writer.closed.catch(() => {});
    expect(await failure(writer.write(given as never))).toMatchObject({ code: "USAGE" });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  }
  expect(() => producer.writable({ unacknowledgedMax: 0 })).toThrow("unacknowledgedMax is 0");
  expect(() => producer.writable({ highWaterMark: 5 } as never)).toThrow('no "highWaterMark"');
  expect(broker.produced).toEqual([]);
  await client.close();
});

test("an abort ends a write that waits, and what was accepted goes its way", async () => {
  const { broker, client, producer, peer } = await producing(AT_ONCE);
  broker.byHand("produce", 1);
  const controller = new AbortController();
  const sink = producer.writable({ unacknowledgedMax: 1, signal: controller.signal });
  const failed = expect(ReadableStream.from(records(3)).pipeTo(sink)).rejects.toBe(REASON);
  const produce = await peer.next("produce");
  await quiet();
  controller.abort(REASON);
  await failed;
  broker.answerProduce(produce);
  await producer.flush();
  expect(broker.values("orders", 0)).toEqual(["0"]);
  const late = producer.writable({ signal: controller.signal });
  await expect(ReadableStream.from(records(3)).pipeTo(late)).rejects.toBe(REASON);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  await client.close();
});

test("a pipe whose own signal aborts ends with the write under way", async () => {
  const { broker, client, producer, peer } = await producing(AT_ONCE);
  broker.byHand("produce", 1);
  const controller = new AbortController();
  const sink = producer.writable({ unacknowledgedMax: 1 });
  const piped = ReadableStream.from(records(3)).pipeTo(sink, { signal: controller.signal });
  const failed = expect(piped).rejects.toBe(REASON);
  const produce = await peer.next("produce");
  controller.abort(REASON);
  broker.answerProduce(produce);
  await failed;
  await client.close();
});

test("a close under way ends with the signal, and a writer's abort ends a write that waits", async () => {
  const { broker, client, producer, peer } = await producing(AT_ONCE);
  broker.byHand("produce", 2);
  const controller = new AbortController();
  const closing = producer.writable({ signal: controller.signal }).getWriter();
  closing.closed.catch(() => {});
  await closing.write(record("a"));
  const closed = expect(closing.close()).rejects.toBe(REASON);
  await quiet();
  controller.abort(REASON);
  await closed;
  const waiting = producer.writable({ unacknowledgedMax: 1 }).getWriter();
  waiting.closed.catch(() => {});
  const written = expect(waiting.write(record("b"))).rejects.toBe(REASON);
  await quiet();
  await waiting.abort(REASON);
  await written;
  broker.answerProduce(await peer.next("produce"));
  broker.answerProduce(await peer.next("produce"));
  await producer.flush();
  expect(broker.values("orders", 0)).toEqual(["a", "b"]);
  await client.close();
});

test("a close sends what lingers", async () => {
  const { broker, client, producer } = await producing({ lingerMs: 60_000 });
  const writer = producer.writable().getWriter();
  await writer.write(record("a"));
  await writer.close();
  expect(broker.values("orders", 0)).toEqual(["a"]);
  await client.close();
});

test("Node's own streams pipe into it, and out of a consumer", async () => {
  const { broker, client, producer } = await producing();
  const sink = Writable.fromWeb(producer.writable(), { objectMode: true });
  await pipeline(Readable.from(records(50)), sink);
  expect(broker.values("orders", 0)).toEqual(values(50));
  const consumer = client.consumer();
  consumer.assign([{ topic: "orders", partition: 0, offset: 0 }]);
  const readable = Readable.fromWeb(consumer.readable(), { objectMode: true });
  const [first] = await once(readable, "data");
  expect(first.value.toString()).toBe("0");
  readable.destroy();
  await once(readable, "close");
  await client.close();
});

test("in a transaction what was piped counts with its commit alone, and a failure dooms it", async () => {
  const { client, producer, committed } = await transacting();
  await producer.transaction((tx) => ReadableStream.from(records(3)).pipeTo(tx.writable()));
  expect((await committed()).values).toEqual(values(3));
  const refused = producer.transaction((tx) =>
    ReadableStream.from([record("gone"), { topic: "orders", value: 7 as never }]).pipeTo(tx.writable()),
  );
  expect(await failure(refused)).toMatchObject({ code: "USAGE", abortable: true });
  expect((await committed()).values).toEqual(values(3));
  expect(() => producer.writable()).toThrow("a transactional producer sends in transactions");
  await client.close();
});
