import { expect, test } from "vitest";
import { P0, P1, texts } from "../../../test/support/consuming.ts";
import { failure } from "../../../test/support/failure.ts";
import { grouping, numbers } from "../../../test/support/grouping.ts";
import { quiet } from "../../../test/support/scripted-peer.ts";
import type { Rebalance } from "./group-options.ts";

test("four partitions go 0, 1, 2, 3 to one member, and a second gets 1 and 3 of them once the first has let go", async () => {
  const { member, close } = await grouping();
  const first = await member("a");
  await first.subscribe(["orders"]);
  expect(first.assignment.map(({ partition }) => partition)).toEqual([0, 1, 2, 3]);
  const second = await member("b");
  await second.subscribe(["orders"]);
  expect([numbers(first), numbers(second)]).toEqual([[0, 1, 2, 3], []]);
  await first.heartbeat();
  expect([numbers(first), numbers(second)]).toEqual([[0, 2], []]);
  await second.heartbeat();
  expect([numbers(first), numbers(second)]).toEqual([
    [0, 2],
    [1, 3],
  ]);
  expect([first.generation, second.generation]).toEqual([2, 2]);
  await close();
});

test("under barrier a refresh stops reading what is revoked, and only a heartbeat lets it go", async () => {
  const { broker, groups, member, close } = await grouping({ orders: 2 });
  broker.append("orders", 1, ["one"]);
  const first = await member("a");
  await first.subscribe(["orders"]);
  const second = await member("b");
  await second.subscribe(["orders"]);
  await first.refreshAssignment();
  expect(numbers(first)).toEqual([0]);
  expect(groups.holders("g")).toEqual({ "orders/0": ["a"], "orders/1": ["a"] });
  await second.refreshAssignment();
  expect([numbers(second), texts(await second.poll())]).toEqual([[], []]);
  await first.heartbeat();
  await second.refreshAssignment();
  expect(texts(await second.poll())).toEqual(["one"]);
  expect(texts(await first.poll())).toEqual([]);
  await close();
});

test("under immediate the first member's old view overlaps with the second's until it is refreshed", async () => {
  const { broker, groups, member, close } = await grouping({ orders: 2 });
  groups.rebalance = "immediate";
  broker.append("orders", 1, ["one"]);
  const first = await member("a");
  await first.subscribe(["orders"]);
  const second = await member("b");
  await second.subscribe(["orders"]);
  expect([numbers(first), numbers(second)]).toEqual([[0, 1], [1]]);
  expect([texts(await first.poll()), texts(await second.poll())]).toEqual([["one"], ["one"]]);
  await first.refreshAssignment();
  expect([numbers(first), numbers(second)]).toEqual([[0], [1]]);
  await close();
});

test("a stale generation cannot commit, and the offset stays what it was", async () => {
  const { broker, groups, member, close } = await grouping({ orders: 2 });
  broker.append("orders", 0, ["a", "b"]);
  const first = await member("a");
  await first.subscribe(["orders"]);
  await first.poll({ maxRecords: 1 });
  await first.commit();
  await first.poll();
  await (await member("b")).subscribe(["orders"]);
  expect(await failure(first.commit())).toMatchObject({ code: "ILLEGAL_GENERATION", retriable: false });
  expect(groups.committed("g", "orders/0")).toBe(1);
  await first.heartbeat();
  await first.commit();
  expect(groups.committed("g", "orders/0")).toBe(2);
  await close();
});

test("a heartbeat lets a partition go only when the commits that are under way have their answers", async () => {
  const { broker, groups, peer, member, close } = await grouping({ orders: 2 });
  broker.append("orders", 1, ["one"]);
  const first = await member("a");
  await first.subscribe(["orders"]);
  await first.poll();
  broker.byHand("commit_offsets", 1);
  const committed = first.commit();
  const request = await peer.next("commit_offsets");
  await (await member("b")).subscribe(["orders"]);
  const beaten = first.heartbeat();
  await quiet();
  expect([numbers(first), groups.holders("g")["orders/1"]]).toEqual([[0], ["a"]]);
  request.answer({});
  await Promise.all([committed, beaten]);
  expect(groups.holders("g")["orders/1"]).toEqual(["b"]);
  await close();
});

