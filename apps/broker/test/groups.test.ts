/** Groups over the wire: what is answered, in which order, and what is refused. */
import { expect, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import { type Answer, openBroker, Session, settle } from "./support/broker.ts";

const START_MS = 1_700_000_000_000;
const GROUP = { group_id: "payments" };
const A = { ...GROUP, member_id: "a" };
const orders = (...partitions: number[]) => partitions.map((partition) => ({ topic: "orders", partition }));
const at = (offset: number, partition = 0) => [{ topic: "orders", partition, offset }];

/** A session, and two partitions of `orders`; on so many brokers as the settings say. */
async function withOrders(settings: RawSettings = {}): Promise<Session> {
  const session = Session.open(await openBroker(settings));
  await session.call("create_topic", { topic: "orders", partitions: 2 });
  return session;
}

async function withMember(): Promise<Session> {
  const session = await withOrders();
  await session.call("join_group", { ...A, topics: ["orders"] });
  return session;
}

test("a group lives from its first member to its deletion, and each answer says where it stands", async () => {
  const session = await withOrders();
  expect(await session.call("list_groups")).toEqual({ ok: true, groups: [], unreadable: [] });
  expect(await session.call("join_group", { ...A, topics: ["orders"] })).toEqual({
    ok: true,
    generation: 1,
    member_since: 1,
    assignment: orders(0, 1).map((place) => ({ ...place, topic_id: expect.any(String) })),
    pending: [],
    session_timeout_ms: 10_000,
    rebalance_timeout_ms: 300_000,
  });
  const joined = { topics: ["orders"], session_timeout_ms: 500, rebalance_timeout_ms: 600 };
  expect(await session.call("join_group", { ...GROUP, member_id: "b", ...joined })).toMatchObject({
    generation: 2,
    assignment: [],
    pending: orders(1),
    session_timeout_ms: 500,
    rebalance_timeout_ms: 600,
  });
  expect(await session.call("group_assignment", A)).toMatchObject({ generation: 2, assignment: orders(0) });
  const described = { state: "reconciling", rebalance: "barrier", assignor: "roundrobin", coordinator_id: 1 };
  await session.call("advance_clock", { ms: 3 });
  expect(await session.call("describe_group", GROUP)).toMatchObject({
    ...described,
    group_id: "payments",
    generation: 2,
    last_rebalance: { generation: 2, reason: 'the member "b" joined', at_ms: START_MS },
    members: [
      { member_id: "a", topics: ["orders"], heartbeat_age_ms: 3, assignment: orders(0), revoking: orders(1) },
      { member_id: "b", session_timeout_ms: 500, assignment: [], pending: orders(1), revoking: [] },
    ],
  });
  expect(await session.call("heartbeat", { ...A, generation: 2, owned: orders(0) })).toMatchObject({
    generation: 2,
    assignment: orders(0),
  });
  expect(
    await session.call("heartbeat", { ...GROUP, member_id: "b", generation: 2, owned: [] }),
  ).toMatchObject({ assignment: orders(1), pending: [] });
  await session.call("commit_offsets", { ...A, generation: 2, offsets: at(7) });
  await session.call("leave_group", { ...GROUP, member_id: "b" });
  expect(await session.call("leave_group", A)).toEqual({ ok: true, generation: 4 });
  const partitions = orders(1, 0);
  expect(await session.call("fetch_offsets", { ...GROUP, partitions })).toMatchObject({
    offsets: [
      { topic: "orders", partition: 1, offset: null, metadata: null, committed_ms: null },
      { topic: "orders", partition: 0, offset: 7, metadata: null, committed_ms: START_MS + 3 },
    ],
  });
  expect(await session.call("list_groups")).toMatchObject({
    groups: [{ group_id: "payments", state: "empty", generation: 4, members: 0, coordinator_id: 1 }],
  });
  await session.call("delete_group", GROUP);
  expect(await session.call("list_groups")).toEqual({ ok: true, groups: [], unreadable: [] });
});

test("single offsets are deleted where no member reads their topic; what is amiss with one stands with it", async () => {
  const session = await withMember();
  await session.call("create_topic", { topic: "mail", partitions: 1 });
  const mail = { topic: "mail", partition: 0 };
  const asked = { ...GROUP, partitions: [...orders(0), mail, mail, ...orders(7)] };
  await session.call("leave_group", A);
  await session.call("commit_offsets", { ...GROUP, offsets: [...at(3), { ...mail, offset: 5 }] });
  await session.call("join_group", { ...A, topics: ["orders"] });
  expect(await session.call("delete_offsets", asked)).toEqual({
    ok: true,
    partitions: [
      {
        ...orders(0)[0],
        code: "GROUP_SUBSCRIBED_TO_TOPIC",
        message: 'a member of the group "payments" subscribes to "orders"; expected none',
        details: { topic: "orders" },
      },
      { ...mail, offset: 5 },
      { ...mail, offset: 5 },
      {
        ...orders(7)[0],
        code: "UNKNOWN_PARTITION",
        message: expect.any(String),
        details: expect.any(Object),
      },
    ],
  });
  await session.call("leave_group", A);
  const left = { ...GROUP, partitions: [...orders(0), mail] };
  expect(await session.call("delete_offsets", left)).toMatchObject({
    partitions: [{ offset: 3 }, { offset: null }],
  });
  expect(await session.call("fetch_offsets", GROUP)).toMatchObject({ offsets: [] });
  expect(await session.ask({ operation: "delete_offsets", ...left, group_id: "nobody" })).toMatchObject({
    code: "UNKNOWN_GROUP",
  });
});

test.each<[object, string, object]>([
  [{ operation: "heartbeat", ...A, group_id: "nobody", generation: 1 }, "UNKNOWN_GROUP", {}],
  [{ operation: "heartbeat", ...A, member_id: "x", generation: 1 }, "UNKNOWN_MEMBER", { members: 1 }],
  [{ operation: "heartbeat", ...A, generation: 0 }, "ILLEGAL_GENERATION", { generation: 1 }],
  [{ operation: "heartbeat", ...A, generation: 2 }, "ILLEGAL_GENERATION", { generation: 1 }],
  [
    { operation: "heartbeat", ...A, generation: 1, owned: [{ topic: "orders", partition: 5 }] },
    "NOT_PARTITION_OWNER",
    { topic: "orders", partition: 5 },
  ],
  [{ operation: "group_assignment", ...A, member_id: "x" }, "UNKNOWN_MEMBER", {}],
  [{ operation: "leave_group", ...A, member_id: "x" }, "UNKNOWN_MEMBER", {}],
  [
    { operation: "join_group", ...A, member_id: "b", topics: ["orders"], assignor: "range" },
    "INCONSISTENT_GROUP_PROTOCOL",
    { assignor: "roundrobin" },
  ],
  [{ operation: "commit_offsets", ...A, generation: 0, offsets: at(1) }, "ILLEGAL_GENERATION", {}],
  [{ operation: "commit_offsets", ...GROUP, offsets: at(1) }, "UNKNOWN_MEMBER", {}],
  [
    { operation: "commit_offsets", group_id: "other", offsets: [{ topic: "none", partition: 0, offset: 1 }] },
    "UNKNOWN_TOPIC",
    { topic: "none" },
  ],
  [
    { operation: "commit_offsets", group_id: "other", offsets: at(1, 2) },
    "UNKNOWN_PARTITION",
    { partition: 2, partitions: 2 },
  ],
  [{ operation: "describe_group", group_id: "nobody" }, "UNKNOWN_GROUP", {}],
  [{ operation: "delete_group", group_id: "nobody" }, "UNKNOWN_GROUP", {}],
  [{ operation: "delete_group", ...GROUP }, "GROUP_NOT_EMPTY", { members: 1 }],
])("%j is refused with %s", async (request, code, details) => {
  const session = await withMember();
  const refused = await session.ask(request);
  expect(refused).toMatchObject({ ok: false, code, retriable: false });
  if (Object.keys(details).length > 0) expect(refused).toMatchObject({ details });
  expect(await session.call("fetch_offsets", GROUP)).toMatchObject({ offsets: [] });
});

test.each<[object, string]>([
  [{ operation: "join_group", ...A }, "topics"],
  [{ operation: "join_group", ...A, topics: ["orders"], assignor: "fair" }, "assignor"],
  [{ operation: "join_group", ...A, topics: ["orders"], session_timeout_ms: 0 }, "session_timeout_ms"],
  [{ operation: "join_group", group_id: "", member_id: "a", topics: [] }, "group_id"],
  [{ operation: "join_group", group_id: "\ud800", member_id: "a", topics: [] }, "group_id"],
  [{ operation: "heartbeat", ...A, generation: -1 }, "generation"],
  [
    { operation: "commit_offsets", ...A, offsets: at(1) },
    "member_id and generation: expected both or neither",
  ],
  [{ operation: "commit_offsets", ...GROUP, generation: 1, offsets: at(1) }, "expected both or neither"],
  [{ operation: "commit_offsets", ...GROUP, offsets: [] }, "offsets"],
  [{ operation: "commit_offsets", ...GROUP, offsets: at(-1) }, "offset"],
  [{ operation: "fetch_offsets", ...GROUP, topics: ["orders"] }, "topics"],
])("%j is INVALID_REQUEST", async (request, cause) => {
  const session = await withMember();
  expect(await session.ask(request)).toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringContaining(cause),
  });
});

