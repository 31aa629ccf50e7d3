/** The record of a classic group: what is told comes back, and what nobody wrote is refused. */
import { describe, expect, test } from "vitest";
import { completing, empty, Life, preparing, stable } from "../../../test/classic-samples.ts";
import { type JsonObject, MalformedRecord } from "../../coordinator/coordinator-record.ts";
import { parseGroupRecord } from "../group-record.ts";
import { classicRecord } from "./classic-record.ts";
import { isSameTold, toldPart } from "./told-part.ts";

function recordOf({ group }: Life) {
  const told = toldPart(group);
  if (told === null) throw new Error(`nobody was told of ${group.groupId}`);
  return classicRecord(told);
}

describe("a record", () => {
  test.each([
    ["empty", empty],
    ["preparing_rebalance", preparing],
    ["completing_rebalance", completing],
    ["stable", stable],
  ] as const)(
    "of a group that is %s has all that anybody was told, and comes back as that",
    (state, life) => {
      const record = recordOf(life());
      const text = JSON.parse(JSON.stringify(record));
      const { classic, group } = parseGroupRecord(text);
      expect(group).toBeNull();
      expect(classic?.state).toBe(state);
      if (classic === undefined) return;
      expect(recordOf(new Life(classic))).toEqual(record);
      expect([classic.phase, classic.pendingIds.size]).toEqual([null, 0]);
      for (const member of classic.members.values())
        expect(member).toMatchObject({ isNew: false, waitsFor: null, hasSynced: state === "stable" });
    },
  );

  test("has nobody who was never told that it is a member, and is none while there is nobody else", () => {
    const life = stable();
    const before = toldPart(life.group);
    life.join("c");
    expect(toldPart(life.group)?.members.map(({ memberId }) => memberId)).toEqual(["a", "b"]);
    expect(isSameTold(before, toldPart(life.group)), "that the others are to join again is told").toBe(false);
    const waiting = toldPart(life.group);
    life.rejoin("a");
    expect(isSameTold(waiting, toldPart(life.group)), "who joins again is not").toBe(true);
    const first = new Life(undefined, { ...life.world, initialDelayMs: 3_000 });
    first.join("a");
    expect(toldPart(first.group)).toBeNull();
  });
});

describe("a record is refused", () => {
  const { key, value } = recordOf(stable());
  const fields = value as JsonObject;
  const members = fields.members as readonly JsonObject[];
  const [one] = members;
  test.each<[string, JsonObject, RegExp]>([
    ["of another type", { ...fields, type: "share" }, /type is string, expected "classic"/],
    [
      "of a state that nobody knows",
      { ...fields, state: "dead" },
      /state is string, expected one of a group/,
    ],
    ["without a generation", { ...fields, generation: -1 }, /generation is -1, expected a whole number/],
    ["with a member twice", { ...fields, members: [...members, ...members] }, /it has a member twice/],
    ["with members and empty", { ...fields, state: "empty" }, /it is empty and has members/],
    ["with a leader that is no member", { ...fields, leader_id: "z" }, /its leader z is no member/],
    ["without a leader", { ...fields, leader_id: null }, /it has no leader/],
    ["with a protocol that a member lacks", { ...fields, protocol: "sticky" }, /does not support sticky/],
    [
      "of a member without protocols",
      { ...fields, members: [{ ...one, protocols: [] }] },
      /supports no protocol/,
    ],
    [
      "of two members of one instance",
      { ...fields, members: members.map((each) => ({ ...each, instance_id: "one" })) },
      /the instance one is two members/,
    ],
    [
      "with members since a time without any",
      { ...fields, empty_since_ms: 1 },
      /empty since a time, or neither/,
    ],
    [
      "without a client",
      { ...fields, members: [{ ...one, client_id: null }] },
      /client_id is null, expected text/,
    ],
    [
      "with an assignment before the leader has assigned",
      { ...fields, state: "completing_rebalance" },
      /has an assignment before it is given one/,
    ],
  ])("%s", (_what, changed, message) => {
    const parse = () => parseGroupRecord({ key, value: changed });
    expect(parse).toThrow(MalformedRecord);
    expect(parse).toThrow(message);
  });
});
