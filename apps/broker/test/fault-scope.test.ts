/** What a fault is bound to, what it is refused with, and the faults of the kernel over the wire. */
import { FaultPoints } from "@minikafka/core";
import { expect, test } from "vitest";
import { base64, openBroker, Session, settle } from "./support/broker.ts";
import { armFault, endOf, type FaultFields, ruleOf, withOrders } from "./support/faults.ts";

const at = { topic: "orders", partition: 1 };
const commit = (group_id: string, partition: number) => ({
  operation: "commit_offsets",
  group_id,
  offsets: [{ topic: "orders", partition, offset: 0 }],
});

test.each<[scope: Partial<FaultFields>, operation: string, without: object, within: object]>([
  [{ topic: "orders" }, "describe_partition", { ...at, topic: "other" }, at],
  [at, "describe_partition", { ...at, partition: 0 }, at],
  [{ partition: 1 }, "describe_partition", { ...at, partition: 0 }, { ...at, topic: "other" }],
  [
    at,
    "fetch_many",
    {
      partitions: [
        { topic: "orders", partition: 0, offset: 0 },
        { topic: "other", partition: 1, offset: 0 },
      ],
    },
    {
      partitions: [
        { topic: "other", partition: 0, offset: 0 },
        { ...at, offset: 0 },
      ],
    },
  ],
  [{ group_id: "a" }, "commit_offsets", commit("b", 0), commit("a", 0)],
  [{ group_id: "a", partition: 1 }, "commit_offsets", commit("a", 0), commit("a", 1)],
  [{ transactional_id: "t" }, "init_producer", { transactional_id: "other" }, { transactional_id: "t" }],
  [{ broker_id: 1 }, "dump_log", { ...at, broker_id: 2 }, { ...at, broker_id: 1 }],
])("bound by %j, %s without it passes and within it does not", async (scope, operation, without, within) => {
  const { session, lab } = await withOrders();
  const id = await armFault(lab, {
    point: `request.${operation}`,
    action: "error",
    code: "INVALID_TRANSACTION_STATE",
    ...scope,
  });
  const codeOf = async (fields: object) => (await session.ask({ operation, ...fields }))?.code;
  expect(await codeOf(without)).not.toBe("INVALID_TRANSACTION_STATE");
  expect(await ruleOf(lab, id)).toMatchObject({ hits: 0, ...scope });
  expect(await codeOf(within)).toBe("INVALID_TRANSACTION_STATE");
  expect(await ruleOf(lab, id)).toMatchObject({ hits: 1, fired: 1 });
});

