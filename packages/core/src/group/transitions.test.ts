/** Every cell of the table, and the changes that it leads to, on plain values. */
import { describe, expect, test } from "vitest";
import { AssertionFailure } from "../assert.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { type GroupEvent, type GroupEventKind, type Joining, joinEvent } from "./group-events.ts";
import {
  assignmentOf,
  type Group,
  type GroupState,
  groupProblem,
  newGroup,
  pendingOf,
  revokingOf,
  type SeenTopic,
  stateOf,
} from "./group-state.ts";
import type { Partitions } from "./partition-sets.ts";
import type { GroupWorld, RebalanceDial } from "./rebalance.ts";
import { after, TRANSITIONS } from "./transitions.ts";

const ORDERS: SeenTopic = { topicId: "id-1", partitions: 4 };

function worldWith(topics: { [topic: string]: SeenTopic }, rebalance: RebalanceDial = "barrier"): GroupWorld {
  return { rebalance, topicOf: (topic) => topics[topic] ?? null, nowMs: 5_000 };
}

const WORLD = worldWith({ orders: ORDERS });

function joining(memberId: string, changes: Partial<Joining> = {}): Joining {
  return {
    memberId,
    topics: ["orders"],
    assignor: "roundrobin",
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 60_000,
    ...changes,
  };
}

function joined(group: Group, asked: Joining, world = WORLD): Group {
  return after(group, joinEvent(group, asked), world);
}

function on(group: Group, event: GroupEvent, world = WORLD): Group {
  const next = after(group, event, world);
  expect(groupProblem(next)).toBeNull();
  return next;
}

function places(partitions: Partitions): string {
  return partitions.map(({ topic, partition }) => `${topic === "orders" ? "" : topic}${partition}`).join(",");
}

/** `a 0,2 +1 -3`: has, waits for, must let go. */
function shares(group: Group): string[] {
  return [...group.members.values()].map((member) =>
    [
      `${member.memberId} ${places(assignmentOf(member))}`,
      ...(pendingOf(member).length > 0 ? [`+${places(pendingOf(member))}`] : []),
      ...(revokingOf(member).length > 0 ? [`-${places(revokingOf(member))}`] : []),
    ].join(" "),
  );
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (problem) {
    if (problem instanceof BrokerError) return problem.code;
    throw problem;
  }
  return "no refusal";
}

function owned(...partitions: number[]): Partitions {
  return partitions.map((partition) => ({ topic: "orders", partition }));
}

const dead = newGroup("g");
const stable = joined(dead, joining("a"));
const reconciling = joined(stable, joining("b"));
const empty = on(stable, { kind: "leave", memberId: "a" });

const GROUPS: { readonly [State in GroupState]: Group } = { dead, empty, stable, reconciling };

/** One event of each kind, as member `a` would cause it. */
function eventFor(kind: GroupEventKind, group: Group): GroupEvent {
  const { generation } = group;
  switch (kind) {
    case "join":
      return { kind, ...joining("new") };
    case "rejoin":
      return { kind, ...joining("a") };
    case "resubscribe":
      return { kind, ...joining("a", { topics: [] }) };
    case "heartbeat":
      return { kind, memberId: "a", generation };
    case "release":
      return { kind, memberId: "a", generation, owned: [] };
    case "leave":
      return { kind, memberId: "a" };
    case "expire":
      return { kind, expired: [{ memberId: "a", cause: "session_timeout", timeoutMs: 10 }] };
    case "topics_changed":
    case "delete":
      return { kind };
  }
}

/** What becomes of the group: its state, `*` when a generation begins, `=` when it is the same object; or the refusal. */
function cell(state: GroupState, kind: GroupEventKind, world: GroupWorld): string {
  const group = GROUPS[state];
  try {
    const next = after(group, eventFor(kind, group), world);
    expect(groupProblem(next)).toBeNull();
    expect([group.generation, group.generation + 1]).toContain(next.generation);
    return `${stateOf(next)}${next.generation > group.generation ? "*" : ""}${next === group ? "=" : ""}`;
  } catch (problem) {
    if (problem instanceof AssertionFailure) return "-";
    if (problem instanceof BrokerError) return problem.code;
    throw problem;
  }
}

