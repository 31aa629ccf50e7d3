/** Faults, as a program arms them and asks whether they acted. */
import { expect, test } from "vitest";
import { failure } from "../test/support/failure.ts";
import { quiet, ScriptedPeer } from "../test/support/scripted-peer.ts";
import { connect } from "./client.ts";
import { ManualClock } from "./clock.ts";
import type { FaultOrder } from "./fault-order.ts";

async function arming() {
  const peer = new ScriptedPeer();
  const clock = new ManualClock();
  const client = await connect({ link: peer.link }, { clock });
  const faults = client.faults();
  let mark: string | undefined;
  const arm = async (order: FaultOrder) => {
    const armed = faults.arm(order);
    const request = await peer.next("arm_fault");
    mark = request.fields.mark;
    request.answer({ rule_id: 3 });
    return { request, rule: await armed };
  };
  const list = async (counts: object, rule_id = 3) => {
    const order = { rule_id, point: "request.produce", action: "error", times: "once" as const };
    const rule = { ...order, mark, hits: 0, fired: 0, held: 0, ...counts };
    (await peer.next("list_faults")).answer({ points: [], rules: [rule] });
  };
  return { peer, clock, client, faults, arm, list };
}

test("a fault is armed with all that it is bound by, in the wire's names", async () => {
  const { client, arm } = await arming();
  const { request, rule } = await arm({
    point: "request.produce",
    action: "delay",
    times: { probability: 0.5, seed: 7 },
    delayMs: 20,
    topic: "orders",
    partition: 1,
    brokerId: 2,
    groupId: "g",
    transactionalId: "t",
  });
  expect(request.fields).toMatchObject({
    point: "request.produce",
    action: "delay",
    times: { probability: 0.5, seed: 7 },
    delay_ms: 20,
    topic: "orders",
    partition: 1,
    broker_id: 2,
    group_id: "g",
    transactional_id: "t",
  });
  expect(rule.id).toBe(3);
  await client.close();
});

test("what no fault has is refused at the call", async () => {
  const { client, faults } = await arming();
  const order = { point: "request.produce", action: "delay", delay: 5 } as FaultOrder;
  expect(await failure(faults.arm(order))).toMatchObject({
    code: "USAGE",
    message: expect.stringContaining('a fault has no "delay"'),
  });
  await client.close();
});

test("a fault that never acted says so, with how many hits it saw", async () => {
  const { client, arm, list } = await arming();
  const { rule } = await arm({ point: "request.produce", action: "error", code: "STORAGE_ERROR" });
  const asserted = failure(rule.assertFired());
  await list({ hits: 1 });
  expect(await asserted).toMatchObject({
    code: "FAULT_NOT_FIRED",
    retriable: false,
    message: "the fault 3 (error at request.produce) never fired, after 1 hit",
    details: { ruleId: 3, hits: 1 },
  });
  const unseen = failure(rule.assertFired());
  await list({});
  expect(await unseen).toMatchObject({
    message:
      "the fault 3 (error at request.produce) never fired, after 0 hits; Kafka's clients pass kafka.Produce and the like",
  });
  const fine = rule.assertFired();
  await list({ hits: 4, fired: 1 });
  await fine;
  const counts = Promise.all([rule.hits(), rule.fired()]);
  await list({ hits: 4, fired: 1 });
  await list({ hits: 4, fired: 1 });
  expect(await counts).toEqual([4, 1]);
  await client.close();
});

test("a fault that its broker has forgotten has no counts any more", async () => {
  const { client, arm, list } = await arming();
  const { rule } = await arm({ point: "request.produce", action: "close" });
  const asserted = failure(rule.assertFired());
  await list({}, 1);
  expect(await asserted).toMatchObject({
    code: "USAGE",
    message: expect.stringContaining("not armed any more"),
  });
  await client.close();
});

test("a fault that has its number since a restart of the broker is another one", async () => {
  const { peer, client, arm, list } = await arming();
  const { rule } = await arm({ point: "request.produce", action: "hold" });
  const { request, rule: other } = await arm({ point: "request.produce", action: "hold" });
  expect(other.id).toBe(rule.id);
  const counted = failure(rule.counts());
  await list({ fired: 1 });
  expect(await counted).toMatchObject({
    code: "USAGE",
    message: expect.stringContaining("not armed any more"),
  });
  const fired = other.fired();
  await list({ fired: 1 });
  expect(await fired).toBe(1);
  for (const [operation, act] of [
    ["release_fault", () => other.release()],
    ["disarm_faults", () => other.disarm()],
  ] as const) {
    act().catch(() => undefined);
    expect((await peer.next(operation)).fields).toMatchObject({ rule_id: 3, mark: request.fields.mark });
  }
  await client.close();
});