test.each<[order: object, message: RegExp]>([
  [{ point: "request.nothing", action: "crash" }, /^point: there is no request\.nothing; list_faults/],
  [
    { point: "request.ping", action: "crash", times: { frist: 2 } },
    /^times: expected "once", "always", \{"nth": N\}, \{"first": N\} or /,
  ],
  [{ point: "toString", action: "crash" }, /^point: there is no toString/],
  [{ point: "request.arm_fault", action: "close" }, /^point: there is no request\.arm_fault/],
  [{ point: "", action: "crash" }, /^point: /],
  ...[
    ["request.prodcue", "request.produce"],
    ["produce", "request.produce"],
    ["kafka.Producee", "kafka.Produce"],
    ["log.append.befor_write", "log.append.before_write"],
  ].map(([point = "", meant = ""]): [object, RegExp] => [
    { point, action: "crash" },
    new RegExp(`^point: there is no ${point}; did you mean ${meant}\\? list_faults names all points$`),
  ]),
  ...["nowhere.at.all", "request.nope"].map((point): [object, RegExp] => [
    { point, action: "crash" },
    new RegExp(`^point: there is no ${point}; list_faults names all points$`),
  ]),
  [{ action: "crash" }, /^point: expected text of 1 to 100 characters, but it is missing$/],
  [{ point: "request.ping", action: "explode" }, /^action: .*"error"/],
  [
    { point: "request.watch", action: "drop_answer" },
    /^action: request\.watch takes error, close, crash, got drop_answer$/,
  ],
  [
    { point: "log.append.before_write", action: "close" },
    /^action: log\.append\.before_write takes error, crash/,
  ],
  [
    { point: "log.append.before_write", action: "hold" },
    /^action: log\.append\.before_write takes error, crash/,
  ],
  [
    { point: "request.ping", action: "close-after" },
    /^action: expected "error", .* or "crash" \(did you mean "close_after"\?\), received "close-after"$/,
  ],
  [{ point: "request.ping", action: "error" }, /^code: expected it beside action error at request\.ping$/],
  [{ point: "request.ping", action: "error", code: "toString" }, /^code: expected a code of the error table/],
  ...[
    ["NOT_ENOUGH_REPLICA", "NOT_ENOUGH_REPLICAS"],
    ["NOT_ENOGH", "NOT_ENOUGH_REPLICAS"],
    ["not_leader_or_folower", "NOT_LEADER_OR_FOLLOWER"],
  ].map(([code = "", meant = ""]): [object, RegExp] => [
    { point: "request.ping", action: "error", code },
    new RegExp(
      `^code: expected a code of the error table.* \\(did you mean ${meant}\\?\\), received "${code}"$`,
    ),
  ]),
  [
    { point: "request.ping", action: "error", code: "UNKNOWN_TOPIC", errno: "EIO" },
    /^errno: it says nothing beside/,
  ],
  [{ point: "request.ping", action: "error", errno: "EPERM" }, /^errno: /],
  [{ point: "request.ping", action: "delay" }, /^delay_ms: expected it beside action delay/],
  [{ point: "request.ping", action: "delay", delay_ms: -1 }, /^delay_ms: /],
  [{ point: "request.ping", action: "delay", delay_ms: 86_400_001 }, /^delay_ms: /],
  [{ point: "request.ping", action: "close", delay_ms: 5 }, /^delay_ms: it says nothing beside action close/],
  [
    { point: "request.ping", action: "close", topic: "orders" },
    /^topic: request\.ping can be bound by nothing$/,
  ],
  [
    { point: "request.metadata", action: "close", partition: 0 },
    /^partition: request\.metadata can be bound by topic$/,
  ],
  [
    { point: "log.append.before_write", action: "error", group_id: "g" },
    /^group_id: .* bound by topic, partition, broker_id$/,
  ],
  [
    { point: "log.append.before_write", action: "error", bytes_written: 5 },
    /^a short write is an error at disk\.write\.before/,
  ],
  [{ point: "log.append.before_write", action: "crash", errno: "EIO" }, /^errno: it says nothing beside/],
  [{ point: "log.flush.before_sync", action: "delay" }, /^delay_ms: expected it beside action delay/],
  [
    { point: "log.append.before_write", action: "error", code: "UNKNOWN_TOPIC" },
    /^code: it says nothing beside action error at .*, which takes errno and bytes_written$/,
  ],
  [{ point: "request.ping", action: "close", times: "twice" }, /^times: /],
  [{ point: "request.ping", action: "close", times: { nth: 0 } }, /^times/],
  [{ point: "request.ping", action: "close", times: { first: 1.5 } }, /^times/],
  [{ point: "request.ping", action: "close", times: { nth: 1, first: 1 } }, /^times/],
  [{ point: "request.ping", action: "close", times: { probability: 0, seed: 1 } }, /^times/],
  [{ point: "request.ping", action: "close", times: { probability: 1.1, seed: 1 } }, /^times/],
  [{ point: "request.ping", action: "close", times: { probability: 0.5 } }, /^times/],
  [{ point: "request.ping", action: "close", when: "now" }, /when/],
])("%j is refused, and arms nothing", async (order, message) => {
  const { lab } = await withOrders();
  expect(await lab.ask({ operation: "arm_fault", ...order })).toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringMatching(message),
  });
  expect(await lab.call("list_faults")).toMatchObject({ rules: [] });
});

test.each(["OOPS", "NONE", "toString"])(
  "nobody who gives the code %j is told that he meant what cannot be armed",
  async (code) => {
    const { lab } = await withOrders();
    const order = { point: "request.ping", action: "error", code };
    expect(await lab.ask({ operation: "arm_fault", ...order })).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringMatching(/ such as NOT_LEADER_OR_FOLLOWER, received "\w+"$/),
    });
  },
);

test("a fault that is not armed cannot be released, nor one that holds nothing; disarming either is no error", async () => {
  const { lab } = await withOrders();
  const id = await armFault(lab, { point: "request.ping", action: "close" });
  for (const [rule_id, message] of [
    [id + 1, `rule_id: no fault is armed under ${id + 1}`],
    [id, `rule_id: the fault ${id} holds nothing, its action is close`],
  ] as const)
    expect(await lab.ask({ operation: "release_fault", rule_id })).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining(message),
    });
  expect(await lab.call("disarm_faults", { rule_id: id + 1 })).toMatchObject({ disarmed: 0 });
  expect(await lab.call("disarm_faults", { rule_id: id })).toMatchObject({ disarmed: 1 });
  expect(await lab.ask({ operation: "ping" })).toMatchObject({ ok: true });
});