describe("the table of transitions", () => {
  const grown = worldWith({ orders: { topicId: "id-1", partitions: 6 } });

  test.each<[GroupState, { readonly [Kind in GroupEventKind]: string }]>([
    [
      "dead",
      {
        join: "stable*",
        rejoin: "-",
        resubscribe: "-",
        heartbeat: "UNKNOWN_GROUP",
        release: "UNKNOWN_GROUP",
        leave: "UNKNOWN_GROUP",
        expire: "-",
        topics_changed: "dead=",
        delete: "UNKNOWN_GROUP",
      },
    ],
    [
      "empty",
      {
        join: "stable*",
        rejoin: "-",
        resubscribe: "-",
        heartbeat: "UNKNOWN_MEMBER",
        release: "UNKNOWN_MEMBER",
        leave: "UNKNOWN_MEMBER",
        expire: "-",
        topics_changed: "empty=",
        delete: "dead",
      },
    ],
    [
      "stable",
      {
        join: "reconciling*",
        rejoin: "stable=",
        resubscribe: "reconciling*",
        heartbeat: "stable=",
        release: "stable=",
        leave: "empty*",
        expire: "empty*",
        topics_changed: "stable*",
        delete: "GROUP_NOT_EMPTY",
      },
    ],
    [
      "reconciling",
      {
        join: "reconciling*",
        rejoin: "reconciling=",
        resubscribe: "reconciling*",
        heartbeat: "reconciling=",
        release: "stable",
        leave: "stable*",
        expire: "stable*",
        topics_changed: "reconciling*",
        delete: "GROUP_NOT_EMPTY",
      },
    ],
  ])("in the state %s each event leads where it says", (state, expected) => {
    const kinds = Object.keys(TRANSITIONS[state]) as GroupEventKind[];
    const seen = Object.fromEntries(kinds.map((kind) => [kind, cell(state, kind, grown)]));
    expect(seen).toEqual(expected);
  });
});

