/** Every cell of the table of classic groups, and what it leads to, on plain values. */
import { describe, expect, test } from "vitest";
import {
  asked,
  codeOf,
  completing,
  empty,
  Life,
  preparing,
  protocols,
  stable,
  WORLD,
} from "../../../test/classic-samples.ts";
import { AssertionFailure } from "../../assert.ts";
import { BrokerError } from "../../errors.ts";
import type { ClassicEvent, ClassicEventKind } from "./classic-events.ts";
import type { ClassicState } from "./classic-state.ts";
import { CLASSIC_TRANSITIONS } from "./transitions.ts";

const LIVES: { readonly [State in ClassicState]: () => Life } = {
  dead: () => new Life(),
  empty,
  preparing_rebalance: preparing,
  completing_rebalance: completing,
  stable,
};

/** One event of each kind, as member `a`, which leads, would cause it, or somebody new. */
function eventFor(kind: ClassicEventKind, { group: { generation, members } }: Life): ClassicEvent {
  switch (kind) {
    case "give_id":
    case "join":
      return { kind, ...asked({ memberId: "new" }) };
    case "replace":
      return { kind, ...asked({ memberId: "new", instanceId: "one" }) };
    case "rejoin":
      return { kind, ...asked({ memberId: "a" }) };
    case "sync": {
      const assignments = new Map([["a", Buffer.from("all")]]);
      return {
        kind,
        memberId: "a",
        instanceId: null,
        generation,
        protocolType: null,
        protocol: null,
        assignments,
      };
    }
    case "heartbeat":
      return { kind, memberId: "a", instanceId: null, generation };
    case "leave":
      return { kind, memberIds: [...members.keys()], reason: "all left" };
    case "time_passed":
      return { kind, silent: [], forgottenIds: [], isPhaseOver: true };
  }
}

/** What becomes of the group: its state, `*` when a generation begins, `=` when it is the same object; or the refusal. */
function cell(state: ClassicState, kind: ClassicEventKind): string {
  const life = LIVES[state]();
  const before = life.group;
  expect(before.state).toBe(state);
  try {
    life.on(eventFor(kind, life));
  } catch (problem) {
    if (problem instanceof AssertionFailure) return "-";
    if (problem instanceof BrokerError) return problem.code;
    throw problem;
  }
  const { group } = life;
  expect([before.generation, before.generation + 1]).toContain(group.generation);
  return `${group.state}${group.generation > before.generation ? "*" : ""}${group === before ? "=" : ""}`;
}

const WITHOUT = {
  give_id: "dead",
  join: "completing_rebalance*",
  rejoin: "UNKNOWN_MEMBER",
  replace: "-",
  sync: "UNKNOWN_MEMBER",
  heartbeat: "UNKNOWN_MEMBER",
  leave: "dead",
  time_passed: "dead",
};

describe("the table of classic groups", () => {
  test.each<[ClassicState, { readonly [Kind in ClassicEventKind]: string }]>([
    ["dead", WITHOUT],
    ["empty", { ...WITHOUT, give_id: "empty", leave: "empty", time_passed: "empty" }],
    [
      "preparing_rebalance",
      {
        give_id: "preparing_rebalance",
        join: "preparing_rebalance",
        rejoin: "preparing_rebalance",
        replace: "-",
        sync: "REBALANCE_IN_PROGRESS",
        heartbeat: "REBALANCE_IN_PROGRESS",
        leave: "empty*",
        time_passed: "completing_rebalance*",
      },
    ],
    [
      "completing_rebalance",
      {
        give_id: "completing_rebalance",
        join: "preparing_rebalance",
        rejoin: "completing_rebalance=",
        replace: "-",
        sync: "stable",
        heartbeat: "completing_rebalance=",
        leave: "empty*",
        time_passed: "empty*",
      },
    ],
    [
      "stable",
      {
        give_id: "stable",
        join: "preparing_rebalance",
        rejoin: "preparing_rebalance",
        replace: "-",
        sync: "stable=",
        heartbeat: "stable=",
        leave: "empty*",
        time_passed: "stable",
      },
    ],
  ])("in the state %s each event leads where it says", (state, row) => {
    expect(Object.keys(row).sort()).toEqual(Object.keys(CLASSIC_TRANSITIONS[state]).sort());
    for (const [kind, expected] of Object.entries(row))
      expect([kind, cell(state, kind as ClassicEventKind)]).toEqual([kind, expected]);
  });
});

