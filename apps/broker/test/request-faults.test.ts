/** Faults at requests: what each action does to the request, to its client, and to everybody else. */
import { OPERATIONS } from "@minikafka/protocol";
import { expect, test } from "vitest";
import { OPERATIONS_WITHOUT_HISTORY } from "../src/history/history.ts";
import { base64, openBroker, Session, settle } from "./support/broker.ts";
import { armFault, endOf, type FaultFields, ruleOf, withOrders } from "./support/faults.ts";

const PRODUCE = { operation: "produce", topic: "orders", value_b64: base64("v") };

test("error: it is answered with the code that was asked for, and is not done; the next one is", async () => {
  const { session, lab } = await withOrders();
  const id = await armFault(lab, { point: "request.produce", action: "error", code: "NOT_ENOUGH_REPLICAS" });
  expect(await session.ask({ ...PRODUCE, id: 7 })).toMatchObject({
    ok: false,
    id: 7,
    code: "NOT_ENOUGH_REPLICAS",
    retriable: true,
    message: expect.stringContaining("request.produce"),
  });
  expect(await endOf(lab)).toBe(0);
  expect(await session.ask(PRODUCE)).toMatchObject({ ok: true, offset: 0 });
  expect(await ruleOf(lab, id)).toMatchObject({ hits: 2, fired: 1, held: 0 });
});

test("error: a produce that asks for no answer gets none, and is not done", async () => {
  const { session, lab } = await withOrders();
  await armFault(lab, { point: "request.produce", action: "error", code: "SHUTTING_DOWN" });
  session.request({ ...PRODUCE, acks: "0", one_way: true });
  expect(await session.ask({ operation: "ping", id: 1 })).toMatchObject({ ok: true, id: 1 });
  expect(await endOf(lab)).toBe(0);
});

test("delay: it takes effect so much later on the broker's clock, and what its client sent behind it after that", async () => {
  const { session, lab } = await withOrders();
  await armFault(lab, { point: "request.produce", action: "delay", delay_ms: 500 });
  session.request({ ...PRODUCE, id: "late" });
  session.request({
    operation: "list_offsets",
    topic: "orders",
    partition: 0,
    timestamp_ms: -1,
    id: "behind",
  });
  await settle();
  await lab.call("advance_clock", { ms: 499 });
  await settle();
  expect([session.answers, await endOf(lab)]).toEqual([[], 0]);
  await lab.call("advance_clock", { ms: 1 });
  expect(await session.answer()).toMatchObject({ id: "late", offset: 0 });
  expect(await session.answer()).toMatchObject({ id: "behind", offset: 1 });
});

test("delay: a fetch that was late waits for records like any other, and holds back nothing then", async () => {
  const { session, lab } = await withOrders();
  await armFault(lab, { point: "request.fetch", action: "delay", delay_ms: 10 });
  session.request({
    operation: "fetch",
    topic: "orders",
    partition: 0,
    offset: 0,
    min_bytes: 1,
    max_wait_ms: 1000,
    id: "poll",
  });
  session.request({ operation: "ping", id: "ping" });
  await settle();
  expect(session.answers).toEqual([]);
  await lab.call("advance_clock", { ms: 10 });
  expect(await session.answer()).toMatchObject({ id: "ping" });
  await lab.ask(PRODUCE);
  expect(await session.answer()).toMatchObject({ id: "poll", next_offset: 1 });
});

test("hold: it waits until it is released, with what its client sent behind it; others are served", async () => {
  const { session, lab } = await withOrders();
  const id = await armFault(lab, { point: "request.produce", action: "hold" });
  session.request({ ...PRODUCE, id: "held" });
  session.request({ operation: "ping", id: "behind" });
  await settle();
  expect(session.answers).toEqual([]);
  expect(await ruleOf(lab, id)).toMatchObject({ held: 1, fired: 1 });
  expect(await lab.ask(PRODUCE)).toMatchObject({ offset: 0 });
  expect(await lab.call("release_fault", { rule_id: id })).toMatchObject({ released: 1 });
  expect(await session.answer()).toMatchObject({ id: "held", offset: 1 });
  expect(await session.answer()).toMatchObject({ id: "behind" });
  expect(await ruleOf(lab, id)).toMatchObject({ held: 0, fired: 1 });
  expect(await lab.call("release_fault", { rule_id: id })).toMatchObject({ released: 0 });
});

test("hold: it takes effect also when its client has gone meanwhile", async () => {
  const { session, lab } = await withOrders();
  const id = await armFault(lab, { point: "request.produce", action: "hold" });
  session.request(PRODUCE);
  await settle();
  session.stream.destroy();
  await settle();
  expect(await endOf(lab)).toBe(0);
  await lab.call("release_fault", { rule_id: id });
  await settle();
  expect(await endOf(lab)).toBe(1);
});

