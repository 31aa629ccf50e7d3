/** A group's offsets as a part of a transaction (KIP-98, KIP-447). */
import { expect, test } from "vitest";
import { P0, texts } from "../../../test/support/consuming.ts";
import { failure } from "../../../test/support/failure.ts";
import { quiet } from "../../../test/support/scripted-peer.ts";
import { sendTo, transacting } from "../../../test/support/transacting.ts";
import { LIMITS } from "../../limits.ts";

test("offsets of a group count when the transaction commits, and not when it is aborted", async () => {
  const { producer, client, broker } = await transacting();
  const offsets = [{ topic: "orders", partition: 0, offset: 3 }];
  const tx = await producer.beginTransaction();
  await tx.sendOffsets({ groupId: "g", offsets });
  expect(broker.groups.committed("g", "orders/0")).toBe(null);
  await tx.commit();
  expect(broker.groups.committed("g", "orders/0")).toBe(3);
  const aborted = await producer.beginTransaction();
  await aborted.sendOffsets({ groupId: "g", offsets: [{ topic: "orders", partition: 0, offset: 9 }] });
  await aborted.abort();
  expect(broker.groups.committed("g", "orders/0")).toBe(3);
  await client.close();
});

test("a commit waits for offsets that nobody waited for, and their failure is its own", async () => {
  const { producer, client, broker } = await transacting();
  const offsets = [{ topic: "orders", partition: 0, offset: 3 }];
  await producer.transaction((tx) => void tx.sendOffsets({ groupId: "g", offsets }));
  expect(broker.groups.committed("g", "orders/0")).toBe(3);
  const member = { memberId: "nobody", generation: 1 };
  const tx = await producer.beginTransaction();
  const refused = failure(tx.sendOffsets({ groupId: "g", member, offsets }));
  const commit = await failure(tx.commit());
  expect(await refused).toMatchObject({ code: "UNKNOWN_MEMBER", abortable: true });
  expect(commit).toMatchObject({ code: "UNKNOWN_MEMBER", abortable: true });
  await tx.abort();
  await client.close();
});

test("a consumer's positions go into the transaction with its membership, and it goes on behind them", async () => {
  const { producer, client, consumer, broker } = await transacting();
  broker.append("orders", 0, ["a", "b"]);
  broker.append("orders", 1, ["c"]);
  const reader = consumer({ groupId: "g", memberId: "m" });
  await reader.subscribe("orders");
  await reader.ready();
  const read = await reader.poll();
  expect(read).toHaveLength(3);
  await producer.transaction(async (tx) => {
    for (const { value } of read) void tx.send({ topic: "paid", value });
    await tx.sendOffsets(reader);
  });
  expect(broker.groups.commits).toEqual([{ memberId: "m", offsets: { "orders/0": 2, "orders/1": 1 } }]);
  expect((await reader.committed()).map(({ offset }) => offset).sort()).toEqual([1, 2]);
  await client.close();
});

test("after an abort a consumer reads again what the transaction was about, also when nothing was ever committed", async () => {
  const { producer, client, consumer, broker } = await transacting();
  broker.append("orders", 0, ["before"]);
  const reader = consumer({ groupId: "g", autoOffsetReset: "latest" });
  reader.assign([P0]);
  await reader.position(P0);
  broker.append("orders", 0, ["a", "b"]);
  const once = async (fails: boolean) => {
    const read = texts(await reader.poll());
    const done = producer.transaction(async (tx) => {
      await tx.sendOffsets(reader);
      if (fails) throw new Error("no");
    });
    if (fails) await expect(done).rejects.toThrow("no");
    else await done;
    return read;
  };
  expect(await once(true)).toEqual(["a", "b"]);
  await reader.seekToCommitted();
  expect(await once(false)).toEqual(["a", "b"]);
  broker.append("orders", 0, ["c"]);
  expect(await once(true)).toEqual(["c"]);
  await reader.seekToCommitted();
  expect(await once(false)).toEqual(["c"]);
  await client.close();
});

