/**
 * A time that no timer can hold is refused at the call: Node would take it for none, and what was under way beside it would fail with it.
 * So is a signal that is none, which would fail later, somewhere else.
 */
import { expect, test } from "vitest";
import { failure } from "../test/support/failure.ts";
import { ScriptedPeer } from "../test/support/scripted-peer.ts";
import { Admin } from "./admin.ts";
import { Client, connect } from "./client.ts";
import { ManualClock } from "./clock.ts";
import { FaultRule } from "./fault-rule.ts";
import { Faults } from "./faults.ts";
import { askedWaitMs } from "./operation-answer.ts";
import { Snapshots } from "./snapshots.ts";
import { Stepper } from "./stepper.ts";
import { checkedInteger } from "./usage.ts";

const PLACE = { topic: "orders", partition: 0 };
const TIMES = [2 ** 31, Number.POSITIVE_INFINITY, Number.NaN, -1, 1.5, "5", null];

/** By what they are called on; each with what it is given before its options. */
const CALLS = {
  admin: {
    createTopic: [{ topic: "orders" }],
    createPartitions: ["orders", 2],
    deleteTopic: ["orders"],
    listTopics: [],
    describeConfig: ["orders"],
    alterConfig: ["orders", {}],
    metadata: ["orders"],
    describeTopic: ["orders"],
    describeTopics: [["orders"]],
    listOffsets: [{ ...PLACE, at: "latest" }],
    deleteRecords: [{ ...PLACE, beforeOffset: 0 }],
    describePartition: [PLACE],
    dumpLog: [PLACE],
    findInLog: [{ ...PLACE, offset: 0 }],
    promote: [PLACE, 1],
    removeFromIsr: [PLACE, 1],
    rejoin: [PLACE, 1],
    stopBroker: [1],
    startBroker: [1],
    listGroups: [],
    describeGroup: ["g"],
    describeGroups: [["g"]],
    deleteGroup: ["g"],
    deleteOffsets: ["g", [PLACE]],
    fetchOffsets: ["g"],
    commitOffsets: ["g", [{ ...PLACE, offset: 0 }]],
    groupLag: ["g"],
    listTransactions: [],
    describeTransaction: ["t"],
    abortTransaction: ["t"],
    describeCluster: [],
  },
  stepper: {
    clock: [],
    advanceClock: [1],
    next: [],
    runUntilQuiet: [],
    advanceToNextDeadline: [],
    rollSegment: [PLACE],
    applyRetention: [],
    compact: [],
    expireProducers: [],
    expireMembers: [],
    expireOffsets: [],
    expireTransactions: [],
    replicateOnce: [],
    refreshIsr: [],
    flushLogs: [],
  },
  snapshots: { save: ["a"], load: ["a"], list: [], delete: ["a"], diff: ["a"], history: [] },
  faults: { arm: [{ point: "request.ping", action: "crash" }], list: [], disarmAll: [], crash: [] },
  rule: { counts: [], hits: [], fired: [], assertFired: [], whenFired: [1], release: [], disarm: [] },
  client: { call: ["ping", {}], callOneWay: ["ping", {}], raw: ["ping", {}], close: [] },
  producer: { close: [] },
  consumer: { poll: [], ready: [], close: [] },
};

type Called = { readonly [call: string]: (...given: readonly unknown[]) => Promise<unknown> };

function partsOf(client: Client): { readonly [part: string]: unknown } {
  return {
    client,
    admin: client.admin(),
    stepper: client.stepper(),
    snapshots: client.snapshots(),
    faults: client.faults(),
    rule: new FaultRule(client, { id: 1, mark: "m" }, { point: "request.ping", action: "hold" }),
    producer: client.producer(),
    consumer: client.consumer(),
  };
}

const ROWS = Object.entries(CALLS).flatMap(([part, calls]) =>
  Object.entries(calls).map(([call, given]): [string, string, readonly unknown[]] => [part, call, given]),
);

test.each(ROWS)(
  "%s.%s takes no time that no timer can hold, and sends nothing",
  async (part, call, given) => {
    const peer = new ScriptedPeer();
    const client = await connect({ link: peer.link }, { clock: new ManualClock() });
    const called = partsOf(client)[part] as Called;
    for (const timeoutMs of TIMES) {
      const shown = typeof timeoutMs === "string" ? `"${timeoutMs}"` : String(timeoutMs);
      expect(await failure(Promise.resolve(called[call]?.(...given, { timeoutMs })))).toMatchObject({
        code: "USAGE",
        message: `timeoutMs is ${shown}; expected an integer from 0 to 2147483647`,
      });
    }
    expect(peer.unread).toEqual([]);
    await client.close();
  },
);

const HALF = { aborted: false, throwIfAborted: () => undefined };
const SIGNALS = [5, "stop", null, {}, HALF, new AbortController()];

test.each(ROWS)(
  "%s.%s takes nothing for a signal that is none, and sends nothing",
  async (part, call, given) => {
    const peer = new ScriptedPeer();
    const client = await connect({ link: peer.link }, { clock: new ManualClock() });
    const called = partsOf(client)[part] as Called;
    for (const signal of SIGNALS)
      expect(await failure(Promise.resolve(called[call]?.(...given, { signal })))).toMatchObject(NO_SIGNAL);
    expect(peer.unread).toEqual([]);
    await client.close();
  },
);

