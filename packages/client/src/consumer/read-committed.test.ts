/** What a consumer of committed records is shown, and that it never waits where nothing will come. */
import { expect, test } from "vitest";
import { numbered, P0, texts } from "../../test/support/consuming.ts";
import { quiet } from "../../test/support/scripted-peer.ts";
import { sendTo, transacting } from "../../test/support/transacting.ts";

test("under either isolation markers are passed over, and only read_uncommitted shows what is aborted or open", async () => {
  const { producer, client, consumer } = await transacting();
  const aborted = await producer.beginTransaction();
  await sendTo(aborted, "aborted");
  await aborted.abort();
  await producer.transaction((tx) => sendTo(tx, "committed"));
  const open = await producer.beginTransaction();
  await sendTo(open, "open");
  for (const [isolation, values] of [
    ["read_committed", ["committed"]],
    ["read_uncommitted", ["aborted", "committed", "open"]],
  ] as const) {
    const reader = consumer({ isolation });
    reader.assign([P0]);
    expect(texts(await reader.poll())).toEqual(values);
    expect(await reader.lag()).toMatchObject([{ lag: 0 }]);
  }
  await client.close();
});

test("a poll without a wait passes over more aborted records than a fetch holds, and finds what is behind them", async () => {
  const { producer, client, consumer, broker } = await transacting({ batchBytes: 1 });
  const aborted = await producer.beginTransaction();
  for (const value of numbered(20)) await sendTo(aborted, value);
  await aborted.abort();
  await producer.transaction((tx) => sendTo(tx, "behind"));
  const reader = consumer({ fetchBytes: 300 });
  reader.assign([P0]);
  expect(texts(await reader.poll())).toEqual(["behind"]);
  expect(broker.fetched.length).toBeGreaterThan(5);
  await client.close();
});

test("a consumer that fetches ahead does not ask without end while a transaction is open", async () => {
  const { producer, client, consumer, broker } = await transacting();
  broker.append("orders", 0, ["plain"]);
  const open = await producer.beginTransaction();
  await sendTo(open, "open");
  const reader = consumer({ fetchAhead: true });
  reader.assign([P0]);
  expect(texts(await reader.poll())).toEqual(["plain"]);
  await quiet();
  expect(broker.fetched.length).toBeLessThan(4);
  for await (const { records, highWatermark, nextOffset } of consumerBatches()) {
    expect([texts(records), highWatermark, nextOffset]).toEqual([["plain"], 1, 1]);
    break;
  }
  await client.close();

  function consumerBatches() {
    const batches = consumer();
    batches.assign([P0]);
    return batches.batches();
  }
});

test("an isolation that does not exist is refused", async () => {
  const { consumer, client } = await transacting();
  expect(() => consumer({ isolation: "committed" as "read_committed" })).toThrow("isolation is committed");
  await client.close();
});
