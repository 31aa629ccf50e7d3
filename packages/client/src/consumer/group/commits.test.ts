import { expect, test } from "vitest";
import { numbered, P0, P1, texts } from "../../../test/support/consuming.ts";
import { failure } from "../../../test/support/failure.ts";
import { grouping } from "../../../test/support/grouping.ts";
import { quiet } from "../../../test/support/scripted-peer.ts";

test("a consumer that assigns itself commits as nobody's member, and begins where its group has committed", async () => {
  const { broker, groups, member, close } = await grouping({ orders: 2 });
  broker.append("orders", 0, numbered(5));
  const first = await member("a");
  first.assign([P0, P1]);
  await first.poll({ maxRecords: 3 });
  await first.commit();
  expect(groups.commits).toEqual([{ memberId: undefined, offsets: { "orders/0": 3, "orders/1": 0 } }]);
  const second = await member("b");
  second.assign([P0, { ...P1, offset: 0 }]);
  expect(texts(await second.poll())).toEqual(["3", "4"]);
  second.assign([{ ...P0, offset: 1 }]);
  expect(texts(await second.poll({ maxRecords: 1 }))).toEqual(["1"]);
  await close();
});

test("a consumer that assigns itself cannot commit while its group has members", async () => {
  const { groups, member, close } = await grouping({ orders: 1 });
  const subscribed = await member("a");
  await subscribed.subscribe(["orders"]);
  const outside = await member("b");
  outside.assign([P0]);
  await outside.ready();
  expect(await failure(outside.commit())).toMatchObject({ code: "UNKNOWN_MEMBER" });
  expect(groups.committed("g", "orders/0")).toBe(null);
  await close();
});

test("in an iteration a commit covers the record in hand", async () => {
  const { broker, groups, member, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(5));
  const consumer = await member("a");
  await consumer.subscribe(["orders"]);
  const committed: (number | null)[] = [];
  for await (const record of consumer) {
    await consumer.commit();
    committed.push(groups.committed("g", "orders/0"));
    if (record.offset === 2) break;
  }
  expect(committed).toEqual([1, 2, 3]);
  await close();
});

test("a loop that is left by an error has its record again, also when close commits by itself", async () => {
  const { broker, groups, automatic, member, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(5));
  const consumer = await automatic("a");
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  const work = async () => {
    for await (const record of consumer) if (record.offset === 2) throw new Error("cannot work on it");
  };
  await expect(work()).rejects.toThrow("cannot work on it");
  await consumer.close();
  expect(groups.committed("g", "orders/0")).toBe(2);
  const next = await member("b");
  await next.subscribe(["orders"]);
  expect(texts(await next.poll({ maxRecords: 1 }))).toEqual(["2"]);
  await close();
});

test("a close commits all that was polled once the caller has asked for more, also when no more came", async () => {
  const { broker, groups, automatic, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(5));
  const consumer = await automatic("a");
  await consumer.subscribe("orders");
  await consumer.ready();
  expect(texts(await consumer.poll())).toHaveLength(5);
  expect(await consumer.poll()).toEqual([]);
  await consumer.close();
  expect(groups.committed("g", "orders/0")).toBe(5);
  await close();
});

test("what the last poll returned comes again after a close, unless commit said that it is done", async () => {
  const { broker, groups, automatic, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(5));
  const first = await automatic("a");
  await first.subscribe(["orders"]);
  await first.ready();
  expect(texts(await first.poll({ maxRecords: 3 }))).toEqual(["0", "1", "2"]);
  await first.close();
  const second = await automatic("b");
  await second.subscribe(["orders"]);
  await second.ready();
  expect(texts(await second.poll({ maxRecords: 3 }))).toEqual(["0", "1", "2"]);
  await second.commit();
  await second.close();
  expect(groups.committed("g", "orders/0")).toBe(3);
  await close();
});

