import { describe, expect, test } from "vitest";
import { type JsonObject, MalformedRecord } from "../coordinator/coordinator-record.ts";
import { groupRecord, groupTombstone, parseGroupRecord } from "./group-record.ts";
import { type Group, newGroup } from "./group-state.ts";

const GROUP: Group = {
  groupId: "payments",
  generation: 7,
  assignor: "sticky",
  members: new Map([
    [
      "a",
      {
        memberId: "a",
        topics: ["__proto__", "orders"],
        sessionTimeoutMs: 10_000,
        rebalanceTimeoutMs: 60_000,
        since: 2,
        assigned: [
          { topic: "orders", partition: 0 },
          { topic: "orders", partition: 2 },
        ],
        target: [{ topic: "orders", partition: 0 }],
      },
    ],
    [
      "b",
      {
        memberId: "b",
        topics: ["orders"],
        sessionTimeoutMs: 10_000,
        rebalanceTimeoutMs: 60_000,
        since: 7,
        assigned: [],
        target: [{ topic: "orders", partition: 2 }],
      },
    ],
  ]),
  topics: new Map([["orders", { topicId: "id-1", partitions: 4 }]]),
  emptySinceMs: null,
  lastRebalance: { generation: 7, reason: 'the member "b" joined', atMs: 5 },
  isDead: false,
};

function throughText(group: Group): Group | null {
  const { key, value } = groupRecord(group);
  return parseGroupRecord({ key: JSON.parse(JSON.stringify(key)), value: JSON.parse(JSON.stringify(value)) })
    .group;
}

test("a group is the same after it was written and read", () => {
  expect(throughText(GROUP)).toEqual(GROUP);
  const empty = { ...newGroup("payments"), generation: 3, emptySinceMs: 9, isDead: false };
  expect(throughText(empty)).toEqual(empty);
});

test("its key has one form, and its value is text that people can read", () => {
  const { key, value } = groupRecord(GROUP);
  expect(JSON.stringify(key)).toBe('{"kind":"group","group_id":"payments"}');
  expect(value).toMatchObject({
    version: 1,
    generation: 7,
    members: [
      {
        member_id: "a",
        assigned: [{ topic: "orders", partitions: [0, 2] }],
        target: [{ topic: "orders", partitions: [0] }],
      },
      { member_id: "b", assigned: [], target: [{ topic: "orders", partitions: [2] }] },
    ],
    topics: [{ topic: "orders", topic_id: "id-1", partitions: 4 }],
    dead: false,
  });
});

test("no value says that nothing is known of the group any more", () => {
  expect(parseGroupRecord(groupTombstone("payments"))).toEqual({ groupId: "payments", group: null });
});

describe("a record is refused", () => {
  const { key, value } = groupRecord(GROUP);
  const fields = value as JsonObject;
  const members = fields.members as readonly JsonObject[];
  test.each<[string, JsonObject, RegExp]>([
    ["of a later version", { ...fields, version: 3 }, /version is 3, expected 1 or 2/],
    ["without a generation", { ...fields, generation: null }, /generation is null, expected a whole number/],
    [
      "with an assignor that nobody knows",
      { ...fields, assignor: "best" },
      /expected roundrobin, range, sticky/,
    ],
    ["with a member twice", { ...fields, members: [...members, ...members] }, /it has a member twice/],
    [
      "with a partition that two members have",
      {
        ...fields,
        members: members.map((member, index) => ({
          ...members[0],
          topics: member.topics ?? [],
          target: [],
          member_id: `m${index}`,
        })),
      },
      /orders-0 is assigned of m0 and of m1/,
    ],
    [
      "with a partition that was not seen",
      { ...fields, topics: [] },
      /orders-0 is assigned of a, and was not seen/,
    ],
    [
      "with a target that is not subscribed to",
      { ...fields, members: members.map((member) => ({ ...member, topics: [] })) },
      /does not subscribe/,
    ],
    ["dead, with members", { ...fields, dead: true }, /it is dead and has members/],
    ["without members, with an assignor", { ...fields, members: [] }, /no members and one/],
    ["that is empty since a time, with members", { ...fields, empty_since_ms: 4 }, /empty since/],
    ["that does not say whether it is dead", { ...fields, dead: 1 }, /dead is 1, expected true or false/],
  ])("%s", (_name, changed, message) => {
    const parse = () => parseGroupRecord({ key, value: changed });
    expect(parse).toThrow(MalformedRecord);
    expect(parse).toThrow(message);
  });
});