test("a rebalance before the offsets are sent does not end the transaction while the partitions are still the member's", async () => {
  const { producer, client, consumer, broker } = await transacting();
  broker.append("orders", 0, ["a"]);
  const reader = consumer({ groupId: "g", memberId: "a", autoHeartbeat: true });
  await reader.subscribe("orders");
  await reader.ready();
  await reader.poll();
  const other = consumer({ groupId: "g", memberId: "b", autoHeartbeat: true });
  await other.subscribe("paid");
  await producer.transaction((tx) => tx.sendOffsets(reader));
  expect(broker.groups.committed("g", "orders/0")).toBe(1);
  await client.close();
});

test("a transaction of several polls cannot take offsets once a partition that it has read of is another member's, however long ago", async () => {
  for (const isExpired of [false, true]) {
    const { producer, client, consumer, broker } = await transacting();
    broker.append("orders", 0, ["a"]);
    broker.append("orders", 1, ["b"]);
    const reader = consumer({ groupId: "g", memberId: "a" });
    await reader.subscribe("orders");
    await reader.ready();
    const tx = await producer.beginTransaction();
    expect(await reader.poll()).toHaveLength(2);
    // The caller asks for more, and so would be done with both if they were not a transaction's.
    expect(await reader.poll()).toHaveLength(0);
    if (isExpired) broker.groups.expire("g", "a");
    const other = consumer({ groupId: "g", memberId: "b" });
    await other.subscribe("orders");
    await reader.heartbeat();
    await other.heartbeat();
    await reader.heartbeat();
    await reader.poll();
    expect(reader.assignment).toHaveLength(1);
    const refused = await failure(tx.sendOffsets(reader));
    expect(refused).toMatchObject({ code: "NOT_PARTITION_OWNER", abortable: true });
    await tx.abort();
    await reader.seekToCommitted();
    expect(texts(await reader.poll())).toHaveLength(1);
    await producer.transaction((next) => next.sendOffsets(reader));
    expect(broker.groups.commits).toHaveLength(1);
    await client.close();
  }
});

test("a partition that is let go after its offsets are in the transaction does not end it", async () => {
  const { producer, client, consumer, broker } = await transacting();
  broker.append("orders", 0, ["a"]);
  broker.append("orders", 1, ["b"]);
  const reader = consumer({ groupId: "g", memberId: "a" });
  await reader.subscribe("orders");
  await reader.ready();
  const tx = await producer.beginTransaction();
  await reader.poll();
  await tx.sendOffsets(reader);
  await consumer({ groupId: "g", memberId: "b" }).subscribe("orders");
  await reader.heartbeat();
  expect(reader.assignment).toHaveLength(1);
  await tx.sendOffsets(reader);
  await tx.commit();
  const committed = [0, 1].map((partition) => broker.groups.committed("g", `orders/${partition}`));
  expect(committed).toEqual([1, 1]);
  await client.close();
});

test("a partition is not let go while its offsets are on their way into a transaction, so that nothing is read again when it comes back", async () => {
  const { producer, client, consumer, broker, peer, settle } = await transacting();
  broker.append("orders", 0, ["a"]);
  broker.append("orders", 1, ["b"]);
  const reader = consumer({ groupId: "g", memberId: "a", autoHeartbeat: true });
  await reader.subscribe("orders");
  await reader.ready();
  const tx = await producer.beginTransaction();
  await reader.poll();
  const other = consumer({ groupId: "g", memberId: "b" });
  await other.subscribe("orders");
  await settle();
  broker.byHand("send_offsets", 1);
  const sent = tx.sendOffsets(reader);
  const request = await peer.next("send_offsets");
  await settle();
  expect(reader.assignment).toHaveLength(1);
  expect(broker.groups.holders("g")["orders/1"]).toEqual(["a"]);
  await other.close();
  await settle();
  request.refuse("ILLEGAL_GENERATION");
  await settle();
  await sent;
  await tx.commit();
  await settle();
  expect(reader.assignment).toHaveLength(2);
  const committed = [0, 1].map((partition) => broker.groups.committed("g", `orders/${partition}`));
  expect(committed).toEqual([1, 1]);
  expect(texts(await reader.poll())).toEqual([]);
  await client.close();
});