describe("a generation begins", () => {
  test("at once for who joins an empty group, which leads it; the second has to wait for the first", () => {
    const life = new Life();
    expect(life.join("a")).toEqual(["a joins 1 range led by a of a"]);
    expect(life.join("b")).toEqual([]);
    expect(life.shown).toBe("preparing_rebalance@1 a> b");
    expect(life.rejoin("a")).toEqual(["a joins 2 range led by a of a,b", "b joins 2 range led by a"]);
    expect(life.shown).toBe("completing_rebalance@2 range a> b");
  });

  test("without who did not join in time; where that is the leader, somebody who joined leads", () => {
    const life = stable();
    life.rejoin("b", { protocols: protocols("range", "other") });
    expect(life.expire()).toEqual(["b joins 3 range led by b of b", "-a rebalance_timeout"]);
    expect(life.shown).toBe("completing_rebalance@3 range b>");
  });

  test("with static members that did not join, which keep their place and are waited for only so long", () => {
    const life = new Life();
    life.join("a", { instanceId: "one" });
    life.join("b");
    life.rejoin("a", { instanceId: "one" });
    life.sync("b");
    life.sync("a", { a: "0", b: "1" });
    life.rejoin("b", { protocols: protocols("range", "other") });
    expect(life.expire()).toEqual(["b joins 3 range led by b of a,b"]);
    life.sync("b", { a: "0", b: "1" });
    expect(life.shown).toBe("stable@3 range a[one] b>");
    expect(life.expire()).toEqual(["-a rebalance_timeout"]);
    expect(life.shown).toBe("preparing_rebalance@3 b>");
  });

  test("not at all while only static members are left and none of them has come", () => {
    const life = new Life();
    life.join("a", { instanceId: "one" });
    life.join("b");
    life.leave("b");
    expect(life.shown).toBe("preparing_rebalance@1 a[one]>");
    expect(life.expire()).toEqual([]);
    expect(life.shown).toBe("preparing_rebalance@1 a[one]>");
    expect(life.expire("a")).toEqual(["-a session_timeout"]);
    expect(life.shown).toBe("empty@2");
  });

  test("of an empty group only after the initial delay, which each member that comes prolongs up to the rebalance timeout", () => {
    const life = new Life(undefined, { ...WORLD, initialDelayMs: 3_000 });
    expect(life.join("a", { rebalanceTimeoutMs: 7_000 })).toEqual([]);
    expect(life.group.phase).toMatchObject({ dueMs: 4_000, initial: { remainingMs: 4_000 } });
    life.join("b");
    const later = (monotonicMs: number) => {
      life.world = { ...life.world, monotonicMs };
      return life.expire();
    };
    expect(later(4_000)).toEqual([]);
    expect(life.group.phase).toMatchObject({ dueMs: 7_000, initial: { remainingMs: 1_000 } });
    life.join("c");
    expect(later(7_000)).toEqual([]);
    expect(life.group.phase).toMatchObject({ dueMs: 8_000, initial: { remainingMs: 0 } });
    life.join("d");
    expect(later(8_000)[0]).toBe("a joins 1 range led by a of a,b,c,d");
  });

  test("of an empty group without a delay when nobody joined after the first", () => {
    const life = new Life(undefined, { ...WORLD, initialDelayMs: 3_000 });
    life.join("a");
    expect(life.expire()).toEqual(["a joins 1 range led by a of a"]);
  });
});

