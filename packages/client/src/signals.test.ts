/** A signal means the same wherever something is waited for: the wait ends, what was begun goes on, what was not never begins. */
import { expect, test } from "vitest";
import { consuming, numbered, P0, texts } from "../test/support/consuming.ts";
import { failure } from "../test/support/failure.ts";
import { grouping } from "../test/support/grouping.ts";
import { producing } from "../test/support/producing.ts";
import { quiet, ScriptedPeer } from "../test/support/scripted-peer.ts";
import { sendTo, transacting } from "../test/support/transacting.ts";
import { Client, connect } from "./client.ts";
import { ManualClock } from "./clock.ts";
import { Consumer } from "./consumer/consumer.ts";
import { EventStream } from "./event-stream.ts";
import { FaultRule } from "./fault-rule.ts";
import { Producer } from "./producer/producer.ts";
import { Transaction } from "./producer/transaction/transaction.ts";
import type { WaitOptions } from "./wait-options.ts";

const REASON = new Error("no more");
const RECORD = { topic: "orders", value: "a" };
const FAULT = { point: "request.ping", action: "error" } as const;

/** Each waits for a broker that never answers. */
const WAITS: { readonly [name: string]: (client: Client, options: WaitOptions) => Promise<unknown> } = {
  "client.call": (client, options) => client.call("ping", {}, options),
  "client.raw": (client, options) => client.raw("ping", {}, options),
  "admin.createTopic": (client, options) => client.admin().createTopic({ topic: "orders" }, options),
  "admin.describeTopic": (client, options) => client.admin().describeTopic("orders", options),
  "admin.groupLag": (client, options) => client.admin().groupLag("g", options),
  "admin.abortTransaction": (client, options) => client.admin().abortTransaction("t", options),
  "stepper.next": (client, options) => client.stepper().next(options),
  "stepper.runUntilQuiet": (client, options) => client.stepper().runUntilQuiet(options),
  "stepper.events": (client, options) => client.stepper().events(options).next(),
  "faults.arm": (client, options) => client.faults().arm(FAULT, options),
  "faults.crash": (client, options) => client.faults().crash(options),
  "rule.whenFired": (client, options) =>
    new FaultRule(client, { id: 1, mark: "m" }, FAULT).whenFired(1, options),
  "rule.disarm": (client, options) => new FaultRule(client, { id: 1, mark: "m" }, FAULT).disarm(options),
  "snapshots.save": (client, options) => client.snapshots().save("a", options),
  "snapshots.history": (client, options) => client.snapshots().history(options),
  "producer.send": (client, options) => client.producer().send(RECORD, options),
  "producer.sendMany": (client, options) => client.producer().sendMany([RECORD], options),
  "producer.beginTransaction": (client, options) =>
    client.producer({ transactionalId: "t" }).beginTransaction(options),
  "producer.transaction": (client, options) =>
    client.producer({ transactionalId: "t" }).transaction(() => {}, options),
  "consumer.subscribe": (client, options) => grouped(client).subscribe("orders", options),
  "consumer.ready": (client, options) => assigned(client).ready(options),
  "consumer.poll": (client, options) => assigned(client).poll({ timeoutMs: 60_000, ...options }),
  "consumer.records": (client, options) => assigned(client).records(options).next(),
  "consumer.batches": (client, options) => assigned(client).batches(options).next(),
  "consumer.seek": (client, options) => assigned(client).seek(P0, "end", options),
  "consumer.position": (client, options) => assigned(client).position(P0, options),
  "consumer.lag": (client, options) => assigned(client).lag(options),
  "consumer.commit": (client, options) => grouped(client).commit([{ ...P0, offset: 1 }], options),
  "consumer.committed": (client, options) => grouped(client).committed([P0], options),
};

function assigned(client: Client): Consumer {
  const consumer = client.consumer();
  consumer.assign([P0]);
  return consumer;
}

const grouped = (client: Client) => client.consumer({ groupId: "g" });

/** A client of a broker that takes every request and answers none. */
async function unanswered() {
  const peer = new ScriptedPeer();
  const clock = new ManualClock();
  const client = await connect({ link: peer.link }, { clock });
  return { peer, clock, client };
}

test.each(Object.entries(WAITS))(
  "%s waits no longer when its signal aborts, fails with the reason, and leaves no timer",
  async (_name, wait) => {
    const { client, clock, peer } = await unanswered();
    const controller = new AbortController();
    const waiting = wait(client, { signal: controller.signal }).catch((reason: unknown) => reason);
    await quiet();
    expect(peer.unread.length).toBeGreaterThan(0);
    controller.abort(REASON);
    expect(await waiting).toBe(REASON);
    await client.close({ signal: AbortSignal.abort() }).catch(() => {});
    expect([clock.waiting, peer.openLinkCount]).toEqual([0, 0]);
  },
);

test.each(Object.entries(WAITS))(
  "with a signal that has aborted before %s begins nothing",
  async (_name, wait) => {
    const { client, peer } = await unanswered();
    await expect(wait(client, { signal: AbortSignal.abort(REASON) })).rejects.toBe(REASON);
    await quiet();
    // Assigned to a partition, a consumer looks by itself where it is to begin.
    expect(peer.unread.filter(({ fields }) => fields.operation !== "list_offsets")).toEqual([]);
    await client.close({ signal: AbortSignal.abort() });
  },
);

test("a record whose send is not waited for any more is sent and kept; of one whose signal has aborted before nothing is", async () => {
  const { broker, client, producer, peer } = await producing();
  broker.byHand("produce", 1);
  const controller = new AbortController();
  const sent = producer.send({ topic: "orders", partition: 0, value: "a" }, { signal: controller.signal });
  const failed = expect(sent).rejects.toBe(REASON);
  const produce = await peer.next("produce");
  controller.abort(REASON);
  await failed;
  await expect(producer.sendMany([RECORD], { signal: controller.signal })).rejects.toBe(REASON);
  expect(producer.buffered.records).toBe(1);
  broker.answerProduce(produce);
  await producer.flush();
  expect(broker.values("orders", 0)).toEqual(["a"]);
  await client.close();
});

