import { expect, test } from "vitest";
import { numbered, P0 } from "../../../test/support/consuming.ts";
import { failure } from "../../../test/support/failure.ts";
import { grouping } from "../../../test/support/grouping.ts";
import { quiet } from "../../../test/support/scripted-peer.ts";
import type { Consumer } from "../consumer.ts";
import type { ConsumerOptions } from "../consumer-options.ts";
import type { Rebalance } from "./group-options.ts";

/** A member of a group that is done with three records of each partition, none of them committed. */
async function memberWithWork(partitions: number, options: ConsumerOptions = {}) {
  const group = await grouping({ orders: partitions });
  for (let partition = 0; partition < partitions; partition += 1)
    group.broker.append("orders", partition, numbered(3));
  const consumer = await group.automatic("a", options);
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  await consumer.poll();
  await consumer.poll();
  await quiet();
  return { ...group, consumer };
}

/** What a listener hears, as "revoked orders/0". */
function hearing() {
  const heard: string[] = [];
  const onRebalance = ({ assigned, revoked, lost }: Rebalance) => {
    for (const [what, places] of Object.entries({ assigned, revoked, lost }))
      for (const { topic, partition } of places) heard.push(`${what} ${topic}/${partition}`);
  };
  return { heard, onRebalance };
}

test("a close that a new generation overtook commits what is still the member's, and leaves", async () => {
  const { consumer, groups, member, close } = await memberWithWork(2);
  groups.rebalance = "immediate";
  await (await member("b")).subscribe(["orders"]);
  await consumer.close();
  expect([groups.committed("g", "orders/0"), groups.committed("g", "orders/1")]).toEqual([3, null]);
  expect(groups.members("g")).toEqual(["b"]);
  await close();
});

test("under barrier a close in a new generation commits also what the member had to let go", async () => {
  const { consumer, groups, member, close } = await memberWithWork(2);
  await (await member("b")).subscribe(["orders"]);
  await consumer.close();
  expect([groups.committed("g", "orders/0"), groups.committed("g", "orders/1")]).toEqual([3, 3]);
  await close();
});

test("a member that steps commits at its close in the present generation, too", async () => {
  const { consumer, groups, member, close } = await memberWithWork(2, { autoHeartbeat: false });
  await (await member("b")).subscribe(["orders"]);
  await consumer.close();
  expect([groups.committed("g", "orders/0"), groups.committed("g", "orders/1")]).toEqual([3, 3]);
  await close();
});

test("a topic that is deleted keeps a close from committing nothing of the others", async () => {
  const { broker, groups, automatic, close } = await grouping({ bills: 1, orders: 2 });
  for (const partition of [0, 1]) broker.append("orders", partition, numbered(3));
  broker.append("bills", 0, numbered(2));
  const consumer = await automatic("a");
  await consumer.subscribe(["bills", "orders"]);
  await consumer.ready();
  await consumer.poll();
  await consumer.poll();
  broker.delete("bills");
  await consumer.close();
  expect([groups.committed("g", "orders/0"), groups.committed("g", "orders/1")]).toEqual([3, 3]);
  expect(groups.committed("g", "bills/0")).toBe(null);
  await close();
});

test("what the coordinator cannot take at a close for a while is tried again within the close's time", async () => {
  const { consumer, broker, peer, groups, clock, close } = await memberWithWork(1);
  broker.byHand("commit_offsets", 3);
  const closed = consumer.close();
  for (let refusal = 0; refusal < 3; refusal += 1) {
    (await peer.next("commit_offsets")).refuse("LEADER_NOT_AVAILABLE");
    await quiet();
    clock.advance(1_000);
  }
  await closed;
  expect([groups.committed("g", "orders/0"), groups.members("g")]).toEqual([3, []]);
  await close();
});

test("a commit under way when the consumer is closed is tried again within the close's time as well", async () => {
  const { consumer, broker, peer, groups, clock, close } = await memberWithWork(1);
  broker.byHand("commit_offsets", 1);
  const committed = consumer.commit([{ ...P0, offset: 2 }]);
  const request = await peer.next("commit_offsets");
  const closed = consumer.close();
  request.refuse("LEADER_NOT_AVAILABLE");
  await quiet();
  clock.advance(1_000);
  await Promise.all([committed, closed]);
  expect(groups.commits.map(({ offsets }) => offsets["orders/0"])).toEqual([2, 3]);
  await close();
});

test("a close fails with what its last commit failed with for good, when it has left; what was done comes again", async () => {
  const { consumer, broker, peer, groups, clock, close } = await memberWithWork(1);
  broker.byHand("commit_offsets", 1);
  const closed = failure(consumer.close());
  (await peer.next("commit_offsets")).refuse("STORAGE_ERROR");
  expect(await closed).toMatchObject({ code: "STORAGE_ERROR" });
  expect((await failure(consumer.close())).message).toContain("could not be committed and comes again");
  expect([groups.committed("g", "orders/0"), groups.members("g")]).toEqual([null, []]);
  await close();
  expect(clock.waiting).toBe(0);
});