test("requests that are sent at once take effect in their order, also the first ones ever", async () => {
  const session = await withOrders();
  const requests = [
    { operation: "fetch_offsets", ...GROUP },
    { operation: "commit_offsets", ...GROUP, offsets: at(1) },
    { operation: "fetch_offsets", ...GROUP },
    { operation: "commit_offsets", ...GROUP, offsets: at(2) },
    { operation: "list_groups" },
    { operation: "join_group", ...A, topics: ["orders"] },
    { operation: "commit_offsets", ...A, generation: 1, offsets: at(3) },
    { operation: "fetch_offsets", ...GROUP },
    { operation: "leave_group", ...A },
    { operation: "describe_group", ...GROUP },
    { operation: "delete_group", ...GROUP },
    { operation: "list_groups" },
  ];
  session.send(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  const answers: (Answer | null)[] = [];
  while (answers.length < requests.length) answers.push(await session.answer());
  const offset = (value: number) => ({ offsets: [{ offset: value }] });
  expect(answers).toMatchObject([
    { offsets: [] },
    { ok: true },
    offset(1),
    { ok: true },
    { groups: [{ group_id: "payments", members: 0 }] },
    { generation: 1 },
    { ok: true },
    offset(3),
    { generation: 2 },
    { state: "empty", generation: 2 },
    { ok: true },
    { groups: [] },
  ]);
});

test("the first requests ever that are sent at once count on those before them, while the internal topic is being made", async () => {
  const session = await withOrders();
  const requests = [
    { operation: "join_group", ...A, topics: ["orders"] },
    { operation: "join_group", ...GROUP, member_id: "b", topics: ["orders"] },
    { operation: "heartbeat", ...A, generation: 2, owned: orders(0) },
    { operation: "commit_offsets", ...GROUP, member_id: "b", generation: 2, offsets: at(4, 1) },
    { operation: "leave_group", ...A },
    { operation: "fetch_offsets", ...GROUP },
  ];
  session.send(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  const answers: (Answer | null)[] = [];
  while (answers.length < requests.length) answers.push(await session.answer());
  expect(answers).toMatchObject([
    { generation: 1, assignment: orders(0, 1) },
    { generation: 2, pending: orders(1) },
    { generation: 2, assignment: orders(0) },
    { ok: true },
    { generation: 3 },
    { offsets: [{ partition: 1, offset: 4 }] },
  ]);
});

test("a commit that waits for a follower holds up nobody with an id, and is given up after 30 s with its fate open", async () => {
  const session = await withOrders({ brokers: 2 });
  session.request({ operation: "commit_offsets", ...GROUP, offsets: at(1), id: "commit" });
  session.request({ operation: "ping", id: "ping" });
  expect(await session.answer()).toEqual({ ok: true, id: "ping" });
  await settle();
  session.request({ operation: "advance_clock", ms: 29_999, id: "nearly" });
  expect(await session.answer()).toMatchObject({ id: "nearly" });
  session.request({ operation: "fetch_offsets", ...GROUP, id: "look" });
  session.request({ operation: "fetch_offsets", group_id: "other", id: "elsewhere" });
  expect(await session.answer()).toMatchObject({ id: "elsewhere", offsets: [] });
  session.request({ operation: "advance_clock", ms: 1, id: "over" });
  const late = [await session.answer(), await session.answer(), await session.answer()];
  expect(late).toContainEqual(
    expect.objectContaining({ id: "commit", code: "REQUEST_TIMED_OUT", retriable: true }),
  );
  expect(late).toContainEqual({ ok: true, id: "look", offsets: [] });
  for (let round = 0; round < 3; round += 1) await session.call("replicate_once");
  expect(await session.call("fetch_offsets", GROUP)).toMatchObject({ offsets: [{ offset: 1 }] });
});

test("a member that was silent for its session is expired by a step, and another one that beat is not", async () => {
  const session = await withMember();
  await session.call("join_group", { ...GROUP, member_id: "b", topics: ["orders"] });
  await session.call("advance_clock", { ms: 6_000 });
  await session.call("heartbeat", { ...A, generation: 2 });
  await session.call("advance_clock", { ms: 5_000 });
  expect(await session.call("expire_members")).toEqual({
    ok: true,
    expired: [{ ...GROUP, member_id: "b", cause: "session_timeout" }],
    rebalanced: [],
    loaded: expect.any(Array),
  });
  expect(await session.call("expire_members")).toEqual({
    ok: true,
    expired: [],
    rebalanced: [],
    loaded: [],
  });
  expect(await session.call("group_assignment", A)).toMatchObject({
    generation: 3,
    assignment: orders(0, 1),
  });
});

test("what a group without members committed is forgotten by a step after a week, and the group with it", async () => {
  const session = await withOrders();
  await session.call("commit_offsets", { ...GROUP, offsets: at(4) });
  expect(await session.call("expire_offsets")).toEqual({
    ok: true,
    expired: [],
    dying: [],
    forgotten: [],
    loaded: expect.any(Array),
  });
  await session.call("advance_clock", { ms: 7 * 24 * 60 * 60 * 1000 + 1 });
  expect(await session.call("expire_offsets")).toEqual({
    ok: true,
    expired: [{ ...GROUP, topic: "orders", partition: 0 }],
    dying: [],
    forgotten: [],
    loaded: [],
  });
  expect(await session.call("list_groups")).toEqual({ ok: true, groups: [], unreadable: [] });
});

test("the internal topic can be read, and nothing else", async () => {
  const session = await withMember();
  const internal = { topic: "__consumer_offsets" };
  expect(await session.call("metadata", internal)).toMatchObject({ partitions: { length: 4 } });
  for (const request of [
    { operation: "produce", ...internal, value_b64: "" },
    { operation: "delete_topic", ...internal },
    { operation: "alter_config", ...internal, config: { retention_ms: 1 } },
    { operation: "create_topic", ...internal, partitions: 1 },
  ])
    expect(await session.ask(request)).toMatchObject({ code: "INVALID_TOPIC" });
});

test("an offset that says the id of a topic which was made anew is refused with those that go with it", async () => {
  const session = await withOrders();
  await session.call("create_topic", { topic: "mail", partitions: 1 });
  const topics = ["mail", "orders"];
  const { assignment: old } = (await session.call("join_group", { ...A, topics })) as {
    assignment: object[];
  };
  await session.call("delete_topic", { topic: "orders" });
  await session.call("create_topic", { topic: "orders", partitions: 2 });
  const view = await session.call("group_assignment", A);
  const { generation, assignment } = view as { generation: number; assignment: object[] };
  const commit = (places: readonly object[]) =>
    session.ask({
      operation: "commit_offsets",
      ...A,
      generation,
      offsets: places.map((place) => ({ ...place, offset: 7 })),
    });
  expect(await commit(old)).toMatchObject({ code: "UNKNOWN_TOPIC", details: { topic: "orders" } });
  expect(await session.call("fetch_offsets", GROUP)).toEqual({ ok: true, offsets: [] });
  expect(await commit(assignment)).toEqual({ ok: true });
  expect(await session.ask({ operation: "heartbeat", ...A, generation, owned: assignment })).toMatchObject({
    generation,
  });
  expect(await session.ask({ operation: "heartbeat", ...A, generation, owned: old })).toMatchObject({
    code: "NOT_PARTITION_OWNER",
  });
});

test("a fetch that says the id of a topic which was made anew is refused for that partition alone", async () => {
  const session = await withOrders();
  await session.call("create_topic", { topic: "mail", partitions: 1 });
  const { assignment } = await session.call("join_group", { ...A, topics: ["mail", "orders"] });
  await session.call("delete_topic", { topic: "orders" });
  await session.call("create_topic", { topic: "orders", partitions: 2 });
  const { partitions } = await session.call("fetch_many", {
    partitions: assignment.map((place) => ({ ...place, offset: 0 })),
    max_wait_ms: 60_000,
  });
  expect(partitions).toMatchObject([
    { topic: "mail", partition: 0, high_watermark: 0 },
    { topic: "orders", partition: 0, code: "UNKNOWN_TOPIC", details: { topic: "orders" } },
    { topic: "orders", partition: 1, code: "UNKNOWN_TOPIC" },
  ]);
});
