import { expect, test } from "vitest";
import { consuming, numbered, P0 } from "../../test/support/consuming.ts";
import { quiet } from "../../test/support/scripted-peer.ts";

const REASON = new Error("no more");

test("a record is asked for when its reader asks, and none ahead: the one in hand is not done", async () => {
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(3));
  consumer.assign([P0]);
  const reader = consumer.readable().getReader();
  await quiet();
  expect(broker.fetched).toEqual([]);
  expect((await reader.read()).value?.value?.toString()).toBe("0");
  await quiet();
  expect(await consumer.position(P0)).toBe(1);
  await client.close();
});

test("cancelling ends a read that waits, and leaves the consumer to be read on", async () => {
  const { broker, client, clock, consumer, peer } = await consuming();
  broker.holdsFetches = true;
  consumer.assign([{ ...P0, offset: 0 }]);
  const reader = consumer.readable().getReader();
  const waiting = reader.read();
  await quiet();
  await reader.cancel(REASON);
  expect(await waiting).toEqual({ done: true, value: undefined });
  broker.append("orders", 0, ["after"]);
  expect((await consumer.records().next()).value?.value?.toString()).toBe("after");
  await client.close();
  expect([clock.waiting, peer.openLinkCount]).toEqual([0, 0]);
});

test("it fails with its signal's reason and with an error that will not mend, and ends with the consumer", async () => {
  const { broker, client, consumer } = await consuming();
  broker.holdsFetches = true;
  consumer.assign([{ ...P0, offset: 0 }]);
  const controller = new AbortController();
  const read = consumer.readable({ signal: controller.signal }).getReader().read();
  const failed = expect(read).rejects.toBe(REASON);
  await quiet();
  controller.abort(REASON);
  await failed;
  const last = consumer.readable().getReader();
  const reading = last.read();
  await quiet();
  await consumer.close();
  expect(await reading).toEqual({ done: true, value: undefined });
  await client.close();
});
