/** A consumer that has nothing to hand out, asked without end: whatever else the process has to do gets its turns. */
import { expect, onTestFinished, test, vi } from "vitest";
import { consuming, numbered, P0, texts } from "../../test/support/consuming.ts";
import { failure } from "../../test/support/failure.ts";

type Given = Awaited<ReturnType<typeof consuming>>;

/** Enough for a loop that lets nobody else act to be told from one that does. */
const TIMES_MAX = 1_000;

/** Says whether the event loop has turned since. */
function turning() {
  const seen = { turned: false };
  setImmediate(() => {
    seen.turned = true;
  });
  return seen;
}

const IDLE: readonly [string, (given: Given) => unknown][] = [
  ["nothing is assigned", ({ consumer }) => consumer.assign([])],
  [
    "all is paused",
    ({ consumer }) => {
      consumer.assign([P0]);
      consumer.pause();
    },
  ],
  ["there is nothing new", ({ consumer }) => consumer.assign([P0])],
];

test.each(IDLE)("polled without end while %s, it lets others have their turns", async (_when, prepare) => {
  const given = await consuming();
  prepare(given);
  const seen = turning();
  for (let times = 0; times < TIMES_MAX && !seen.turned; times += 1)
    expect(await given.consumer.poll()).toEqual([]);
  expect(seen.turned).toBe(true);
  await given.client.close();
});

test("polled again after each error, it lets others have their turns", async () => {
  const { broker, client } = await consuming();
  broker.append("orders", 0, numbered(1));
  const value = () => {
    throw new Error("not this one");
  };
  const consumer = client.consumer({ deserializers: { value } });
  consumer.assign([{ ...P0, offset: 0 }]);
  expect(await failure(consumer.poll())).toMatchObject({ code: "RECORD_DESERIALIZATION" });
  const seen = turning();
  for (let times = 0; times < TIMES_MAX && !seen.turned; times += 1) await failure(consumer.poll());
  expect(seen.turned).toBe(true);
  await consumer.close();
  const closed = turning();
  expect(await failure(consumer.poll())).toMatchObject({ code: "CLOSED" });
  expect(closed.turned).toBe(true);
  await client.close();
});

test("a loop over nothing lets others have their turns, also with a fetchWaitMs of 0", async () => {
  const { client, consumer } = await consuming({ fetchWaitMs: 0 });
  consumer.assign([]);
  const seen = turning();
  const abort = new AbortController();
  const looping = consumer.records({ signal: abort.signal }).next();
  const ended = expect(looping).rejects.toThrow("enough");
  for (let times = 0; times < TIMES_MAX; times += 1) await null;
  abort.abort(new Error("enough"));
  await ended;
  expect(seen.turned).toBe(true);
  await client.close();
});

test("records that are in hand are handed out at once", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(2));
  consumer.assign([P0]);
  expect(texts(await consumer.poll({ maxRecords: 1 }))).toEqual(["0"]);
  const seen = turning();
  expect(texts(await consumer.poll({ maxRecords: 1 }))).toEqual(["1"]);
  expect(seen.turned).toBe(false);
  await client.close();
});

test("an empty poll ends also where a test has taken the timers over", async () => {
  const { client, consumer } = await consuming();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  consumer.assign([]);
  expect(await consumer.poll()).toEqual([]);
  vi.useRealTimers();
  await client.close();
});