test("who names a mark means the fault that was armed with it, and no other of its number", async () => {
  const { lab } = await withOrders();
  const id = await armFault(lab, { point: "request.produce", action: "hold", mark: "mine" });
  const plain = await armFault(lab, { point: "request.fetch", action: "hold" });
  expect(await ruleOf(lab, id)).toMatchObject({ mark: "mine" });
  expect(await ruleOf(lab, plain)).not.toHaveProperty("mark");
  for (const [rule_id, mark] of [
    [id, "another's"],
    [plain, "mine"],
  ] as const) {
    expect(await lab.ask({ operation: "release_fault", rule_id, mark })).toMatchObject({
      ok: false,
      code: "INVALID_REQUEST",
      message: expect.stringContaining(`no fault is armed under ${rule_id}`),
    });
    expect(await lab.call("disarm_faults", { rule_id, mark })).toMatchObject({ disarmed: 0 });
  }
  expect(await lab.call("release_fault", { rule_id: id, mark: "mine" })).toMatchObject({ released: 0 });
  expect(await lab.call("disarm_faults", { rule_id: id, mark: "mine" })).toMatchObject({ disarmed: 1 });
  expect(await lab.call("disarm_faults", { rule_id: plain })).toMatchObject({ disarmed: 1 });
});

test("hold: disarming lets go as well, in the order of arrival", async () => {
  const { broker, session, lab } = await withOrders();
  await armFault(lab, { point: "request.produce", action: "hold", times: "always" });
  const second = Session.open(broker);
  session.request({ ...PRODUCE, value_b64: base64("first") });
  await settle();
  second.request({ ...PRODUCE, value_b64: base64("second") });
  await settle();
  expect(await lab.call("disarm_faults")).toMatchObject({ disarmed: 1 });
  expect([await session.answer(), await second.answer()]).toMatchObject([{ offset: 0 }, { offset: 1 }]);
});

test("drop_answer: it is done and never answered; answers to what came behind it keep their order", async () => {
  const { session, lab } = await withOrders();
  await armFault(lab, { point: "request.produce", action: "drop_answer" });
  session.request(PRODUCE);
  session.request({ operation: "ping" });
  expect(await session.answer()).toEqual({ ok: true });
  await settle();
  expect([session.answers, session.isClosed, await endOf(lab)]).toEqual([[], false, 1]);
});

test("close: the connection ends, and neither it nor what came behind it is done", async () => {
  const { session, lab } = await withOrders();
  await armFault(lab, { point: "request.produce", action: "close", times: { nth: 2 } });
  session.send([PRODUCE, PRODUCE, PRODUCE].map((request) => `${JSON.stringify(request)}\n`).join(""));
  while ((await session.answer()) !== null);
  expect([session.isClosed, await endOf(lab)]).toEqual([true, 1]);
});

test("close_after: it is done, and the connection ends in place of the answer", async () => {
  const { session, lab } = await withOrders();
  await armFault(lab, { point: "request.produce", action: "close_after" });
  expect(await session.ask({ ...PRODUCE, acks: "all" })).toBeNull();
  expect(await endOf(lab)).toBe(1);
});

test.each([
  ["a fault of action crash", { operation: "ping" }],
  ["the operation crash", { operation: "crash" }],
])(
  "%s: where the process is not the broker's, nothing is answered and nothing more is served",
  async (_what, request) => {
    const broken: Error[] = [];
    const calls: string[] = [];
    const broker = await openBroker({}, undefined, undefined, {
      onBroken: (error) => broken.push(error),
      onCrash: () => calls.push("crash"),
    });
    const [session, other] = [Session.open(broker), Session.open(broker)];
    await armFault(session, { point: "request.ping", action: "crash" });
    expect(await session.ask(request)).toBeNull();
    expect(await other.answer()).toBeNull();
    expect(await Session.open(broker).ask({ operation: "list_topics" })).toBeNull();
    expect([broken, calls]).toMatchObject([[{ name: "CrashSignal" }], ["crash"]]);
  },
);

test("a crash in the background of a program's broker is told once, and nothing more is served", async () => {
  const broken: Error[] = [];
  const settings = {
    clock: "auto",
    start_time: undefined,
    lab: true,
    flush: "interval",
    flush_interval_ms: 10,
  };
  const broker = await openBroker(settings, undefined, undefined, {
    onBroken: (error) => broken.push(error),
  });
  const lab = Session.open(broker);
  await lab.call("create_topic", { topic: "orders", partitions: 1 });
  await armFault(lab, { point: "log.flush.before_sync", action: "crash", times: "always" });
  lab.request(PRODUCE);
  while ((await lab.answer()) !== null);
  expect(await Session.open(broker).ask({ operation: "ping" })).toBeNull();
  expect(broken).toMatchObject([{ name: "CrashSignal", point: "log.flush.before_sync" }]);
});

test("what is held or delayed when the broker stops is not done, and told so", async () => {
  const { broker, session, lab } = await withOrders();
  await armFault(lab, { point: "request.produce", action: "hold" });
  await armFault(lab, { point: "request.create_topic", action: "delay", delay_ms: 3_600_000 });
  session.request(PRODUCE);
  const second = Session.open(broker);
  second.request({ operation: "create_topic", topic: "late", partitions: 1 });
  await settle();
  const closed = broker.close();
  for (const each of [session, second]) expect(await each.answer()).toMatchObject({ code: "SHUTTING_DOWN" });
  await closed;
});