test("position and commit are independent: seek moves one, commit the other", async () => {
  const { broker, groups, member, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, ["a", "b", "c"]);
  const consumer = await member("a");
  await consumer.subscribe(["orders"]);
  await consumer.poll();
  expect([await consumer.position(P0), groups.committed("g", "orders/0")]).toEqual([3, null]);
  await consumer.commit([{ ...P0, offset: 1, metadata: "one is done" }]);
  expect(await consumer.position(P0)).toBe(3);
  expect(await consumer.committed()).toEqual([{ ...P0, offset: 1, metadata: "one is done", committedMs: 0 }]);
  await consumer.seek(P0, 0);
  expect([await consumer.position(P0), groups.committed("g", "orders/0")]).toEqual([0, 1]);
  expect(await consumer.lag()).toEqual([
    { ...P0, position: 0, endOffset: 3, lag: 3, committed: 1, committedLag: 2 },
  ]);
  await close();
});

test("a committed offset past the end has no lag, and who goes on from there begins by its reset", async () => {
  const { broker, member, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, ["a", "b"]);
  const before = await member("a");
  await before.subscribe(["orders"]);
  await before.commit([{ ...P0, offset: 9 }]);
  await before.close({ leave: false });
  const consumer = await member("a");
  await consumer.subscribe(["orders"]);
  expect(await consumer.lag()).toEqual([
    { ...P0, position: 9, endOffset: 2, lag: null, committed: 9, committedLag: null },
  ]);
  const read: (string | null)[] = [];
  while (read.length < 2) read.push(...texts(await consumer.poll()));
  expect(read).toEqual(["a", "b"]);
  expect(await consumer.lag()).toEqual([
    { ...P0, position: 2, endOffset: 2, lag: 0, committed: 9, committedLag: null },
  ]);
  await close();
});

test("after a crash, processing before committing replays, and committing before processing skips", async () => {
  const { broker, member, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, ["a", "b"]);
  const crashed = await member("a");
  await crashed.subscribe(["orders"]);
  expect(texts(await crashed.poll({ maxRecords: 1 }))).toEqual(["a"]);
  await crashed.close({ leave: false });
  const replaying = await member("a");
  await replaying.subscribe(["orders"]);
  expect(texts(await replaying.poll({ maxRecords: 1 }))).toEqual(["a"]);
  await replaying.commit();
  await replaying.close({ leave: false });
  const skipping = await member("a");
  await skipping.subscribe(["orders"]);
  expect(texts(await skipping.poll())).toEqual(["b"]);
  await close();
});

test("a member that was expired has lost everything, is told so, and joins anew with its next heartbeat", async () => {
  const { broker, groups, member, close } = await grouping({ orders: 2 });
  broker.append("orders", 0, ["a", "b"]);
  const told: Rebalance[] = [];
  const consumer = await member("a", { onRebalance: (change) => void told.push(change) });
  await consumer.subscribe(["orders"]);
  await consumer.poll({ maxRecords: 1 });
  await consumer.commit();
  await consumer.poll();
  groups.expire("g", "a");
  expect(await failure(consumer.commit())).toMatchObject({ code: "UNKNOWN_MEMBER" });
  await consumer.heartbeat();
  const none = { assigned: [], revoked: [], lost: [] };
  expect(told).toEqual([
    { ...none, generation: 1, assigned: [P0, P1] },
    { ...none, generation: 3, lost: [P0, P1] },
    { ...none, generation: 3, assigned: [P0, P1] },
  ]);
  expect(texts(await consumer.poll())).toEqual(["b"]);
  await close();
});

test("a member that was expired and subscribes again before it heard of that has lost what it had, too", async () => {
  const { groups, member, close } = await grouping({ orders: 2 });
  const told: Rebalance[] = [];
  const consumer = await member("a", { onRebalance: (change) => void told.push(change) });
  await consumer.subscribe(["orders"]);
  groups.expire("g", "a");
  await consumer.subscribe(["orders"]);
  const none = { assigned: [], revoked: [], lost: [] };
  expect(told).toEqual([
    { ...none, generation: 1, assigned: [P0, P1] },
    { ...none, generation: 3, lost: [P0, P1] },
    { ...none, generation: 3, assigned: [P0, P1] },
  ]);
  await close();
});