describe("barrier", () => {
  test("four partitions are with one member; the second waits until the first lets go, and has them at once", () => {
    expect(shares(stable)).toEqual(["a 0,1,2,3"]);
    expect(shares(reconciling)).toEqual(["a 0,2 -1,3", "b  +1,3"]);
    const half = on(reconciling, { kind: "release", memberId: "a", generation: 2, owned: owned(0, 2, 3) });
    expect(shares(half)).toEqual(["a 0,2 -3", "b 1 +3"]);
    const done = on(half, { kind: "release", memberId: "a", generation: 2, owned: owned(0, 2) });
    expect(shares(done)).toEqual(["a 0,2", "b 1,3"]);
    expect([done.generation, stateOf(done)]).toEqual([2, "stable"]);
  });

  test("a partition that a member is to keep is not let go by a heartbeat that does not list it", () => {
    const done = on(reconciling, { kind: "release", memberId: "a", generation: 2, owned: [] });
    expect(shares(done)).toEqual(["a 0,2", "b 1,3"]);
    expect(on(done, { kind: "release", memberId: "b", generation: 2, owned: [] })).toBe(done);
  });

  test("who lists what it does not have is refused, and lets nothing go", () => {
    const claim = { kind: "release", memberId: "b", generation: 2, owned: owned(1) } as const;
    expect(codeOf(() => on(reconciling, claim))).toBe("NOT_PARTITION_OWNER");
    const more = { kind: "release", memberId: "a", generation: 2, owned: owned(0, 2, 9) } as const;
    expect(codeOf(() => on(reconciling, more))).toBe("NOT_PARTITION_OWNER");
    expect(codeOf(() => on(reconciling, { ...claim, generation: 1 }))).toBe("ILLEGAL_GENERATION");
    expect(codeOf(() => on(reconciling, { ...claim, generation: 3 }))).toBe("ILLEGAL_GENERATION");
  });

  test("what a member held when it left or was expired is its successor's at once", () => {
    expect(shares(on(reconciling, { kind: "leave", memberId: "a" }))).toEqual(["b 0,1,2,3"]);
    const expired = [{ memberId: "a", cause: "rebalance_timeout", timeoutMs: 60_000 }] as const;
    const rest = on(reconciling, { kind: "expire", expired });
    expect(shares(rest)).toEqual(["b 0,1,2,3"]);
    expect(rest.lastRebalance).toEqual({
      generation: 3,
      reason: 'the member "a" held a partition back for its rebalance timeout, 60000 ms',
      atMs: 5_000,
    });
  });

  test("several that expire together are one generation; the last one leaves an empty group", () => {
    const expired = ["a", "b"].map(
      (memberId) => ({ memberId, cause: "session_timeout", timeoutMs: 9 }) as const,
    );
    const rest = on(reconciling, { kind: "expire", expired });
    expect(rest).toMatchObject({ generation: 3, assignor: null, emptySinceMs: 5_000, isDead: false });
    expect(rest.topics.size).toBe(0);
  });

  test("a member that waits and is overtaken by a third gets what nobody holds, and the former owner still holds the rest", () => {
    const three = joined(reconciling, joining("c"));
    expect(shares(three)).toEqual(["a 0,3 -1,2", "b  +1", "c  +2"]);
    const done = on(three, { kind: "release", memberId: "a", generation: 3, owned: owned(0, 3) });
    expect(shares(done)).toEqual(["a 0,3", "b 1", "c 2"]);
  });
});

describe("immediate", () => {
  const world = worldWith({ orders: ORDERS }, "immediate");

  test("the second member has its share at once, and the group is stable in each generation", () => {
    const two = joined(joined(dead, joining("a"), world), joining("b"), world);
    expect(shares(two)).toEqual(["a 0,2", "b 1,3"]);
    expect(stateOf(two)).toBe("stable");
    const claim = { kind: "release", memberId: "a", generation: 2, owned: owned(0, 1) } as const;
    expect(codeOf(() => on(two, claim, world))).toBe("NOT_PARTITION_OWNER");
  });

  test("what was left over from a barrier is settled by the next generation", () => {
    expect(shares(joined(reconciling, joining("c"), world))).toEqual(["a 0,3", "b 1", "c 2"]);
  });
});