test("a last commit without an answer is given up when the close's time is over, and told", async () => {
  const { consumer, broker, peer, groups, clock, close } = await memberWithWork(1);
  broker.byHand("commit_offsets", 1);
  const closed = failure(consumer.close({ timeoutMs: 300 }));
  await peer.next("commit_offsets");
  clock.advance(300);
  expect(await closed).toMatchObject({ code: "TIMEOUT" });
  expect(groups.members("g")).toEqual([]);
  await close();
  expect(clock.waiting).toBe(0);
});

for (const when of ["assigned", "revoked"] as const)
  test(`a close within the listener that is told of what is ${when} does not wait for it, and leaves`, async () => {
    const { broker, groups, clock, automatic, member, pass, close } = await grouping({ orders: 2 });
    for (const partition of [0, 1]) broker.append("orders", partition, numbered(3));
    const closes: Promise<string>[] = [];
    const consumer: Consumer = await automatic("a", {
      onRebalance: async (rebalance) => {
        if (rebalance[when].length === 0) return;
        await null;
        const beganMs = clock.elapsedMs();
        const closed = consumer.close().then(() => `after ${clock.elapsedMs() - beganMs} ms`);
        closes.push(closed);
        await closed;
      },
    });
    await consumer.subscribe(["orders"]);
    await quiet();
    if (when === "revoked") {
      await consumer.poll();
      await consumer.poll();
      await (await member("b")).subscribe(["orders"]);
      await pass(3_000);
    }
    expect(await Promise.all(closes)).toContain("after 0 ms");
    expect(groups.members("g")).toEqual(when === "revoked" ? ["b"] : []);
    const committed = when === "revoked" ? [3, 3] : [null, null];
    expect([groups.committed("g", "orders/0"), groups.committed("g", "orders/1")]).toEqual(committed);
    await close();
  });

test("the listener may close the consumer that tells it of its own close", async () => {
  const { consumer, groups, clock, close } = await memberWithWork(1, {
    onRebalance: async ({ revoked }) => {
      if (revoked.length > 0) await consumer.close();
    },
  });
  await consumer.close();
  expect([groups.committed("g", "orders/0"), groups.members("g")]).toEqual([3, []]);
  await close();
  expect(clock.waiting).toBe(0);
});

test("a close that others ask for while the listener is at work waits for it", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { consumer, groups, member, pass, close } = await memberWithWork(2, {
    onRebalance: ({ revoked }) => (revoked.length === 0 ? undefined : finished),
  });
  await (await member("b")).subscribe(["orders"]);
  await pass(3_000);
  const closed = consumer.close();
  await quiet();
  expect(groups.members("g")).toEqual(["a", "b"]);
  finish();
  await closed;
  expect(groups.members("g")).toEqual(["b"]);
  await close();
});

test("a consumer that is closed long after its session tells what it had as lost, and commits nothing of it", async () => {
  const { heard, onRebalance } = hearing();
  const { consumer, broker, groups, clock, close } = await memberWithWork(1, {
    onRebalance,
    autoCommitIntervalMs: 60_000,
  });
  broker.byHand("heartbeat");
  clock.advance(11_000);
  groups.expire("g", "a");
  await consumer.close();
  expect(heard).toEqual(["assigned orders/0", "lost orders/0"]);
  expect(groups.committed("g", "orders/0")).toBe(null);
  await close();
});

test("where nobody answers whether the session is over, what it had is lost, in half of the close's time", async () => {
  const { heard, onRebalance } = hearing();
  const options = { onRebalance, autoCommitIntervalMs: 60_000 };
  const { consumer, broker, peer, clock, close } = await memberWithWork(1, options);
  broker.byHand("heartbeat");
  broker.byHand("group_assignment");
  clock.advance(11_000);
  const closed = consumer.close({ timeoutMs: 1_000 });
  await peer.next("group_assignment");
  clock.advance(500);
  await closed;
  expect(heard).toEqual(["assigned orders/0", "lost orders/0"]);
  await close();
});

test("a member whom the coordinator has kept beyond its session commits at its close", async () => {
  const { heard, onRebalance } = hearing();
  const { consumer, broker, groups, clock, close } = await memberWithWork(1, {
    onRebalance,
    autoCommitIntervalMs: 60_000,
  });
  broker.byHand("heartbeat");
  clock.advance(11_000);
  await consumer.close();
  expect(heard).toEqual(["assigned orders/0", "revoked orders/0"]);
  expect([groups.committed("g", "orders/0"), groups.members("g")]).toEqual([3, []]);
  await close();
});

test("a member that finds out at its close that it was expired has lost what it had", async () => {
  const { heard, onRebalance } = hearing();
  const { consumer, groups, close } = await memberWithWork(1, { onRebalance });
  groups.expire("g", "a");
  await consumer.close();
  expect(heard).toEqual(["assigned orders/0", "revoked orders/0", "lost orders/0"]);
  expect(groups.committed("g", "orders/0")).toBe(null);
  await close();
});