test("batches count as done one by one", async () => {
  const { broker, groups, automatic, close } = await grouping({ orders: 2 });
  broker.append("orders", 0, numbered(3));
  broker.append("orders", 1, numbered(3));
  const consumer = await automatic("a");
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  const batches = consumer.batches();
  expect((await batches.next()).value?.records).toHaveLength(3);
  expect((await batches.next()).value?.records).toHaveLength(3);
  await consumer.close();
  expect([groups.committed("g", "orders/0"), groups.committed("g", "orders/1")]).toEqual([3, 0]);
  await close();
});

test("a commit that a new generation overtakes goes on in it, as long as the partitions are still the member's", async () => {
  const { broker, groups, automatic, member, close } = await grouping({ orders: 2 });
  broker.append("orders", 0, numbered(3));
  broker.append("orders", 1, numbered(3));
  const consumer = await automatic("a");
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  await consumer.poll();
  await (await member("b")).subscribe(["orders"]);
  await consumer.commit();
  expect(groups.commits.at(-1)).toEqual({ memberId: "a", offsets: { "orders/0": 3, "orders/1": 3 } });
  await close();
});

test("under immediate a commit of a partition that has moved is refused, and nothing of it counts", async () => {
  const { broker, groups, automatic, member, close } = await grouping({ orders: 2 });
  groups.rebalance = "immediate";
  broker.append("orders", 0, numbered(3));
  broker.append("orders", 1, numbered(3));
  const consumer = await automatic("a");
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  await consumer.poll();
  await (await member("b")).subscribe(["orders"]);
  expect(await failure(consumer.commit())).toMatchObject({ code: "NOT_PARTITION_OWNER" });
  expect([groups.committed("g", "orders/0"), groups.committed("g", "orders/1")]).toEqual([null, null]);
  await close();
});

test("a membership that is over commits nothing, also when the same member has joined anew meanwhile", async () => {
  const { broker, peer, groups, automatic, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(5));
  const consumer = await automatic("a");
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  await consumer.poll({ maxRecords: 2 });
  broker.byHand("commit_offsets", 1);
  const late = failure(consumer.commit());
  const request = await peer.next("commit_offsets");
  groups.expire("g", "a");
  await consumer.heartbeat();
  request.refuse("ILLEGAL_GENERATION");
  expect(await late).toMatchObject({ code: "ILLEGAL_GENERATION" });
  expect(groups.committed("g", "orders/0")).toBe(null);
  await close();
});

test("commits go one after the other: a retry of an older one never undoes a newer one", async () => {
  const { broker, peer, groups, member, clock, close } = await grouping({ orders: 1 });
  const consumer = await member("a");
  await consumer.subscribe(["orders"]);
  broker.byHand("commit_offsets", 1);
  const older = consumer.commit([{ ...P0, offset: 1 }]);
  const newer = consumer.commit([{ ...P0, offset: 2 }]);
  (await peer.next("commit_offsets")).refuse("LEADER_NOT_AVAILABLE");
  await quiet();
  clock.advance(100);
  await Promise.all([older, newer]);
  expect(groups.commits.map(({ offsets }) => offsets["orders/0"])).toEqual([1, 2]);
  await close();
});

test("offsets that cannot be meant are refused before anything is sent", async () => {
  const { groups, member, close } = await grouping({ orders: 1 });
  const consumer = await member("a");
  await consumer.subscribe(["orders"]);
  const wrong = [[{ ...P0, offset: -1 }], [{ ...P0, offset: 1.5 }], [{ ...P0, partition: -1, offset: 1 }]];
  for (const offsets of wrong)
    expect(await failure(consumer.commit(offsets))).toMatchObject({ code: "USAGE" });
  const twice = [
    { ...P0, offset: 1 },
    { ...P0, offset: 2 },
  ];
  expect(await failure(consumer.commit(twice))).toMatchObject({ code: "USAGE" });
  await consumer.commit([]);
  expect(groups.commits).toEqual([]);
  await close();
});

