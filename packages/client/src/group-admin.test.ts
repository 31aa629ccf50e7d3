/** Groups and their offsets, as the Admin and the Stepper ask for them. */
import type { ResponseFields } from "@minikafka/protocol";
import { expect, test } from "vitest";
import { ScriptedPeer } from "../test/support/scripted-peer.ts";
import { connect } from "./client.ts";
import { ManualClock } from "./clock.ts";

async function administering() {
  const peer = new ScriptedPeer();
  const clock = new ManualClock();
  const client = await connect({ link: peer.link }, { clock });
  return { peer, clock, client, admin: client.admin(), stepper: client.stepper() };
}

const place = (partition: number, topic = "orders") => ({ topic, partition });
const committed = (partition: number, offset: number) => ({
  ...place(partition),
  offset,
  metadata: null,
  committed_ms: 5,
});
type Described = ResponseFields<"describe_group">;
type Member = Described["members"][number];

const member = (name: string, fields: Partial<Member>): Member => ({
  member_id: name,
  topics: ["orders"],
  session_timeout_ms: 10_000,
  rebalance_timeout_ms: 300_000,
  heartbeat_age_ms: 0,
  assignment: [],
  pending: [],
  revoking: [],
  classic: null,
  ...fields,
});
const group = (members: Member[]): Described => ({
  group_id: "payments",
  type: "consumer",
  classic: null,
  state: "reconciling",
  generation: 2,
  assignor: "roundrobin",
  rebalance: "barrier",
  coordinator_id: 1,
  offsets_partition: 3,
  last_rebalance: { generation: 2, reason: "because", at_ms: 7 },
  members,
});

test("groups are listed and described in the SDK's names", async () => {
  const { peer, client, admin } = await administering();
  const listed = admin.listGroups();
  const listing = { type: "consumer", state: "empty", generation: 3, members: 0 } as const;
  (await peer.next("list_groups")).answer({
    groups: [{ group_id: "payments", protocol_type: "consumer", ...listing, coordinator_id: null }],
    unreadable: [],
  });
  expect(await listed).toEqual([
    { groupId: "payments", protocolType: "consumer", ...listing, coordinatorId: null },
  ]);
  const gaps = expect(admin.listGroups()).rejects.toMatchObject({
    code: "LEADER_NOT_AVAILABLE",
    message: "nobody leads it; the groups of 2 partitions of __consumer_offsets cannot be listed",
    details: { partition: 1, others: 1 },
  });
  const lost = { code: "LEADER_NOT_AVAILABLE", message: "nobody leads it" };
  (await peer.next("list_groups")).answer({
    groups: [{ group_id: "payments", protocol_type: null, ...listing, coordinator_id: 1 }],
    unreadable: [
      { ...lost, partition: 1 },
      { ...lost, partition: 2 },
    ],
  });
  await gaps;
  const described = admin.describeGroups(["payments", "none"]);
  const first = await peer.next("describe_group");
  expect(first.fields).toMatchObject({ group_id: "payments" });
  first.answer(group([member("a", { assignment: [place(0)] })]));
  (await peer.next("describe_group")).refuse("UNKNOWN_GROUP");
  await expect(described).rejects.toMatchObject({ code: "UNKNOWN_GROUP" });
  const one = admin.describeGroup("payments");
  (await peer.next("describe_group")).answer(group([member("a", { assignment: [place(0)] })]));
  expect(await one).toMatchObject({
    groupId: "payments",
    offsetsPartition: 3,
    lastRebalance: { generation: 2, reason: "because", atMs: 7 },
    members: [{ memberId: "a", sessionTimeoutMs: 10_000, assignment: [place(0)] }],
  });
  await client.close();
});

test("offsets are asked for, committed without a member and deleted one by one, and a group is deleted", async () => {
  const { peer, client, admin } = await administering();
  const fetched = admin.fetchOffsets("payments", { partitions: [place(1)] });
  const request = await peer.next("fetch_offsets");
  expect(request.fields).toMatchObject({ group_id: "payments", partitions: [place(1)] });
  request.answer({ offsets: [{ ...place(1), offset: null, metadata: null, committed_ms: null }] });
  expect(await fetched).toEqual([{ ...place(1), offset: null, metadata: null, committedMs: null }]);
  const all = admin.fetchOffsets("payments");
  const everything = await peer.next("fetch_offsets");
  expect(everything.fields).not.toHaveProperty("partitions");
  everything.answer({ offsets: [] });
  expect(await all).toEqual([]);
  const offsets = [
    { ...place(0), offset: 4 },
    { ...place(1), offset: 5, metadata: "by hand" },
  ];
  const stored = admin.commitOffsets("payments", offsets);
  const commit = await peer.next("commit_offsets");
  expect(commit.fields).toEqual({
    operation: "commit_offsets",
    id: expect.anything(),
    group_id: "payments",
    offsets: [{ ...place(0), offset: 4, metadata: null }, offsets[1]],
  });
  commit.answer({});
  await stored;
  const forgotten = admin.deleteOffsets("payments", [place(0), place(1), place(2)]);
  const forget = await peer.next("delete_offsets");
  expect(forget.fields).toMatchObject({ group_id: "payments", partitions: [place(0), place(1), place(2)] });
  const refusal = { code: "GROUP_SUBSCRIBED_TO_TOPIC", message: "it is read", details: { members: 1 } };
  forget.answer({
    partitions: [
      { ...place(0), offset: 4 },
      { ...place(1), offset: null },
      { ...place(2), ...refusal },
    ],
  });
  expect(await forgotten).toMatchObject([
    { ...place(0), offset: 4, error: null },
    { ...place(1), offset: null, error: null },
    {
      ...{ ...place(2), offset: null },
      error: {
        code: refusal.code,
        message: "it is read",
        retriable: false,
        details: { ...place(2), members: 1 },
      },
    },
  ]);
  const deleted = admin.deleteGroup("payments");
  (await peer.next("delete_group")).refuse("GROUP_NOT_EMPTY");
  await expect(deleted).rejects.toMatchObject({ code: "GROUP_NOT_EMPTY" });
  await client.close();
});

