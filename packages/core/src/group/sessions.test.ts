import { expect, test } from "vitest";
import { ManualClock } from "../env/clock.ts";
import { type Group, type Member, newGroup } from "./group-state.ts";
import { Sessions } from "./sessions.ts";

const ORDERS = [0, 1, 2].map((partition) => ({ topic: "orders", partition }));

function member(memberId: string, changes: Partial<Member> = {}): Member {
  const timeouts = { sessionTimeoutMs: 1_000, rebalanceTimeoutMs: 300 };
  return { memberId, topics: ["orders"], ...timeouts, since: 1, assigned: [], target: [], ...changes };
}

function groupOf(...members: Member[]): Group {
  return { ...newGroup("g"), members: new Map(members.map((each) => [each.memberId, each])), isDead: false };
}

test("a session is over when its timeout has passed since the member was heard of, and not before", () => {
  const clock = new ManualClock(50);
  const sessions = new Sessions(clock);
  const group = groupOf(member("a"), member("b"));
  sessions.follow(group);
  clock.advance(600);
  sessions.hear("g", "b");
  clock.advance(399);
  expect(sessions.overdue(group)).toEqual([]);
  expect([sessions.silenceMs("g", "a"), sessions.silenceMs("g", "b")]).toEqual([999, 399]);
  clock.advance(1);
  expect(sessions.overdue(group)).toEqual([{ memberId: "a", cause: "session_timeout", timeoutMs: 1_000 }]);
});

test("a change of the group is no sign of life, and a member that comes anew has a session of its own", () => {
  const clock = new ManualClock();
  const sessions = new Sessions(clock);
  sessions.follow(groupOf(member("a")));
  clock.advance(1_000);
  const grown = groupOf(member("a"), member("b"));
  sessions.follow(grown);
  expect(sessions.overdue(grown).map(({ memberId }) => memberId)).toEqual(["a"]);
  sessions.follow(groupOf(member("b")));
  sessions.follow(grown);
  expect(sessions.overdue(grown)).toEqual([]);
});

test("each partition that is held back has a time of its own, which ends when it is let go", () => {
  const clock = new ManualClock();
  const sessions = new Sessions(clock);
  sessions.follow(groupOf(member("a", { assigned: ORDERS.slice(0, 1) })));
  clock.advance(200);
  const two = groupOf(member("a", { assigned: ORDERS.slice(0, 2) }));
  sessions.follow(two);
  sessions.hear("g", "a");
  clock.advance(99);
  expect(sessions.overdue(two)).toEqual([]);
  clock.advance(1);
  expect(sessions.overdue(two)).toEqual([{ memberId: "a", cause: "rebalance_timeout", timeoutMs: 300 }]);
  const one = groupOf(member("a", { assigned: ORDERS.slice(1, 2) }));
  sessions.follow(one);
  expect(sessions.overdue(one)).toEqual([]);
  clock.advance(200);
  expect(sessions.overdue(one)).toMatchObject([{ cause: "rebalance_timeout" }]);
  const kept = groupOf(member("a", { assigned: ORDERS.slice(1, 2), target: ORDERS.slice(1, 2) }));
  sessions.follow(kept);
  expect(sessions.overdue(kept)).toEqual([]);
});

test("setting the time of day neither ends a session nor makes one longer", () => {
  let nowMs = 1_700_000_000_000;
  let monotonicMs = 0;
  const sessions = new Sessions({ nowMs: () => nowMs, monotonicMs: () => monotonicMs });
  const group = groupOf(member("a"));
  sessions.follow(group);
  nowMs += 3_600_000;
  expect(sessions.overdue(group)).toEqual([]);
  nowMs -= 7_200_000;
  monotonicMs += 1_000;
  expect(sessions.overdue(group)).toMatchObject([{ cause: "session_timeout" }]);
});

test("nobody is remembered of a group that is empty or forgotten", () => {
  const clock = new ManualClock();
  const sessions = new Sessions(clock);
  sessions.follow(groupOf(member("a")));
  sessions.follow(groupOf());
  clock.advance(5_000);
  expect(sessions.overdue(groupOf(member("a")))).toEqual([]);
  expect(sessions.silenceMs("g", "a")).toBe(0);
});