const NO_SIGNAL = {
  code: "USAGE",
  message: expect.stringMatching(/^signal is .*; expected an AbortSignal$/),
};
const TAKES_A_SIGNAL: [string, (client: Client, options: Given) => unknown][] = [
  ["connect", (_, options) => connect({ link: new ScriptedPeer().link }, options)],
  ["client.open", (client, options) => client.open(options)],
  ["stepper.events", (client, options) => client.stepper().events(options)],
  ["consumer.subscribe", (client, options) => client.consumer(inGroup({})).subscribe("orders", options)],
  ["consumer.records", (client, options) => client.consumer({}).records(options)],
  ["consumer.batches", (client, options) => client.consumer({}).batches(options)],
  ["consumer.readable", (client, options) => client.consumer({}).readable(options)],
  ["producer.send", (client, options) => client.producer().send({ topic: "orders", value: "a" }, options)],
  ["producer.flush", (client, options) => client.producer().flush(options)],
  ["producer.writable", (client, options) => client.producer().writable(options)],
];

test.each(TAKES_A_SIGNAL)("%s takes nothing for a signal that is none", async (_call, act) => {
  const client = await connect({ link: new ScriptedPeer().link }, { clock: new ManualClock() });
  for (const signal of SIGNALS) {
    const given = { signal } as unknown as Given;
    expect(await failure((async () => act(client, given))())).toMatchObject(NO_SIGNAL);
  }
  await client.close();
});

/** The events of a stepper go on until somebody ends them. */
const WITHOUT_TIME = ["constructor", "events"];

test.each([
  ["admin", Admin],
  ["stepper", Stepper],
  ["snapshots", Snapshots],
  ["faults", Faults],
] as const)("all that is called on %s is asked so", (part, { prototype }) => {
  const calls = Object.getOwnPropertyNames(prototype).filter((name) => !WITHOUT_TIME.includes(name));
  expect(Object.keys(CALLS[part]).sort()).toEqual(calls.sort());
});

type Given = never;
const OPTIONS: [string, number, (client: Client, options: Given) => unknown][] = [
  ["requestTimeoutMs", 2 ** 31, (_, options) => new Client({}, options)],
  ["connectTimeoutMs", 2 ** 31, (_, options) => new Client({}, options)],
  ["lingerMs", 2 ** 31 - 1, (client, options) => client.producer(options)],
  ["deliveryTimeoutMs", 2 ** 31, (client, options) => client.producer(options)],
  ["fetchWaitMs", 2 ** 31, (client, options) => client.consumer(options)],
  ["autoCommitIntervalMs", 2 ** 31, (client, options) => client.consumer(inGroup(options))],
  ["heartbeatIntervalMs", 2 ** 31, (client, options) => client.consumer(inGroup(options))],
  ["sessionTimeoutMs", 2 ** 31, (client, options) => client.consumer(inGroup(options))],
  ["rebalanceTimeoutMs", 2 ** 31, (client, options) => client.consumer(inGroup(options))],
];

function inGroup(options: object) {
  return { groupId: "g", ...options };
}

test.each(OPTIONS)("nor is there a timer for such a %s", async (name, tooLong, make) => {
  const client = new Client({ link: new ScriptedPeer().link }, { clock: new ManualClock() });
  for (const given of [tooLong, Number.POSITIVE_INFINITY, Number.NaN, -1, 1.5, "5"])
    expect(() => make(client, { [name]: given } as Given), String(given)).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringContaining(`${name} is `) }),
    );
  await client.close();
});

test("the longest time that a timer can hold is not made longer by what a request waits for", async () => {
  const delaysMs: number[] = [];
  const clock = new ManualClock();
  const after = clock.after.bind(clock);
  clock.after = (delayMs, action) => {
    delaysMs.push(delayMs);
    return after(delayMs, action);
  };
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link }, { clock, requestTimeoutMs: 2 ** 31 - 1 });
  const fetched = client.call("fetch", { ...PLACE, offset: 0, max_wait_ms: 5 }).catch(() => null);
  await peer.next("fetch");
  expect(Math.max(...delaysMs)).toBe(2 ** 31 - 1);
  await client.close();
  await fetched;
});

test("what a request asks for that is no wait shortens the time for its answer by nothing", () => {
  for (const max_wait_ms of [-5, Number.NaN, "5"]) expect(askedWaitMs("fetch", { max_wait_ms })).toBe(0);
  expect(askedWaitMs("produce", { acks: "all", timeout_ms: -5 })).toBe(0);
  expect(askedWaitMs("fetch", { max_wait_ms: 5 })).toBe(5);
});

test("the most that a call may take is a number, in which its default fits", async () => {
  const client = new Client({ link: new ScriptedPeer().link }, { clock: new ManualClock() });
  for (const timeoutMsMax of [Number.NaN, -1])
    expect(await failure(client.call("ping", {}, { timeoutMsMax }))).toMatchObject({
      code: "USAGE",
      message: `timeoutMsMax is ${timeoutMsMax}; expected a number of at least 0`,
    });
  await client.close();
});

test("what is no integer is shown as what it is", () => {
  expect(() => checkedInteger("count", "1" as Given, 1)).toThrow(
    'count is "1"; expected an integer of at least 1',
  );
  expect(() => checkedInteger("count", { timeoutMs: 5 } as Given, 1)).toThrow('count is {"timeoutMs":5}');
});
