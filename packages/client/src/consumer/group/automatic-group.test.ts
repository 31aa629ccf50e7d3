import { expect, test } from "vitest";
import { numbered, P0, P1, texts } from "../../../test/support/consuming.ts";
import { failure } from "../../../test/support/failure.ts";
import { grouping, numbers } from "../../../test/support/grouping.ts";
import { quiet } from "../../../test/support/scripted-peer.ts";

test("two members share four partitions and hand two of them over without a record twice or none", async () => {
  const { broker, automatic, pass, close } = await grouping();
  for (const partition of [0, 1, 2, 3]) broker.append("orders", partition, numbered(10, partition * 100));
  const first = await automatic("a");
  void first.subscribe(["orders"]);
  const seen: (string | null)[] = [];
  await first.ready();
  seen.push(...texts(await first.poll({ maxRecords: 25 })));
  const second = await automatic("b");
  void second.subscribe(["orders"]);
  await pass(3_000);
  expect([numbers(first), numbers(second)]).toEqual([[0, 2], []]);
  for (let poll = 0; poll < 4; poll += 1) {
    seen.push(...texts(await first.poll()), ...texts(await second.poll()));
    await pass(3_000);
  }
  expect([numbers(first), numbers(second)]).toEqual([
    [0, 2],
    [1, 3],
  ]);
  const all = [0, 1, 2, 3].flatMap((partition) => numbered(10, partition * 100));
  expect(seen.map(Number).sort((one, other) => one - other)).toEqual(all.map(Number));
  await close();
});

test("a partition whose records the caller has in hand is let go when the caller asks for more", async () => {
  const { broker, groups, automatic, pass, close } = await grouping({ orders: 2 });
  broker.append("orders", 1, numbered(5));
  const first = await automatic("a");
  await first.subscribe(["orders"]);
  const records = first.records();
  await records.next();
  await records.next();
  const second = await automatic("b");
  await second.subscribe(["orders"]);
  await pass(20_000);
  expect(numbers(first)).toEqual([0]);
  expect(groups.holders("g")).toEqual({ "orders/0": ["a"], "orders/1": ["a"] });
  const more = records.next();
  await pass(500);
  expect(groups.holders("g")).toEqual({ "orders/0": ["a"], "orders/1": ["b"] });
  expect(groups.committed("g", "orders/1")).toBe(2);
  await pass(3_000);
  await second.ready();
  expect(texts(await second.poll())).toEqual(["2", "3", "4"]);
  await first.close();
  expect(await more).toMatchObject({ done: true });
  await close();
});

test("a caller that never asks for more keeps a partition for half of the rebalance timeout, and what it has in hand comes again", async () => {
  const { broker, groups, automatic, pass, close } = await grouping({ orders: 2 });
  broker.append("orders", 1, numbered(3));
  const first = await automatic("a", { rebalanceTimeoutMs: 60_000 });
  await first.subscribe(["orders"]);
  await first.ready();
  await first.poll({ maxRecords: 1 });
  await first.poll({ maxRecords: 1 });
  const second = await automatic("b");
  await second.subscribe(["orders"]);
  await pass(29_000);
  expect(groups.holders("g")["orders/1"]).toEqual(["a"]);
  await pass(5_000);
  expect(groups.holders("g")["orders/1"]).toEqual(["b"]);
  expect(await failure(first.commit())).toMatchObject({
    code: "NOT_PARTITION_OWNER",
    details: { partitions: [P1] },
  });
  await pass(3_000);
  await second.ready();
  expect(texts(await second.poll())).toEqual(["1", "2"]);
  await close();
});

test("heartbeats go on while the caller works and while the listener takes its time", async () => {
  const { groups, broker, automatic, pass, close } = await grouping({ orders: 2 });
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const first = await automatic("a", {
    onRebalance: ({ revoked }) => (revoked.length === 0 ? undefined : finished),
  });
  await first.subscribe(["orders"]);
  const second = await automatic("b");
  await second.subscribe(["orders"]);
  const beats = () => broker.heartbeats.filter(({ member_id: memberId }) => memberId === "a").length;
  const before = beats();
  await pass(30_000);
  expect(beats() - before).toBeGreaterThanOrEqual(9);
  expect(groups.holders("g")["orders/1"]).toEqual(["a"]);
  finish();
  await pass(3_500);
  expect(groups.holders("g")["orders/1"]).toEqual(["b"]);
  await close();
});

