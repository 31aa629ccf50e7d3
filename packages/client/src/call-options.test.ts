/** What no call takes is refused at the call: it would be ignored otherwise, and the call made for everything. */
import { expect, test } from "vitest";
import { failure } from "../test/support/failure.ts";
import { ScriptedPeer } from "../test/support/scripted-peer.ts";
import { sendTo, transacting } from "../test/support/transacting.ts";
import { Client, connect } from "./client.ts";
import { ManualClock } from "./clock.ts";
import { FaultRule } from "./fault-rule.ts";

/** As a program without types may hand it over. */
type Given = never;

const PLACE = { topic: "orders", partition: 0 };

const CALLS: { readonly [name: string]: (client: Client, options: Given) => Promise<unknown> } = {
  connect: (_client, options) => connect({ link: new ScriptedPeer().link }, options),
  open: (client, options) => client.open(options),
  raw: (client, options) => client.raw("ping", {}, options),
  call: (client, options) => client.call("ping", {}, options),
  expireMembers: (client, options) => client.stepper().expireMembers(options),
  expireOffsets: (client, options) => client.stepper().expireOffsets(options),
  expireTransactions: (client, options) => client.stepper().expireTransactions(options),
  expireProducers: (client, options) => client.stepper().expireProducers(options),
  flushLogs: (client, options) => client.stepper().flushLogs(options),
  rollSegment: (client, options) => client.stepper().rollSegment(PLACE, options),
  advanceClock: (client, options) => client.stepper().advanceClock(1, options),
  advanceToNextDeadline: (client, options) => client.stepper().advanceToNextDeadline(options),
  deleteTopic: (client, options) => client.admin().deleteTopic("orders", options),
  promote: (client, options) => client.admin().promote(PLACE, 1, options),
  fetchOffsets: (client, options) => client.admin().fetchOffsets("g", options),
  groupLag: (client, options) => client.admin().groupLag("g", options),
  listTransactions: (client, options) => client.admin().listTransactions(options),
  abortTransaction: (client, options) => client.admin().abortTransaction("t", options),
  save: (client, options) => client.snapshots().save("a", options),
  load: (client, options) => client.snapshots().load("a", options),
  diff: (client, options) => client.snapshots().diff("a", options),
  history: (client, options) => client.snapshots().history(options),
  arm: (client, options) => client.faults().arm({ point: "request.ping", action: "error" }, options),
  disarmAll: (client, options) => client.faults().disarmAll(options),
  counts: (client, options) =>
    new FaultRule(client, { id: 1, mark: "m" }, { point: "x", action: "error" }).counts(options),
  createTopic: (client, options) => client.admin().createTopic({ topic: "orders" }, options),
  poll: (client, options) => client.consumer().poll(options),
  ready: (client, options) => client.consumer().ready(options),
  records: async (client, options) => client.consumer().records(options),
  batches: async (client, options) => client.consumer().batches(options),
  flush: (client, options) => client.producer().flush(options),
  send: (client, options) => client.producer().send({ topic: "orders", value: "a" }, options),
  sendMany: (client, options) => client.producer().sendMany([{ topic: "orders", value: "a" }], options),
  subscribe: (client, options) => client.consumer({ groupId: "g" }).subscribe("orders", options),
  seek: (client, options) => client.consumer().seek(PLACE, 0, options),
  position: (client, options) => client.consumer().position(PLACE, options),
  lag: (client, options) => client.consumer().lag(options),
  commit: (client, options) => client.consumer({ groupId: "g" }).commit(undefined, options),
  committed: (client, options) => client.consumer({ groupId: "g" }).committed([PLACE], options),
  heartbeat: (client, options) => client.consumer({ groupId: "g" }).heartbeat(options),
  drain: (client, options) => client.producer().drain(options),
  runDueFlushes: (client, options) => client.producer().runDueFlushes(options),
  beginTransaction: (client, options) => client.producer({ transactionalId: "t" }).beginTransaction(options),
  transaction: (client, options) => client.producer({ transactionalId: "t" }).transaction(() => {}, options),
  "a topic to be made": (client, topic) => client.admin().createTopic(topic),
  "a part of a log to be shown": (client, query) => client.admin().dumpLog(query),
  "the close of a consumer": (client, options) => client.consumer().close(options),
  "the close of a producer": (client, options) => client.producer().close(options),
  "the close of a client": (client, options) => client.close(options),
  whenFired: (client, options) =>
    new FaultRule(client, { id: 1, mark: "m" }, { point: "x", action: "error" }).whenFired(1, options),
};

test.each(Object.entries(CALLS))(
  "%s takes no option that it does not know, and none that is no object",
  async (_name, call) => {
    const peer = new ScriptedPeer();
    const client = await connect({ link: peer.link }, { clock: new ManualClock() });
    for (const given of [{ topics: ["orders"] }, { timeout: 5 }, "orders", null, 7])
      expect(await failure(call(client, given as Given)), JSON.stringify(given)).toMatchObject({
        code: "USAGE",
      });
    expect(peer.unread).toEqual([]);
    await client.close();
  },
);