test("of several faults at a request the first that acts ends the hit", async () => {
  const { session, lab } = await withOrders();
  const order: FaultFields = { point: "request.ping", action: "error" };
  const first = await armFault(lab, { ...order, code: "BROKER_FAILED", times: { nth: 2 } });
  const second = await armFault(lab, { ...order, code: "STORAGE_ERROR", times: "always" });
  const codes = [];
  for (let count = 0; count < 3; count += 1) codes.push((await session.ask({ operation: "ping" }))?.code);
  expect(codes).toEqual(["STORAGE_ERROR", "BROKER_FAILED", "STORAGE_ERROR"]);
  expect(await ruleOf(lab, first)).toMatchObject({ hits: 3, fired: 1 });
  expect(await ruleOf(lab, second)).toMatchObject({ hits: 2, fired: 2 });
});

test("by chance the same seed hits the same requests, and another one others", async () => {
  const { session, lab } = await withOrders();
  const run = async (seed: number): Promise<string> => {
    const times = { probability: 0.5, seed };
    await armFault(lab, { point: "request.ping", action: "error", code: "BROKER_FAILED", times });
    let hits = "";
    for (let count = 0; count < 24; count += 1)
      hits += (await session.ask({ operation: "ping" }))?.ok === true ? "-" : "x";
    await lab.call("disarm_faults");
    return hits;
  };
  const once = await run(1);
  expect(once).toMatch(/x.*-.*x/);
  expect(await run(1)).toBe(once);
  expect(await run(2)).not.toBe(once);
});

test("every operation can have faults, but those of faults themselves, and of the history that tells of them", async () => {
  const { lab } = await withOrders();
  const { points } = await lab.call("list_faults");
  const named = points.map(({ point }) => point).filter((point) => point.startsWith("request."));
  const ofFaults = ["list_faults", "arm_fault", "disarm_faults", "release_fault", "crash"];
  const own = [...ofFaults, ...OPERATIONS_WITHOUT_HISTORY] as readonly string[];
  expect(named).toEqual(
    Object.keys(OPERATIONS)
      .filter((name) => !own.includes(name))
      .map((name) => `request.${name}`),
  );
});

test("each fault that acts is an event, with its point, its action and which hit it was", async () => {
  const { broker, session, lab } = await withOrders();
  await lab.call("watch", { kinds: ["fault_fired"] });
  const other = Session.open(broker);
  await armFault(other, { point: "request.ping", action: "drop_answer", times: { nth: 2 } });
  for (let count = 0; count < 3; count += 1) session.request({ operation: "ping" });
  expect(await lab.answer()).toMatchObject({
    event: { kind: "fault_fired", point: "request.ping", action: "drop_answer", hit: 2, rule_id: 1 },
  });
});

test("a watch for faults of a mark is told of these alone, with their marks, which no other watch is told", async () => {
  const { broker, session, lab } = await withOrders();
  await lab.call("watch", { kinds: ["fault_fired"], fault_mark: "mine." });
  const all = Session.open(broker);
  await all.call("watch", { kinds: ["fault_fired"] });
  const other = Session.open(broker);
  const order = { point: "request.ping", action: "drop_answer" } as const;
  for (const mark of [undefined, "yours.1", "mine.2"]) await armFault(other, { ...order, mark });
  for (let count = 0; count < 3; count += 1) session.request({ operation: "ping" });
  expect(await lab.answer()).toMatchObject({ event: { rule_id: 3, mark: "mine.2" } });
  for (const rule_id of [1, 2, 3]) {
    const told = await all.answer();
    expect(told).toMatchObject({ event: { rule_id } });
    expect(told).not.toHaveProperty("event.mark");
  }
});

test("who watches for faults of a mark passes no point, so that no fault is set off, or hidden, by a question about faults", async () => {
  const { broker, lab } = await withOrders();
  const id = await armFault(lab, { point: "request.watch", action: "close", times: "always" });
  const asking = Session.open(broker);
  await asking.call("watch", { kinds: ["fault_fired"], fault_mark: "mine." });
  expect(await ruleOf(lab, id)).toMatchObject({ hits: 0 });
  const other = Session.open(broker);
  expect(await other.ask({ operation: "watch", kinds: ["fault_fired"] })).toBeNull();
  expect(await ruleOf(lab, id)).toMatchObject({ hits: 1, fired: 1 });
});

test("without --lab there are no faults, and nobody crashes the broker", async () => {
  const broker = await openBroker({ clock: "auto", start_time: undefined });
  const session = Session.open(broker);
  for (const request of [
    { operation: "arm_fault", point: "request.ping", action: "close" },
    { operation: "disarm_faults" },
    { operation: "release_fault", rule_id: 1 },
    { operation: "crash" },
  ])
    expect(await session.ask(request)).toMatchObject({ code: "STEPPING_DISABLED" });
  // Where they could be is no secret: the points are the same as with --lab, and none is armed.
  const { lab } = await withOrders();
  const { points } = await lab.call("list_faults");
  expect(await session.ask({ operation: "list_faults" })).toMatchObject({ points, rules: [] });
});