test("what a rebalance has changed is looked for as patiently as the offsets are sent, so that a broker that comes back late ends no transaction", async () => {
  const { producer, client, consumer, broker, peer, settle, clock } = await transacting();
  broker.append("orders", 0, ["a"]);
  const reader = consumer({ groupId: "g", memberId: "a", autoHeartbeat: true });
  await reader.subscribe("orders");
  await reader.ready();
  const tx = await producer.beginTransaction();
  await reader.poll();
  broker.byHand("send_offsets", 1);
  broker.byHand("group_assignment", 1);
  const sent = tx.sendOffsets(reader);
  (await peer.next("send_offsets")).refuse("ILLEGAL_GENERATION");
  await peer.next("group_assignment");
  peer.refuseLinks(new Error("connect ECONNREFUSED"));
  peer.breakLink();
  for (const sinceMs = clock.elapsedMs(); clock.elapsedMs() - sinceMs < 2 * LIMITS.requestTimeoutMs; )
    await settle();
  peer.refuseLinks(null);
  await settle();
  await sent;
  await tx.commit();
  expect(broker.groups.committed("g", "orders/0")).toBe(1);
  await client.close();
});

test("a member that was expired cannot get its offsets into a transaction any more", async () => {
  const { producer, client, consumer, broker, transactions } = await transacting();
  broker.append("orders", 0, ["a"]);
  const reader = consumer({ groupId: "g", memberId: "a" });
  await reader.subscribe("orders");
  await reader.ready();
  await reader.poll();
  broker.groups.expire("g", "a");
  const refused = await failure(producer.transaction((tx) => tx.sendOffsets(reader)));
  expect(refused).toMatchObject({ code: "UNKNOWN_MEMBER", abortable: true });
  expect([transactions.ends, broker.groups.committed("g", "orders/0")]).toEqual([["abort"], null]);
  await client.close();
});

test("a consumer that commits by itself, or has no group, is refused before anything is sent, and the transaction stays open", async () => {
  const { producer, client, consumer, broker } = await transacting();
  const tx = await producer.beginTransaction();
  const careless = await failure(tx.sendOffsets(consumer({ groupId: "g", autoCommit: true })));
  expect([careless.code, careless.message]).toEqual(["USAGE", expect.stringContaining("expected false")]);
  const alone = await failure(tx.sendOffsets(consumer()));
  expect(alone.message).toContain("sendOffsets needs a group");
  const misspelt = { group: "g", offsets: [] } as never;
  expect((await failure(tx.sendOffsets(misspelt))).message).toContain('has no "group"');
  await sendTo(tx, "a");
  await tx.commit();
  expect(broker.values("orders", 0)[0]).toBe("a");
  await client.close();
});

test("under either isolation a consumer waits for offsets whose transaction is open, and begins where it ends", async () => {
  for (const isolation of ["read_committed", "read_uncommitted"] as const) {
    const { producer, client, consumer, broker, settle } = await transacting();
    broker.append("orders", 0, ["a", "b"]);
    const tx = await producer.beginTransaction();
    await tx.sendOffsets({ groupId: "g", offsets: [{ topic: "orders", partition: 0, offset: 1 }] });
    const reader = consumer({ groupId: "g", isolation });
    reader.assign([P0]);
    const polled = reader.poll({ timeoutMs: 20_000 });
    await quiet();
    expect((await reader.committed())[0]?.offset).toBe(null);
    await tx.commit();
    await settle();
    expect(texts(await polled)).toEqual(["b"]);
    await client.close();
  }
});