describe("subscriptions", () => {
  test("the same subscription again changes nothing, in whatever order its topics are named", () => {
    const both = joined(dead, joining("a", { topics: ["b", "a", "b"] }));
    expect(joined(both, joining("a", { topics: ["a", "b"] }))).toBe(both);
    expect(both.members.get("a")?.topics).toEqual(["a", "b"]);
  });

  test("other timeouts are taken over without a rebalance", () => {
    const changed = joined(stable, joining("a", { sessionTimeoutMs: 7 }));
    expect(changed.generation).toBe(1);
    expect(changed.members.get("a")?.sessionTimeoutMs).toBe(7);
    expect(shares(changed)).toEqual(shares(stable));
  });

  test("another assignor than the others' is refused; who is alone may change it", () => {
    expect(codeOf(() => joined(stable, joining("b", { assignor: "range" })))).toBe(
      "INCONSISTENT_GROUP_PROTOCOL",
    );
    expect(codeOf(() => joined(reconciling, joining("a", { assignor: "range" })))).toBe(
      "INCONSISTENT_GROUP_PROTOCOL",
    );
    const changed = joined(stable, joining("a", { assignor: "range" }));
    expect(changed).toMatchObject({ assignor: "range", generation: 2 });
    expect(joined(empty, joining("z", { assignor: "sticky" }))).toMatchObject({
      assignor: "sticky",
      generation: 3,
    });
  });

  test("a member that subscribes to less holds what it had until it lets go, and may name a topic that is not there", () => {
    const world = worldWith({ orders: ORDERS, mail: { topicId: "id-2", partitions: 1 } });
    const one = joined(dead, joining("a", { topics: ["orders", "mail", "later"] }), world);
    expect(shares(one)).toEqual(["a mail0,0,1,2,3"]);
    const less = joined(one, joining("a", { topics: ["mail"] }), world);
    expect(shares(less)).toEqual(["a mail0 -0,1,2,3"]);
    const two = joined(less, joining("b"), world);
    expect(shares(two)).toEqual(["a mail0 -0,1,2,3", "b  +0,1,2,3"]);
    const heard = {
      kind: "release",
      memberId: "a",
      generation: 3,
      owned: [{ topic: "mail", partition: 0 }],
    } as const;
    const done = on(two, heard, world);
    expect(shares(done)).toEqual(["a mail0", "b 0,1,2,3"]);
    expect([...done.topics.keys()]).toEqual(["mail", "orders"]);
  });

  test("the one member too many is refused", () => {
    const world = worldWith({});
    const members = new Map(
      Array.from({ length: LIMITS.membersPerGroupMax }, (_, index) => {
        const memberId = `m${index}`;
        return [memberId, { ...joining(memberId), since: 1, assigned: [], target: [] }] as const;
      }),
    );
    expect(codeOf(() => joined({ ...stable, members }, joining("more"), world))).toBe(
      "GROUP_MAX_SIZE_REACHED",
    );
  });
});

describe("topics", () => {
  test("that come, grow, vanish or are made anew begin a generation with a reason; what is gone is taken at once", () => {
    const event = { kind: "topics_changed" } as const;
    const early = joined(dead, joining("a"), worldWith({}));
    expect(shares(early)).toEqual(["a "]);
    expect(on(early, event, worldWith({}))).toBe(early);
    const come = on(early, event);
    expect(shares(come)).toEqual(["a 0,1,2,3"]);
    expect(come.lastRebalance?.reason).toBe("the topic orders has come");
    const grown = on(come, event, worldWith({ orders: { topicId: "id-1", partitions: 5 } }));
    expect(shares(grown)).toEqual(["a 0,1,2,3,4"]);
    expect(grown.lastRebalance?.reason).toBe("the topic orders has 5 partitions instead of 4");
    const gone = on(grown, event, worldWith({}));
    expect(shares(gone)).toEqual(["a "]);
    expect(gone.lastRebalance?.reason).toBe("the topic orders is gone");
    const anew = on(reconciling, event, worldWith({ orders: { topicId: "id-9", partitions: 2 } }));
    expect(shares(anew)).toEqual(["a 0", "b 1"]);
    expect(anew.lastRebalance).toMatchObject({ generation: 3, reason: "the topic orders was made anew" });
  });

  test("many changes are told in a bounded sentence", () => {
    const topics = ["t1", "t2", "t3", "t4", "t5"];
    const early = joined(dead, joining("a", { topics }), worldWith({}));
    const all = Object.fromEntries(topics.map((topic) => [topic, { topicId: topic, partitions: 1 }]));
    expect(on(early, { kind: "topics_changed" }, worldWith(all)).lastRebalance?.reason).toBe(
      "the topic t1 has come, the topic t2 has come, the topic t3 has come and 2 more",
    );
  });
});

test("a group that is deleted and begins again goes on counting its generations", () => {
  const died = on(empty, { kind: "delete" });
  expect(died).toMatchObject({ isDead: true, generation: 2, emptySinceMs: 5_000 });
  expect(joined(died, joining("a"))).toMatchObject({ isDead: false, generation: 3 });
});