test("the lag names every partition that was committed to, is owned or waited for; one that is off line hides no other", async () => {
  const { peer, client, admin } = await administering();
  const lag = admin.groupLag("payments");
  (await peer.next("describe_group")).answer(
    group([
      member("a", { assignment: [place(2)], revoking: [place(1)] }),
      member("b", { pending: [place(1), place(0, "logs")] }),
    ]),
  );
  (await peer.next("fetch_offsets")).answer({ offsets: [committed(10, 9), committed(1, 3)] });
  for (const end of [0, 7]) {
    const request = await peer.next("list_offsets");
    expect(request.fields).toMatchObject({ timestamp_ms: -1 });
    request.answer({ offset: end, timestamp_ms: null });
  }
  (await peer.next("list_offsets")).refuse("STORAGE_ERROR");
  (await peer.next("list_offsets")).answer({ offset: 8, timestamp_ms: null });
  expect(await lag).toMatchObject([
    { ...place(0, "logs"), committedOffset: null, endOffset: 0, lag: null, memberId: null, error: null },
    { ...place(1), committedOffset: 3, endOffset: 7, lag: 4, memberId: "a" },
    { ...place(2), committedOffset: null, endOffset: null, memberId: "a", error: { code: "STORAGE_ERROR" } },
    // What was committed lies past the end after an unclean promotion, say: the next read resets, so nothing is known.
    { ...place(10), committedOffset: 9, endOffset: 8, lag: null, memberId: null },
  ]);
  await client.close();
});

test("a commit is waited for as long as the broker may wait for its acknowledgement", async () => {
  const { peer, clock, client, admin } = await administering();
  const stored = admin.commitOffsets("payments", [{ ...place(0), offset: 1 }]);
  const commit = await peer.next("commit_offsets");
  clock.advance(59_999);
  commit.answer({});
  await stored;
  const late = admin.commitOffsets("payments", [{ ...place(0), offset: 2 }]);
  await peer.next("commit_offsets");
  clock.advance(60_000);
  await expect(late).rejects.toMatchObject({ code: "TIMEOUT", details: { sent: true } });
  await client.close();
});

test("members and offsets are expired by steps", async () => {
  const { peer, client, stepper } = await administering();
  const members = stepper.expireMembers();
  (await peer.next("expire_members")).answer({
    expired: [{ group_id: "payments", member_id: "a", cause: "session_timeout" }],
    rebalanced: [],
    loaded: [{ topic: "__consumer_offsets", partition: 3 }],
  });
  expect(await members).toEqual({
    expired: [{ groupId: "payments", memberId: "a", cause: "session_timeout" }],
    rebalanced: [],
    loaded: [{ topic: "__consumer_offsets", partition: 3 }],
  });
  const offsets = stepper.expireOffsets();
  (await peer.next("expire_offsets")).answer({
    expired: [{ group_id: "payments", ...place(0) }],
    dying: ["payments"],
    forgotten: [],
    loaded: [],
  });
  expect(await offsets).toEqual({
    expired: [{ groupId: "payments", ...place(0) }],
    dying: ["payments"],
    forgotten: [],
    loaded: [],
  });
  await client.close();
});

test("a classic group is told with what its members said to one another, as bytes", async () => {
  const { peer, client, admin } = await administering();
  const described = admin.describeGroup("payments");
  const facts = { instance_id: "one", client_id: "app", client_host: "10.0.0.1" };
  const bytes = { metadata_b64: "AAE=", assignment_b64: "" };
  const classic = { protocol_type: "consumer", protocol: "range", leader_id: "app-1" };
  (await peer.next("describe_group")).answer({
    ...group([member("app-1", { classic: { ...facts, ...bytes } as Member["classic"] })]),
    type: "classic",
    state: "completing_rebalance",
    assignor: null,
    classic,
  });
  expect(await described).toMatchObject({
    type: "classic",
    state: "completing_rebalance",
    classic: { protocolType: "consumer", protocol: "range", leaderId: "app-1" },
    members: [
      {
        memberId: "app-1",
        classic: {
          instanceId: "one",
          clientId: "app",
          clientHost: "10.0.0.1",
          metadata: Buffer.from([0, 1]),
          assignment: Buffer.alloc(0),
        },
      },
    ],
  });
  await client.close();
});