test("whenFired looks again at each fault that acts, and leaves no connection", async () => {
  const { peer, client, arm, list } = await arming();
  const { rule, request } = await arm({ point: "request.produce", action: "hold", times: "always" });
  const fired = rule.whenFired(2);
  const watch = await peer.next("watch");
  expect(watch.fields.kinds).toEqual(["fault_fired"]);
  watch.answer({});
  await list({ fired: 1, held: 1 });
  const event = {
    number: 9,
    time_ms: 1,
    kind: "fault_fired",
    point: "request.produce",
    action: "hold",
    hit: 2,
    mark: request.fields.mark,
  };
  watch.write(`${JSON.stringify({ event })}\n`);
  await list({ fired: 2, held: 2 });
  await fired;
  expect(peer.openLinkCount).toBe(1);
  await client.close();
});

test("whenFired ends with CLOSED when its client is closed meanwhile, and holds nobody up", async () => {
  const { peer, client, arm, list } = await arming();
  const { rule } = await arm({ point: "request.produce", action: "close" });
  const fired = failure(rule.whenFired());
  (await peer.next("watch")).answer({});
  await list({ fired: 0 });
  await client.close();
  expect(await fired).toMatchObject({ code: "CLOSED" });
});

test("whenFired asks again where the fault has closed the connection of its question", async () => {
  const { peer, clock, client, arm, list } = await arming();
  const { rule } = await arm({ point: "request.produce", action: "close_after" });
  const fired = rule.whenFired();
  (await peer.next("watch")).answer({});
  (await peer.next("list_faults")).hangUp();
  await quiet();
  clock.advance(1_000);
  await list({ fired: 1 });
  await fired;
  await client.close();
});

test("whenFired watches anew where the connection of its watch alone was lost, whatever closed it", async () => {
  const { peer, client, arm, list } = await arming();
  const { rule } = await arm({ point: "request.produce", action: "close" });
  const fired = rule.whenFired();
  const watch = await peer.next("watch");
  watch.answer({});
  await list({ fired: 0 });
  watch.hangUp();
  (await peer.next("watch")).answer({});
  await list({ fired: 1 });
  await fired;
  await client.close();
});

test("what is no hold, or is not armed any more, is not released: USAGE says so in the words of the SDK", async () => {
  const { peer, client, arm } = await arming();
  const { rule: closing } = await arm({ point: "request.produce", action: "close" });
  expect(await failure(closing.release())).toMatchObject({
    code: "USAGE",
    message:
      "the fault 3 (close at request.produce) holds nothing: release() is for the action hold, disarm() for all",
  });
  const { rule: gone } = await arm({ point: "request.produce", action: "hold" });
  const released = failure(gone.release());
  (await peer.next("release_fault")).refuse("INVALID_REQUEST");
  expect(await released).toMatchObject({
    code: "USAGE",
    message: expect.stringContaining("not armed any more"),
  });
  await client.close();
});

test("who waits behind what it has held itself is told to use a second client", async () => {
  const { peer, clock, client, arm } = await arming();
  const { rule } = await arm({ point: "request.produce", action: "hold" });
  const fired = failure(rule.whenFired(1, { timeoutMs: 20 }));
  (await peer.next("watch")).answer({});
  await peer.next("list_faults");
  clock.advance(20);
  expect(await fired).toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("a second client") });
  await client.close();
});

test("a fault acts by an event with its own mark alone: one of its number may be another's since a restart", async () => {
  const { peer, client, arm } = await arming();
  const { rule, request } = await arm({ point: "request.produce", action: "close" });
  let isOver = false;
  const fired = rule.whenFired().finally(() => {
    isOver = true;
  });
  const watch = await peer.next("watch");
  watch.answer({});
  const event = { number: 9, time_ms: 1, kind: "fault_fired", point: "request.produce", action: "close" };
  const tell = (mark?: string) =>
    watch.write(`${JSON.stringify({ event: { ...event, hit: 1, rule_id: 3, mark } })}\n`);
  tell();
  tell(`${request.fields.mark}0`);
  await quiet();
  expect(isOver).toBe(false);
  tell(request.fields.mark);
  await fired;
  await client.close();
});