test("the listener hears what is assigned and what is revoked, and may seek and commit", async () => {
  const { broker, groups, member, close } = await grouping({ orders: 2 });
  broker.append("orders", 1, ["a", "b", "c"]);
  const changes: string[] = [];
  const first = await member("a", {
    onRebalance: async ({ assigned, revoked }) => {
      changes.push(
        `+${assigned.map(({ partition }) => partition)} -${revoked.map(({ partition }) => partition)}`,
      );
      for (const place of assigned) await first.seek(place, place.partition);
      if (revoked.length > 0) await first.commit();
    },
  });
  await first.subscribe(["orders"]);
  expect(texts(await first.poll())).toEqual(["b", "c"]);
  const second = await member("b");
  await second.subscribe(["orders"]);
  await first.heartbeat();
  expect(changes).toEqual(["+0,1 -", "+ -1"]);
  expect(groups.committed("g", "orders/1")).toBe(3);
  await second.heartbeat();
  expect(await second.position(P1)).toBe(3);
  await close();
});

test("what the listener throws is the next poll's, once, and the rebalance goes on", async () => {
  const { broker, member, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, ["a"]);
  const consumer = await member("a", {
    onRebalance: () => {
      throw new Error("not now");
    },
  });
  await consumer.subscribe(["orders"]);
  await expect(consumer.poll()).rejects.toThrow("not now");
  expect(texts(await consumer.poll())).toEqual(["a"]);
  await close();
});

test("another subscription replaces the first, and what stays keeps its position", async () => {
  const { broker, member, close } = await grouping({ orders: 1, bills: 1 });
  broker.append("orders", 0, ["a", "b"]);
  broker.append("bills", 0, ["x"]);
  const consumer = await member("a");
  await consumer.subscribe(["orders"]);
  await consumer.poll({ maxRecords: 1 });
  await consumer.subscribe(["orders", "bills", "orders"]);
  expect([texts(await consumer.poll()), texts(await consumer.poll())]).toEqual([["b"], ["x"]]);
  await consumer.subscribe(["bills"]);
  expect(consumer.assignment).toEqual([{ topic: "bills", partition: 0 }]);
  expect(await failure(consumer.position(P0))).toMatchObject({ code: "USAGE" });
  await close();
});

test("a topic that comes after the subscription is read from the next heartbeat on", async () => {
  const { broker, member, close } = await grouping({});
  const consumer = await member("a");
  await consumer.subscribe(["orders"]);
  expect(consumer.assignment).toEqual([]);
  broker.create("orders", 1);
  broker.append("orders", 0, ["a"]);
  await consumer.heartbeat();
  expect(texts(await consumer.poll())).toEqual(["a"]);
  await close();
});

test("close leaves the group, and a consumer that does not leave finds its partitions again", async () => {
  const { groups, member, close } = await grouping({ orders: 1 });
  const first = await member("a");
  await first.subscribe(["orders"]);
  await first.close({ leave: false });
  expect(groups.members("g")).toEqual(["a"]);
  const again = await member("a");
  await again.subscribe(["orders"]);
  expect([numbers(again), again.generation]).toEqual([[0], 1]);
  await again.close();
  await again.close();
  expect(groups.members("g")).toEqual([]);
  await close();
});

test("subscribing and assigning are not mixed, and a consumer without a group does neither commit nor subscribe", async () => {
  const { member, close } = await grouping({ orders: 2 });
  const subscribed = await member("a");
  await subscribed.subscribe(["orders"]);
  expect(() => subscribed.assign([P0])).toThrow(expect.objectContaining({ code: "USAGE" }));
  const assigned = await member("b");
  assigned.assign([P0]);
  expect(await failure(assigned.subscribe(["orders"]))).toMatchObject({ code: "USAGE" });
  expect(await failure(assigned.heartbeat())).toMatchObject({ code: "USAGE" });
  const alone = await member("c", { groupId: undefined, memberId: undefined });
  expect([alone.memberId, alone.generation]).toEqual([null, null]);
  for (const call of [alone.subscribe(["orders"]), alone.commit(), alone.committed([]), alone.heartbeat()])
    expect(await failure(call)).toMatchObject({ code: "USAGE" });
  await close();
});