test("a record and offsets that are not waited for any more stay a part of their transaction", async () => {
  const { broker, client, producer, peer } = await transacting();
  const tx = await producer.beginTransaction();
  broker.byHand("produce", 1);
  const controller = new AbortController();
  const sent = tx.send({ topic: "orders", partition: 0, value: "a" }, { signal: controller.signal });
  const failed = expect(sent).rejects.toBe(REASON);
  const produce = await peer.next("produce");
  controller.abort(REASON);
  await failed;
  const offsets = { groupId: "g", offsets: [{ ...P0, offset: 1 }] };
  await expect(tx.sendOffsets(offsets, { signal: controller.signal })).rejects.toBe(REASON);
  expect(tx.failure).toBeNull();
  broker.answerProduce(produce);
  await tx.commit();
  expect(broker.values("orders", 0)).toContain("a");
  expect(broker.groups.committed("g", "orders/0")).toBeNull();
  await client.close();
});

test("a commit that is not waited for any more counts, and what was fetched under an aborted poll comes with the next", async () => {
  const { broker, client, consumer, peer } = await consuming({ groupId: "g" });
  broker.append("orders", 0, numbered(2));
  consumer.assign([P0]);
  broker.byHand("fetch_many", 1);
  const controller = new AbortController();
  const polled = consumer.poll({ timeoutMs: 1_000, signal: controller.signal });
  const fetch = await peer.next("fetch_many");
  controller.abort(REASON);
  await expect(polled).rejects.toBe(REASON);
  broker.answerFetch(fetch);
  expect(texts(await consumer.poll())).toEqual(["0", "1"]);

  broker.byHand("commit_offsets", 1);
  const again = new AbortController();
  const committed = consumer.commit(undefined, { signal: again.signal });
  const failed = expect(committed).rejects.toBe(REASON);
  const commit = await peer.next("commit_offsets");
  again.abort(REASON);
  await failed;
  broker.groups.handle(commit);
  await consumer.commit();
  expect(broker.groups.committed("g", "orders/0")).toBe(2);
  await client.close();
});

test("the steps of a member go on when their caller waits no longer", async () => {
  const { broker, member, peer, close } = await grouping({ orders: 2 });
  const consumer = await member("ann");
  const controller = new AbortController();
  broker.byHand("join_group", 1);
  const subscribed = consumer.subscribe("orders", { signal: controller.signal });
  const failed = expect(subscribed).rejects.toBe(REASON);
  const join = await peer.next("join_group");
  controller.abort(REASON);
  await failed;
  broker.groups.handle(join);
  await quiet();
  expect(consumer.assignment).toHaveLength(2);
  const beats = broker.heartbeats.length;
  for (const step of [consumer.heartbeat(controller), consumer.refreshAssignment(controller)])
    await expect(step).rejects.toBe(REASON);
  await expect(consumer.seekToCommitted([P0], controller)).rejects.toBe(REASON);
  expect(broker.heartbeats).toHaveLength(beats);
  await close();
});

test("a producer's close whose signal aborts is over at once, and says what was lost by it", async () => {
  const { broker, client, clock, peer, producer } = await producing();
  broker.byHand("produce");
  const sent = failure(producer.send(RECORD));
  await peer.next("produce");
  const controller = new AbortController();
  const closed = failure(producer.close({ signal: controller.signal }));
  await quiet();
  controller.abort(REASON);
  expect(await closed).toMatchObject({ code: "CLOSED", details: { sent: true } });
  expect(await sent).toMatchObject({ code: "CLOSED" });
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("a second close may hurry the first, and a client's close hurries all that is its", async () => {
  const { broker, client, clock, peer, producer } = await transacting();
  const tx = await producer.beginTransaction();
  broker.byHand("end_transaction");
  const closed = client.close();
  await peer.next("end_transaction");
  await Promise.all([client.close({ signal: AbortSignal.abort(REASON) }), closed]);
  expect([clock.waiting, peer.openLinkCount]).toEqual([0, 0]);
  expect(tx.stage).toBe("aborting");
});

test("a consumer's close whose signal aborts says that what was done is not committed, and leaves nothing", async () => {
  const { broker, member, peer, clock, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(2));
  const consumer = await member("ann", { autoCommit: true });
  await consumer.subscribe("orders");
  await consumer.heartbeat();
  expect(texts(await consumer.poll())).toEqual(["0", "1"]);
  await consumer.poll();
  broker.byHand("commit_offsets");
  const controller = new AbortController();
  const closed = failure(consumer.close({ signal: controller.signal }));
  await peer.next("commit_offsets");
  broker.byHand("leave_group");
  controller.abort(REASON);
  expect((await closed).message).toContain("a signal has ended the time for it");
  await peer.next("leave_group");
  await close();
  expect(clock.waiting).toBe(0);
});

test("whatever holds something is let go by await using", async () => {
  const { broker, client, producer, committed } = await transacting();
  {
    await using tx = await producer.beginTransaction();
    await sendTo(tx, "gone");
  }
  {
    await using consumer = client.consumer();
    consumer.assign([P0]);
  }
  expect(broker.transactions.ends).toEqual(["abort"]);
  expect((await committed()).values).toEqual([]);
  for (const holder of [Client, Producer, Consumer, Transaction, EventStream, FaultRule])
    expect(holder.prototype[Symbol.asyncDispose], holder.name).toBeTypeOf("function");
  await client.close();
});