test("no two faults have a mark in common, whatever chance a program gives its clients", async () => {
  const marks = new Set<string | undefined>();
  for (let program = 0; program < 2; program += 1) {
    const peer = new ScriptedPeer();
    const client = await connect({ link: peer.link }, { clock: new ManualClock(), random: () => 0.5 });
    for (const faults of [client.faults(), client.faults()]) {
      for (let order = 0; order < 2; order += 1) {
        const armed = faults.arm({ point: "request.produce", action: "close" });
        const request = await peer.next("arm_fault");
        marks.add(request.fields.mark);
        request.answer({ rule_id: 1 });
        await armed;
      }
    }
    await client.close();
  }
  expect(marks.size).toBe(8);
});

test.each([
  ["its rule", 0],
  ["disarmAll", 1],
  ["somebody else", 2],
])("whenFired ends with USAGE when its fault is disarmed by %s", async (_who, how) => {
  const { peer, clock, client, faults, arm, list } = await arming();
  const { rule } = await arm({ point: "request.produce", action: "error", code: "STORAGE_ERROR" });
  const fired = failure(rule.whenFired());
  (await peer.next("watch")).answer({});
  await list({ hits: 0 });
  await quiet();
  if (how < 2) {
    const disarmed = how === 0 ? rule.disarm() : faults.disarmAll();
    (await peer.next("disarm_faults")).answer({ disarmed: 1 });
    await disarmed;
  } else clock.advance(500);
  await list({}, 4);
  expect(await fired).toMatchObject({ code: "USAGE", message: expect.stringContaining("was disarmed") });
  expect(peer.openLinkCount).toBe(1);
  await client.close();
});

test("timeoutMs bounds the whole wait of whenFired, which says what was seen so far", async () => {
  const { peer, clock, client, arm, list } = await arming();
  const { rule } = await arm({ point: "request.produce", action: "close", times: { first: 3 } });
  const fired = failure(rule.whenFired(2, { timeoutMs: 300 }));
  (await peer.next("watch")).answer({});
  await list({ hits: 4, fired: 1 });
  await quiet();
  clock.advance(300);
  expect(await fired).toMatchObject({
    code: "TIMEOUT",
    message:
      "the fault 3 (close at request.produce) did not act within 300 ms: it acted 1 of 2 times, after 4 hits",
    details: { ruleId: 3, timeoutMs: 300, hits: 4, fired: 1 },
  });
  expect(peer.openLinkCount).toBe(1);
  await client.close();
});

test.each([
  ["once", undefined, 2, "once at most"],
  ["once", "once", 2, "once at most"],
  ["at its third hit", { nth: 3 }, 2, "once at most"],
  ["three times", { first: 3 }, 4, "3 times at most"],
] as const)("of a fault that acts %s nobody waits for more", async (_often, times, count, says) => {
  const { client, arm } = await arming();
  const { rule } = await arm({ point: "request.produce", action: "close", times });
  expect(await failure(rule.whenFired(count))).toMatchObject({
    code: "USAGE",
    message: expect.stringContaining(says),
  });
  await client.close();
});

test("a hold is released, a fault disarmed, also at the end of a block", async () => {
  const { peer, client, faults, arm } = await arming();
  const { rule } = await arm({ point: "request.produce", action: "hold" });
  const released = rule.release();
  const request = await peer.next("release_fault");
  expect(request.fields.rule_id).toBe(3);
  request.answer({ released: 2 });
  expect(await released).toBe(2);
  const disposed = rule[Symbol.asyncDispose]();
  const disarm = await peer.next("disarm_faults");
  expect(disarm.fields.rule_id).toBe(3);
  disarm.answer({ disarmed: 0 });
  await disposed;
  const all = faults.disarmAll();
  const everything = await peer.next("disarm_faults");
  expect(everything.fields.rule_id).toBeUndefined();
  everything.answer({ disarmed: 4 });
  expect(await all).toBe(4);
  await client.close();
});

test("crash is over when the connection breaks; a refusal is an error", async () => {
  const { peer, client, faults } = await arming();
  const refused = failure(faults.crash());
  (await peer.next("crash")).refuse("STEPPING_DISABLED");
  expect(await refused).toMatchObject({ code: "STEPPING_DISABLED" });
  const crashed = faults.crash();
  await peer.next("crash");
  peer.breakLink();
  await crashed;
  await client.close();
});
