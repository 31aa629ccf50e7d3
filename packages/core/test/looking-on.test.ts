/** What a program sees of groups and transactions in its own process, without waiting for anything. */
import { expect, test } from "vitest";
import { openGroups, TestMember } from "./group-world.ts";
import { memoryWorld } from "./world.ts";

test("a group is seen at once as it is told to who waits, with what it has committed", async () => {
  const cluster = await openGroups(memoryWorld());
  const member = new TestMember(cluster, "a");
  expect(cluster.groups.describeNow("payments")).toEqual({ group: null, committed: [] });
  expect(cluster.groups.listNow()).toEqual([]);
  await member.join();
  await member.commit({ 0: 0, 2: 7 });
  const seen = cluster.groups.describeNow("payments");
  const groups = cluster.groups.listNow();
  expect(seen.group).toEqual(await cluster.groups.describe("payments"));
  expect(seen.committed).toEqual(await cluster.groups.committed({ groupId: "payments" }));
  expect(seen.committed).toHaveLength(2);
  expect(groups).toEqual((await cluster.groups.list()).groups);
  expect(cluster.groups.describeNow("others")).toEqual({ group: null, committed: [] });
});

test("so are transactional ids", async () => {
  const cluster = await openGroups(memoryWorld());
  expect(cluster.transactions.listNow()).toEqual([]);
  const producer = await cluster.transactions.init({ transactionalId: "pay", timeoutMs: 1_000 });
  await cluster.transactions.begin({ transactionalId: "pay", ...producer });
  const seen = cluster.transactions.listNow();
  expect(seen).toEqual((await cluster.transactions.list()).transactions);
  expect(seen).toMatchObject([{ transactionalId: "pay", state: "ongoing" }]);
});

test("what is not in memory is not seen, and is there once somebody has asked for it", async () => {
  const world = memoryWorld();
  const before = await openGroups(world);
  await new TestMember(before, "a").join();
  await before.close();
  const cluster = await openGroups(world);
  expect(cluster.groups.describeNow("payments").group).toBe(null);
  expect((await cluster.groups.list()).groups).toHaveLength(1);
  expect(cluster.groups.describeNow("payments").group).toMatchObject({ groupId: "payments" });
});

test("a cluster that is closed shows nothing", async () => {
  const cluster = await openGroups(memoryWorld());
  await cluster.close();
  expect(() => cluster.groups.listNow()).toThrow(expect.objectContaining({ code: "SHUTTING_DOWN" }));
  expect(() => cluster.groups.describeNow("payments")).toThrow(
    expect.objectContaining({ code: "SHUTTING_DOWN" }),
  );
  expect(() => cluster.transactions.listNow()).toThrow(expect.objectContaining({ code: "SHUTTING_DOWN" }));
});