describe("the protocol", () => {
  test("is one that all support, and of those the one that most like best", () => {
    const life = new Life();
    life.join("a", { protocols: protocols("roundrobin", "range") });
    life.join("b", { protocols: protocols("sticky", "range", "roundrobin") });
    life.join("c", { protocols: protocols("range", "roundrobin") });
    expect(life.rejoin("a", { protocols: protocols("roundrobin", "range") })[1]).toBe(
      "b joins 2 range led by a",
    );
    life.leave("b");
    life.rejoin("a", { protocols: protocols("roundrobin", "range") });
    life.rejoin("c", { protocols: protocols("roundrobin", "range") });
    expect(life.shown).toBe("completing_rebalance@3 roundrobin a> c");
  });

  test("is told with what each member says for that one", () => {
    const life = new Life();
    life.join("a", { protocols: protocols("roundrobin", "range") });
    const [reply] = life.outcome.replies;
    expect(reply).toMatchObject({
      joined: { members: [{ memberId: "a", metadata: Buffer.from("as roundrobin") }] },
    });
  });

  test.each([
    ["of another type", { protocolType: "connect" }],
    ["without one in common", { protocols: protocols("RoundRobinAssigner") }],
    ["without any", { protocols: [] }],
  ])("%s is INCONSISTENT_GROUP_PROTOCOL, for who is new and for who comes again", (_what, changes) => {
    expect(codeOf(() => stable().join("c", changes))).toBe("INCONSISTENT_GROUP_PROTOCOL");
    expect(codeOf(() => stable().rejoin("b", changes))).toBe("INCONSISTENT_GROUP_PROTOCOL");
  });

  test("is any that the first member of an empty group names, and no empty type", () => {
    const life = empty();
    life.join("c", { protocolType: "connect", protocols: protocols("default") });
    expect(life.group.protocolType).toBe("connect");
    expect(codeOf(() => empty().join("c", { protocolType: "" }))).toBe("INCONSISTENT_GROUP_PROTOCOL");
  });

  test("that a sync names must be the generation's", () => {
    const sync = (said: { protocolType: string | null; protocol: string | null }) =>
      codeOf(() => {
        const life = completing();
        const { generation } = life.group;
        const assignments = new Map();
        life.on({ kind: "sync", memberId: "b", instanceId: null, generation, assignments, ...said });
      });
    expect(sync({ protocolType: "consumer", protocol: "range" })).toBe("no refusal");
    expect(sync({ protocolType: "connect", protocol: null })).toBe("INCONSISTENT_GROUP_PROTOCOL");
    expect(sync({ protocolType: null, protocol: "sticky" })).toBe("INCONSISTENT_GROUP_PROTOCOL");
  });
});

describe("who joins again", () => {
  test("with the same is told of the generation that lasts, though it is stable; the leader begins another one", () => {
    const life = stable();
    expect(life.rejoin("b")).toEqual(["b joins 2 range led by a"]);
    expect(life.shown).toBe("stable@2 range a> b");
    expect(life.rejoin("a")).toEqual([]);
    expect(life.shown).toBe("preparing_rebalance@2 a> b");
    expect(life.rejoin("b")[0]).toBe("a joins 3 range led by a of a,b");
  });

  test("with the same while it is completed hears the same again, also the leader", () => {
    const life = completing();
    expect(life.rejoin("a")).toEqual(["a joins 2 range led by a of a,b"]);
    expect(life.rejoin("b")).toEqual(["b joins 2 range led by a"]);
  });

  test("with something else begins a rebalance, and who waits for an assignment joins again", () => {
    const life = completing();
    life.sync("b");
    const other = { protocols: [{ name: "range", metadata: Buffer.from("more topics") }] };
    expect(life.rejoin("b", other)).toEqual(["b sync REBALANCE_IN_PROGRESS"]);
    expect(life.rejoin("a")[0]).toBe("a joins 3 range led by a of a,b");
    const [first] = life.outcome.replies;
    expect(first).toMatchObject({ joined: { members: [{}, { metadata: Buffer.from("more topics") }] } });
  });

  test("is refused when nobody knows it", () => {
    expect(codeOf(() => stable().rejoin("z"))).toBe("UNKNOWN_MEMBER");
    expect(codeOf(() => empty().rejoin("a"))).toBe("UNKNOWN_MEMBER");
  });
});

describe("an id that is given", () => {
  const known = { requiresKnownMemberId: true };

  test("is none of a member until it joins with it; a rebalance waits for that (KIP-394)", () => {
    const life = stable();
    expect(life.join("c", known)).toEqual(["c join MEMBER_ID_REQUIRED"]);
    expect(life.shown).toBe("stable@2 range a> b");
    life.rejoin("a");
    expect(life.rejoin("b")).toEqual([]);
    expect(life.rejoin("c", known)).toHaveLength(3);
    expect(life.shown).toBe("completing_rebalance@3 range a> b c");
    expect(life.group.pendingIds.size).toBe(0);
  });

  test("and is not used is forgotten after its session timeout, or when it is left with, and the rebalance goes on", () => {
    for (const end of ["expire", "leave"] as const) {
      const life = stable();
      life.join("c", known);
      life.rejoin("a");
      life.rejoin("b");
      const told =
        end === "leave"
          ? life.leave("c")
          : life.on({ kind: "time_passed", silent: [], forgottenIds: ["c"], isPhaseOver: false });
      expect(told.slice(0, 2)).toEqual(["a joins 3 range led by a of a,b", "b joins 3 range led by a"]);
      expect(told.slice(2)).toEqual(end === "leave" ? [] : ["-c session_timeout"]);
    }
  });

  test("makes no group of what was none", () => {
    const life = new Life();
    life.join("c", known);
    expect(life.shown).toBe("dead@0");
    expect(life.rejoin("c", known)).toEqual(["c joins 1 range led by c of c"]);
  });
});