test("a thousand faults can be armed, and no more; their numbers are not given again", async () => {
  const { lab } = await withOrders();
  for (let count = 0; count < 1000; count += 1)
    await armFault(lab, { point: "request.hello", action: "close" });
  const order = { operation: "arm_fault", point: "request.hello", action: "close" };
  expect(await lab.ask(order)).toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringMatching(/^1000 faults are armed/),
  });
  expect(await lab.call("disarm_faults")).toMatchObject({ disarmed: 1000 });
  expect(await armFault(lab, { point: "request.hello", action: "close" })).toBe(1001);
});

test("a fault of the kernel is armed, counted and disarmed alike, and keeps what it claims from being done", async () => {
  const { session, lab } = await withOrders();
  const order: FaultFields = {
    point: "log.append.before_write",
    action: "error",
    topic: "orders",
    partition: 0,
  };
  const id = await armFault(lab, { ...order, times: { first: 2 } });
  const produce = { operation: "produce", topic: "orders", value_b64: base64("v") };
  expect(await session.ask({ ...produce, partition: 1 })).toMatchObject({ offset: 0 });
  expect(await session.ask(produce)).toMatchObject({ code: "STORAGE_ERROR" });
  expect(await endOf(lab)).toBe(0);
  expect(await ruleOf(lab, id)).toMatchObject({ ...order, times: { first: 2 }, hits: 1, fired: 1, held: 0 });
  await lab.call("disarm_faults", { rule_id: id });
  expect(await session.ask(produce)).toMatchObject({ offset: 0 });
});

test("a held sync of the kernel holds back the answer that waits for it, and nothing else", async () => {
  const { session, lab } = await withOrders({ clock: "auto", start_time: undefined, lab: true });
  const id = await armFault(lab, { point: "log.flush.before_sync", action: "hold", topic: "orders" });
  const produce = { operation: "produce", topic: "orders", value_b64: base64("v") };
  session.request({ ...produce, acks: "all" });
  await settle();
  expect(session.answers).toEqual([]);
  expect(await lab.ask({ ...produce, partition: 1 })).toMatchObject({ offset: 0 });
  expect(await ruleOf(lab, id)).toMatchObject({ held: 1 });
  expect(await lab.call("release_fault", { rule_id: id })).toMatchObject({ released: 1 });
  expect(await session.answer()).toMatchObject({ offset: 0 });
});

test("a delay of the kernel goes by the broker's clock, and errors name what the disk says", async () => {
  const { session, lab } = await withOrders();
  await armFault(lab, { point: "log.flush.before_sync", action: "delay", delay_ms: 100 });
  session.request({ operation: "produce", topic: "orders", value_b64: base64("v"), acks: "all" });
  await settle();
  await lab.call("advance_clock", { ms: 99 });
  await settle();
  expect(session.answers).toEqual([]);
  await lab.call("advance_clock", { ms: 1 });
  expect(await session.answer()).toMatchObject({ offset: 0 });
  await armFault(lab, { point: "log.append.before_write", action: "error", errno: "ENOSPC" });
  expect(await session.ask({ operation: "produce", topic: "orders" })).toMatchObject({
    code: "STORAGE_ERROR",
    message: expect.stringContaining("ENOSPC"),
  });
});

test("faults that the program armed itself are listed and can be disarmed", async () => {
  const faults = new FaultPoints();
  const broker = await openBroker({}, undefined, undefined, { faults });
  faults.arm({ point: "log.append.before_write", action: "error", site: { topic: "orders" } });
  const lab = Session.open(broker);
  const request = await armFault(lab, { point: "request.ping", action: "drop_answer" });
  expect(await lab.call("list_faults")).toMatchObject({
    rules: [
      { rule_id: 1, point: "log.append.before_write", action: "error", times: "once", topic: "orders" },
      { rule_id: request, point: "request.ping" },
    ],
  });
  expect(await lab.call("disarm_faults")).toMatchObject({ disarmed: 2 });
  expect(faults.rules()).toEqual([]);
});

test("a stop waits for no hold that the program armed itself", async () => {
  const faults = new FaultPoints();
  const broker = await openBroker({}, undefined, undefined, { faults });
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const hold = faults.arm({ point: "log.flush.before_sync", action: "hold", site: { topic: "orders" } });
  session.request({ operation: "produce", topic: "orders", value_b64: base64("v"), acks: "all" });
  await settle();
  expect(hold.held).toBe(1);
  await broker.close();
  expect(hold.held).toBe(0);
  expect(await session.answer()).toMatchObject({ ok: true, offset: 0 });
});
