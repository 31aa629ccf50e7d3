import { expect, test } from "vitest";
import { numbered, texts } from "../../../test/support/consuming.ts";
import { failure } from "../../../test/support/failure.ts";
import { grouping } from "../../../test/support/grouping.ts";
import { quiet } from "../../../test/support/scripted-peer.ts";

test("a broken connection in the middle costs no membership and no record", async () => {
  const { broker, peer, groups, automatic, pass, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(2));
  const consumer = await automatic("a");
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  expect(texts(await consumer.poll({ maxRecords: 1 }))).toEqual(["0"]);
  peer.breakLink();
  await pass(6_000);
  expect([groups.generation("g"), groups.members("g")]).toEqual([1, ["a"]]);
  expect(texts(await consumer.poll())).toEqual(["1"]);
  await close();
});

test("a join that the broker cannot take yet is tried again, and meanwhile a poll says why it has nothing", async () => {
  const { broker, peer, automatic, pass, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, ["a"]);
  const consumer = await automatic("a");
  broker.byHand("join_group", 1);
  const subscribed = consumer.subscribe(["orders"]);
  (await peer.next("join_group")).refuse("LEADER_NOT_AVAILABLE");
  await quiet();
  expect(await failure(consumer.poll())).toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
  await pass(500);
  await subscribed;
  expect(texts(await consumer.poll())).toEqual(["a"]);
  await close();
});

test("a refusal is the subscription's error and every poll's, until the next subscription", async () => {
  const { broker, automatic, member, close } = await grouping({ orders: 2 });
  broker.append("orders", 0, ["a"]);
  const first = await member("a", { assignor: "range" });
  await first.subscribe(["orders"]);
  const second = await automatic("b");
  expect(await failure(second.subscribe(["orders"]))).toMatchObject({ code: "INCONSISTENT_GROUP_PROTOCOL" });
  const calls = [
    () => second.poll(),
    () => second.poll(),
    () => second.ready(),
    () => second.records().next(),
  ];
  for (const call of calls)
    expect(await failure(call())).toMatchObject({ code: "INCONSISTENT_GROUP_PROTOCOL" });
  await first.close();
  await second.subscribe(["orders"]);
  await second.ready();
  expect(texts(await second.poll())).toEqual(["a"]);
  await close();
});

test("a change of the subscription that is refused is told by the next poll, and the old one goes on", async () => {
  const { broker, peer, automatic, close } = await grouping({ orders: 1, bills: 1 });
  broker.append("orders", 0, ["a"]);
  const consumer = await automatic("a");
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  broker.byHand("join_group", 1);
  void consumer.subscribe(["bills"]);
  (await peer.next("join_group")).refuse("INVALID_REQUEST");
  await quiet();
  expect(await failure(consumer.poll())).toMatchObject({ code: "INVALID_REQUEST" });
  expect(texts(await consumer.poll())).toEqual(["a"]);
  await close();
});

test("a broker whose disk is full for a while costs no membership; when the session is over, polls say why they have nothing", async () => {
  const { broker, peer, clock, groups, automatic, pass, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(3));
  const consumer = await automatic("a", { autoCommit: false });
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  await quiet();
  broker.byHand("heartbeat");
  clock.advance(3_000);
  (await peer.next("heartbeat")).refuse("STORAGE_ERROR");
  await quiet();
  expect(texts(await consumer.poll({ maxRecords: 1 }))).toEqual(["0"]);
  for (let beat = 0; beat < 15; beat += 1) {
    clock.advance(1_000);
    (await peer.next("heartbeat")).refuse("STORAGE_ERROR");
    await quiet();
  }
  expect(await failure(consumer.poll())).toMatchObject({ code: "STORAGE_ERROR" });
  broker.byHand("heartbeat", 0);
  await pass(2_000);
  expect(texts(await consumer.poll())).toEqual(["1", "2"]);
  expect(groups.generation("g")).toBe(1);
  await close();
});

test("a heartbeat that had no answer has the connection to itself until it has one, so that fetches that break it cost no membership", async () => {
  const { broker, peer, clock, groups, automatic, pass, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(3));
  const consumer = await automatic("a", { autoCommit: false });
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  await pass(500);
  broker.byHand("heartbeat");
  broker.byHand("fetch_many");
  const polled = failure(consumer.poll({ timeoutMs: 4_000 }));
  await peer.next("fetch_many");
  clock.advance(3_000);
  await peer.next("heartbeat");
  peer.breakLink();
  await pass(1_000);
  expect(await polled).toMatchObject({ code: "CONNECTION" });
  const next = consumer.poll({ timeoutMs: 3_000 });
  await pass(500);
  expect(peer.unread.map(({ fields }) => fields.operation)).toEqual(["heartbeat"]);
  broker.byHand("fetch_many", 0);
  groups.handle(await peer.next("heartbeat"));
  expect(texts(await next)).toEqual(["0", "1", "2"]);
  expect(groups.generation("g")).toBe(1);
  broker.byHand("heartbeat", 0);
  await close();
});