test("by itself what the caller is done with is committed in the interval, and never what it has in hand", async () => {
  const { broker, groups, automatic, pass, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(10));
  const consumer = await automatic("a");
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  await consumer.poll({ maxRecords: 4 });
  await pass(6_000);
  expect(groups.committed("g", "orders/0")).toBe(0);
  await consumer.poll({ maxRecords: 3 });
  await pass(5_000);
  expect(groups.committed("g", "orders/0")).toBe(4);
  await pass(20_000);
  expect(groups.commits).toHaveLength(2);
  await consumer.close();
  expect(groups.committed("g", "orders/0")).toBe(4);
  await close();
});

test("an expired member stops at once, joins anew, and goes on where the group has committed", async () => {
  const { broker, groups, automatic, pass, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(5));
  const lost: number[] = [];
  const consumer = await automatic("a", {
    onRebalance: (change) => void lost.push(...change.lost.map(({ partition }) => partition)),
  });
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  await consumer.poll({ maxRecords: 2 });
  await consumer.commit();
  await consumer.poll({ maxRecords: 2 });
  groups.expire("g", "a");
  await pass(3_000);
  expect(lost).toEqual([0]);
  expect([groups.members("g"), consumer.generation]).toEqual([["a"], 3]);
  expect(await failure(consumer.commit())).toMatchObject({ code: "NOT_PARTITION_OWNER" });
  expect(texts(await consumer.poll())).toEqual(["2", "3", "4"]);
  await close();
});

test("a member that was not heard of for longer than its session hands nothing out before it knows that it still is one", async () => {
  const { broker, peer, clock, automatic, pass, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(5));
  const consumer = await automatic("a");
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  expect(texts(await consumer.poll({ maxRecords: 1 }))).toEqual(["0"]);
  await pass(500);
  broker.byHand("heartbeat", 1);
  clock.advance(10_500);
  expect(texts(await consumer.poll())).toEqual([]);
  const heartbeat = await peer.next("heartbeat");
  broker.groups.handle(heartbeat);
  await quiet();
  expect(texts(await consumer.poll())).toEqual(["1", "2", "3", "4"]);
  await close();
});

test("ready waits for what other members have still to let go, and says so when its time is up", async () => {
  const { peer, broker, automatic, member, pass, close } = await grouping({ orders: 2 });
  const first = await member("a");
  await first.subscribe(["orders"]);
  const second = await automatic("b");
  void second.subscribe(["orders"]);
  const late = failure(second.ready({ timeoutMs: 1_000 }));
  await pass(1_000);
  expect(await late).toMatchObject({
    code: "TIMEOUT",
    message: expect.stringContaining("orders/1, until other members let go"),
  });
  broker.byHand("heartbeat", 2);
  const unheard = failure(second.ready({ timeoutMs: 4_000 }));
  await pass(3_000);
  (await peer.next("heartbeat")).refuse("STORAGE_ERROR");
  await pass(1_000);
  expect(await unheard).toMatchObject({
    code: "TIMEOUT",
    message: expect.stringMatching(
      /the coordinator \(STORAGE_ERROR: .*\), which last had it wait for orders\/1, until other members let go/,
    ),
  });
  const abort = new AbortController();
  const ended = second.ready({ signal: abort.signal });
  abort.abort(new Error("enough"));
  await expect(ended).rejects.toThrow("enough");
  const ready = second.ready();
  broker.groups.handle(await peer.next("heartbeat"));
  await first.heartbeat();
  await pass(3_000);
  await ready;
  expect([numbers(first), numbers(second)]).toEqual([[0], [1]]);
  expect(await second.position(P1)).toBe(0);
  await close();
});

test("ready of a consumer that assigns itself waits for its positions, and fails with what they fail with", async () => {
  const { broker, member, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(3));
  const consumer = await member("a", { groupId: undefined, memberId: undefined, autoOffsetReset: "latest" });
  consumer.assign([P0]);
  await consumer.ready();
  expect(await consumer.position(P0)).toBe(3);
  consumer.assign([{ topic: "none", partition: 0 }]);
  expect(await failure(consumer.ready())).toMatchObject({ code: "UNKNOWN_TOPIC" });
  await close();
});

test("a closed member leaves no timer behind, and its iteration ends", async () => {
  const { groups, clock, automatic, pass, close } = await grouping({ orders: 1 });
  const consumer = await automatic("a");
  void consumer.subscribe(["orders"]);
  const next = consumer.records().next();
  await pass(1_000);
  await consumer.close();
  expect(await next).toMatchObject({ done: true });
  expect(groups.members("g")).toEqual([]);
  await close();
  expect(clock.waiting).toBe(0);
});