test("a refusal names what was given and what there is", async () => {
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link }, { clock: new ManualClock() });
  const given = { keeep: "folder" } as Given;
  expect((await failure(client.snapshots().save("a", given))).message).toBe(
    'save has no "keeep"; expected keep, timeoutMs, signal',
  );
  expect((await failure(client.stepper().flushLogs(given))).message).toBe(
    'flushLogs, at the end, has no "keeep"; expected timeoutMs, signal',
  );
  const rule = new FaultRule(client, { id: 1, mark: "m" }, { point: "x", action: "error" });
  expect((await failure(rule.whenFired({ timeoutMs: 5 } as Given))).message).toContain("count is");
  await client.close();
});

test.each<[string, (client: Client) => Promise<unknown>, string]>([
  [
    'rollSegment("orders", 0)',
    (client) => client.stepper().rollSegment("orders" as Given, 0 as Given),
    'rollSegment({ topic, partition }) begins with a place, { topic, partition }; got "orders"',
  ],
  [
    "rollSegment()",
    (client) => client.stepper().rollSegment(undefined as Given),
    "rollSegment({ topic, partition }) begins with a place, { topic, partition }; got undefined",
  ],
  [
    "advanceToNextDeadline(1)",
    (client) => client.stepper().advanceToNextDeadline(1 as Given),
    "advanceToNextDeadline takes an object of timeoutMs, signal, got 1",
  ],
  [
    "expireMembers(1)",
    (client) => client.stepper().expireMembers(1 as Given),
    "expireMembers, at the end, takes an object of timeoutMs, signal, got 1",
  ],
  [
    'deleteTopic("orders", 0)',
    (client) => client.admin().deleteTopic("orders", 0 as Given),
    "deleteTopic, at the end, takes an object of timeoutMs, signal, got 0",
  ],
  [
    'listOffsets("orders", 0)',
    (client) => client.admin().listOffsets("orders" as Given, 0 as Given),
    'listOffsets({ topic, partition, at }) begins with a place, { topic, partition }; got "orders"',
  ],
  [
    "listOffsets without a time",
    (client) => client.admin().listOffsets({ ...PLACE, at: undefined as Given }),
    'at is undefined; expected "earliest", "latest", or { timestampMs }',
  ],
  [
    'deleteRecords("orders", 0)',
    (client) => client.admin().deleteRecords("orders" as Given, 0 as Given),
    "deleteRecords({ topic, partition, beforeOffset }) begins with a place",
  ],
  [
    "findInLog(1)",
    (client) => client.admin().findInLog(1 as Given),
    "findInLog({ topic, partition, offset })",
  ],
  [
    'describeTopic("orders", 0)',
    (client) => client.admin().describeTopic("orders", 0 as Given),
    "describeTopic takes an object of timeoutMs, signal, got 0",
  ],
  [
    'describeTopics("orders")',
    (client) => client.admin().describeTopics("orders" as Given),
    'topics is "orders"; expected an array',
  ],
  [
    'describeGroups("billing")',
    (client) => client.admin().describeGroups("billing" as Given),
    'groupIds is "billing"; expected an array',
  ],
  [
    'commitOffsets("billing", 5)',
    (client) => client.admin().commitOffsets("billing", 5 as Given),
    "offsets is 5; expected an array",
  ],
  [
    'groupLag("billing", 0)',
    (client) => client.admin().groupLag("billing", 0 as Given),
    "groupLag takes an object of timeoutMs, signal, got 0",
  ],
])("%s is refused by what was called, with what it takes", async (_call, call, message) => {
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link }, { clock: new ManualClock() });
  const refused = await failure(call(client));
  expect(refused).toMatchObject({ code: "USAGE", message: expect.stringContaining(message) });
  expect(peer.unread).toEqual([]);
  await client.close();
});

test("a transaction whose end is asked for with an option that it does not know stays open", async () => {
  const { producer, client, broker } = await transacting();
  const tx = await producer.beginTransaction();
  await sendTo(tx, "a");
  for (const end of [tx.commit({ timeoutMs: 5 } as Given), tx.abort({ timeoutMs: 5 } as Given)])
    expect((await failure(end)).message).toContain('has no "timeoutMs"; expected signal');
  expect(broker.transactions.ends).toEqual([]);
  await tx.commit();
  expect(broker.values("orders", 0)).toContain("a");
  await client.close();
});

test("a field that has no JSON fails its request alone, also one that waits for a connection", async () => {
  const peer = new ScriptedPeer();
  const client = new Client({ link: peer.link }, { clock: new ManualClock() });
  const circular: { self?: unknown } = {};
  circular.self = circular;
  for (const state of ["before it is connected", "connected"]) {
    const refused = [{ partitions: 3n }, { partitions: circular }].map((fields) =>
      failure(client.admin().createTopic({ topic: "orders", ...(fields as object) })),
    );
    const fine = client.call("metadata", { topic: "orders" });
    for (const each of refused)
      expect(await each, state).toMatchObject({
        code: "USAGE",
        message: expect.stringContaining("create_topic has a field without JSON"),
      });
    (await peer.next("metadata")).answer({ topic: "orders", partitions: [] });
    await fine;
  }
  await client.close();
});

test("an option that has no JSON is shown as it is", async () => {
  const link = new ScriptedPeer().link;
  const client = new Client({ link }, { clock: new ManualClock() });
  expect((await failure(client.consumer().poll(5n as Given))).message).toContain("got 5");
  expect((await failure(client.consumer().poll(Number.NaN as Given))).message).toContain("got NaN");
  expect(() => client.consumer({ groupId: 5n as Given })).toThrow("groupId is 5; expected a name");
  await client.close();
});