test("an automatic commit that the broker cannot take is tried again in the next interval; what will not mend is the next poll's", async () => {
  const { broker, peer, groups, automatic, pass, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(3));
  const consumer = await automatic("a");
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  broker.byHand("commit_offsets", 1);
  await pass(5_000);
  (await peer.next("commit_offsets")).refuse("BROKER_FAILED");
  await quiet();
  expect(await failure(consumer.poll())).toMatchObject({ code: "BROKER_FAILED" });
  expect(texts(await consumer.poll())).toEqual(["0", "1", "2"]);
  await pass(5_000);
  expect(groups.committed("g", "orders/0")).toBe(0);
  await close();
});

test("where a lookup of what is committed fails, nothing is read from elsewhere", async () => {
  const { broker, peer, groups, member, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(5));
  const before = await member("z");
  before.assign([P0]);
  await before.commit([{ ...P0, offset: 3 }]);
  broker.byHand("fetch_offsets", 1);
  const consumer = await member("a");
  await consumer.subscribe(["orders"]);
  const first = failure(consumer.poll());
  (await peer.next("fetch_offsets")).refuse("STORAGE_ERROR");
  expect(await first).toMatchObject({ code: "STORAGE_ERROR" });
  expect(texts(await consumer.poll())).toEqual(["3", "4"]);
  expect(groups.committed("g", "orders/0")).toBe(3);
  await close();
});

test("at the close the listener hears of everything, may commit it, and then the member leaves", async () => {
  const { broker, groups, automatic, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(3));
  const heard: string[] = [];
  const consumer = await automatic("a", {
    onRebalance: async ({ revoked }) => {
      if (revoked.length === 0) return;
      heard.push(...revoked.map(({ topic, partition }) => `${topic}/${partition}`));
      await consumer.commit();
    },
  });
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  await consumer.poll();
  await consumer.close();
  expect(heard).toEqual(["orders/0"]);
  expect([groups.committed("g", "orders/0"), groups.members("g")]).toEqual([3, []]);
  expect(await failure(consumer.commit())).toMatchObject({ code: "CLOSED" });
  await close();
});

test("a close ends in its time, also when the listener never does", async () => {
  const { groups, clock, automatic, close } = await grouping({ orders: 1 });
  const consumer = await automatic("a", {
    onRebalance: ({ revoked }) => (revoked.length === 0 ? undefined : new Promise<void>(() => {})),
  });
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  const closed = consumer.close({ timeoutMs: 200 });
  await quiet();
  clock.advance(200);
  await closed;
  expect(groups.members("g")).toEqual(["a"]);
  await close();
  expect(clock.waiting).toBe(0);
});

test("members that are closed at the same time commit what is done all the same", async () => {
  const { broker, groups, automatic, pass, close } = await grouping({ orders: 2 });
  broker.append("orders", 0, numbered(3));
  broker.append("orders", 1, numbered(3));
  const members = [await automatic("a"), await automatic("b")];
  for (const member of members) await member.subscribe(["orders"]);
  await pass(4_000);
  for (const member of members) {
    expect(await member.poll()).toHaveLength(3);
    await member.poll();
  }
  await Promise.all(members.map((member) => member.close()));
  expect([groups.committed("g", "orders/0"), groups.committed("g", "orders/1")]).toEqual([3, 3]);
  expect(groups.members("g")).toEqual([]);
  await close();
});

test("a member that is closed behind another one commits in the generation that this one's leaving began", async () => {
  const { broker, groups, automatic, pass, close } = await grouping({ orders: 2 });
  broker.append("orders", 0, numbered(3));
  const [first, second] = [await automatic("a"), await automatic("b")];
  await first.subscribe(["orders"]);
  await second.subscribe(["orders"]);
  await pass(4_000);
  expect(await first.poll()).toHaveLength(3);
  await first.poll();
  await second.close();
  await first.close();
  expect(groups.committed("g", "orders/0")).toBe(3);
  await close();
});