test("a consumer that is closed while its join is under way is no member afterwards", async () => {
  const { broker, peer, groups, clock, automatic, close } = await grouping({ orders: 1 });
  const consumer = await automatic("a");
  broker.byHand("join_group", 1);
  const subscribed = failure(consumer.subscribe(["orders"]));
  const join = await peer.next("join_group");
  broker.byHand("leave_group", 1);
  const closed = consumer.close();
  groups.handle(join);
  groups.handle(await peer.next("leave_group"));
  await closed;
  expect(await subscribed).toMatchObject({ code: "CLOSED" });
  expect(groups.members("g")).toEqual([]);
  await close();
  expect(clock.waiting).toBe(0);
});

test("no partition of a member starves behind a busy one, a paused one or an empty one", async () => {
  const { broker, automatic, close } = await grouping({ orders: 4 });
  for (let batch = 0; batch < 50; batch += 1) broker.append("orders", 0, numbered(20));
  broker.append("orders", 1, ["paused"]);
  broker.append("orders", 3, ["mine"]);
  const consumer = await automatic("a", { fetchBytes: 2_000 });
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  consumer.pause([P1]);
  const seen: (string | null)[] = [];
  for (let poll = 0; poll < 6; poll += 1) seen.push(...texts(await consumer.poll({ maxRecords: 20 })));
  expect(seen).toContain("mine");
  expect(seen).not.toContain("paused");
  await close();
});

test("a topic that is deleted under a group goes from the assignment, and the loop over the others goes on", async () => {
  const { broker, automatic, pass, close } = await grouping({ orders: 1, bills: 1 });
  const consumer = await automatic("a");
  await consumer.subscribe(["bills", "orders"]);
  await consumer.ready();
  const next = consumer.records().next();
  await pass(500);
  broker.delete("bills");
  await pass(4_000);
  broker.append("orders", 0, ["goes on"]);
  await pass(1_000);
  expect((await next).value?.value?.toString()).toBe("goes on");
  expect(consumer.assignment).toEqual([P0]);
  expect(await consumer.poll()).toEqual([]);
  await close();
});

test("under immediate a member that is slow to let go stays a member, and cannot commit what has moved", async () => {
  const { broker, groups, automatic, pass, close } = await grouping({ orders: 2 });
  groups.rebalance = "immediate";
  broker.append("orders", 1, numbered(3));
  const first = await automatic("a");
  await first.subscribe(["orders"]);
  await first.ready();
  const records = first.records();
  await records.next();
  const second = await automatic("b");
  await second.subscribe(["orders"]);
  await second.ready();
  expect(texts(await second.poll())).toEqual(["0", "1", "2"]);
  await pass(12_000);
  expect([numbers(first), groups.members("g")]).toEqual([[0], ["a", "b"]]);
  expect(await failure(first.commit())).toMatchObject({ code: "NOT_PARTITION_OWNER" });
  const next = records.next();
  await pass(4_000);
  broker.append("orders", 0, ["mine"]);
  expect((await next).value?.value?.toString()).toBe("mine");
  await close();
});

test("under immediate a member with records in hand of what was taken from it beats on, and reads on", async () => {
  const { broker, groups, automatic, pass, close } = await grouping({ orders: 2 });
  groups.rebalance = "immediate";
  broker.append("orders", 1, numbered(3));
  const first = await automatic("a");
  await first.subscribe(["orders"]);
  await first.ready();
  await first.poll({ maxRecords: 1 });
  const second = await automatic("b");
  await second.subscribe(["orders"]);
  await pass(12_000);
  expect(groups.holders("g")).toEqual({ "orders/0": ["a"], "orders/1": ["b"] });
  const beats = broker.heartbeats.filter(({ member_id: memberId }) => memberId === "a").length;
  await pass(9_000);
  expect(broker.heartbeats.filter(({ member_id: memberId }) => memberId === "a").length).toBeGreaterThan(
    beats + 1,
  );
  broker.append("orders", 0, ["more"]);
  expect(texts(await first.poll())).toEqual(["more"]);
  await close();
});

test("a member that waits for partitions has them a moment after they were let go, not a heartbeat later", async () => {
  const { member, automatic, pass, close } = await grouping({ orders: 2 });
  const first = await member("a");
  await first.subscribe(["orders"]);
  const second = await automatic("b");
  await second.subscribe(["orders"]);
  await pass(1_000);
  await first.heartbeat();
  expect(numbers(second)).toEqual([]);
  await pass(250);
  expect(numbers(second)).toEqual([1]);
  await close();
});
