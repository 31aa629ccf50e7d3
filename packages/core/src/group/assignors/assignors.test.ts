/** Properties of all assignors over questions that chance has drawn, and the shares that Kafka's documentation tells. */
import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../env/random.ts";
import { intersection, keyOf, keysOf, type Partitions } from "../partition-sets.ts";
import { assign } from "./assign.ts";
import { ASSIGNORS, type AssignmentQuestion, type AssignorName, type Subscription } from "./assignor.ts";

const QUESTIONS = 400;

function member(memberId: string, topics: readonly string[], assigned: Partitions = []): Subscription {
  return { memberId, topics, assigned };
}

function question(members: readonly Subscription[], counts: { [topic: string]: number }): AssignmentQuestion {
  return { members, partitionCounts: new Map(Object.entries(counts)) };
}

/** `orders-0 orders-2`, by member. */
function shown(name: AssignorName, asked: AssignmentQuestion): { [memberId: string]: string } {
  const entries = [...assign(name, asked)].map(([memberId, partitions]) => [
    memberId,
    partitions.map(({ topic, partition }) => `${topic}-${partition}`).join(" "),
  ]);
  return Object.fromEntries(entries);
}

function drawn(random: SeededRandom, areAlike: boolean): AssignmentQuestion {
  const topics = ["b", "a", "c", "B"].slice(0, 1 + random.below(4));
  const partitionCounts = new Map(topics.map((topic) => [topic, random.below(9)]));
  const members = Array.from({ length: 1 + random.below(6) }, () => {
    const chosen = topics.filter(() => areAlike || random.below(3) > 0);
    if (random.below(5) === 0) chosen.push("not-there");
    return member(`m${random.below(1_000)}`, chosen);
  });
  const unlike = new Map(members.map((each) => [each.memberId, each]));
  return { members: [...unlike.values()], partitionCounts };
}

/** The same members with what an assignment gave them. */
function having(asked: AssignmentQuestion, given: ReadonlyMap<string, Partitions>): AssignmentQuestion {
  const members = asked.members.map((each) => ({ ...each, assigned: given.get(each.memberId) ?? [] }));
  return { ...asked, members };
}

/** What one assignment gives to somebody else than the other did. */
function moved(
  before: ReadonlyMap<string, Partitions>,
  after: ReadonlyMap<string, Partitions>,
  among: readonly Subscription[],
): number {
  let kept = 0;
  let had = 0;
  for (const { memberId } of among) {
    had += before.get(memberId)?.length ?? 0;
    kept += intersection(before.get(memberId) ?? [], after.get(memberId) ?? []).length;
  }
  return had - kept;
}

describe.each(ASSIGNORS)("%s", (name) => {
  test("gives every partition that somebody subscribes to, to exactly one of those who do", () => {
    const random = new SeededRandom(1);
    for (let round = 0; round < QUESTIONS; round++) {
      const asked = drawn(random, false);
      const given = assign(name, asked);
      expect([...given.keys()].sort()).toEqual(asked.members.map(({ memberId }) => memberId).sort());
      const owned = [...given.values()].flat().map(keyOf);
      const wanted = [...asked.partitionCounts].flatMap(([topic, count]) =>
        asked.members.some(({ topics }) => topics.includes(topic))
          ? Array.from({ length: count }, (_, partition) => keyOf({ topic, partition }))
          : [],
      );
      expect(owned.sort(), JSON.stringify(asked.members)).toEqual(wanted.sort());
      for (const { memberId, topics } of asked.members)
        for (const { topic } of given.get(memberId) ?? []) expect(topics).toContain(topic);
    }
  });

  test("gives the same whatever the order in which members and their topics are named", () => {
    const random = new SeededRandom(2);
    for (let round = 0; round < QUESTIONS; round++) {
      const asked = drawn(random, false);
      const turned = {
        members: asked.members.map((each) => ({ ...each, topics: [...each.topics].reverse() })).reverse(),
        partitionCounts: new Map([...asked.partitionCounts].reverse()),
      };
      expect(shown(name, turned)).toEqual(shown(name, asked));
    }
  });

  test("gives nothing where there is nothing", () => {
    expect(shown(name, question([], { orders: 3 }))).toEqual({});
    expect(shown(name, question([member("a", ["gone"])], { orders: 3 }))).toEqual({ a: "" });
  });
});

test.each(["roundrobin", "sticky"] as const)(
  "%s: members with equal subscriptions have as many partitions as the others, or one more",
  (name) => {
    const random = new SeededRandom(3);
    for (let round = 0; round < QUESTIONS; round++) {
      const sizes = [...assign(name, drawn(random, true)).values()].map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }
  },
);

test("range: of each topic, members with equal subscriptions have a run, as long as the others' or one longer", () => {
  const random = new SeededRandom(4);
  for (let round = 0; round < QUESTIONS; round++) {
    const asked = drawn(random, true);
    const given = [...assign("range", asked).values()];
    for (const topic of asked.partitionCounts.keys()) {
      const runs = given.map((partitions) => partitions.filter((each) => each.topic === topic));
      const sizes = runs.map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      for (const run of runs)
        expect((run.at(-1)?.partition ?? 0) - (run[0]?.partition ?? 0)).toBe(Math.max(0, run.length - 1));
    }
  }
});

describe("sticky", () => {
  test("leaves no partition with a member while a subscriber has two fewer", () => {
    const random = new SeededRandom(5);
    for (let round = 0; round < QUESTIONS; round++) {
      const asked = drawn(random, false);
      const given = assign("sticky", asked);
      for (const [owner, partitions] of given)
        for (const { topic } of partitions)
          for (const { memberId, topics } of asked.members)
            if (topics.includes(topic))
              expect(
                partitions.length - (given.get(memberId)?.length ?? 0),
                `${owner}, ${memberId}`,
              ).toBeLessThan(2);
    }
  });

  test("asked again, it moves nothing", () => {
    const random = new SeededRandom(6);
    for (let round = 0; round < QUESTIONS; round++) {
      const asked = drawn(random, false);
      const given = assign("sticky", asked);
      expect(moved(given, assign("sticky", having(asked, given)), asked.members)).toBe(0);
    }
  });

  test("when a member with the same subscription comes, exactly its share moves, and to it alone", () => {
    const random = new SeededRandom(7);
    for (let round = 0; round < QUESTIONS; round++) {
      const asked = drawn(random, true);
      const given = assign("sticky", asked);
      const comer = member("zz", [...asked.partitionCounts.keys()]);
      const grown = having({ ...asked, members: [...asked.members, comer] }, given);
      const after = assign("sticky", grown);
      expect(moved(given, after, asked.members)).toBe(after.get("zz")?.length ?? 0);
    }
  });

  test("when a member leaves, nobody else loses anything", () => {
    const random = new SeededRandom(8);
    for (let round = 0; round < QUESTIONS; round++) {
      const asked = drawn(random, true);
      const given = assign("sticky", asked);
      const rest = { ...asked, members: asked.members.slice(1) };
      if (rest.members.length === 0) continue;
      expect(moved(given, assign("sticky", having(rest, given)), rest.members)).toBe(0);
    }
  });

  test("forgets what is gone: partitions, topics, subscriptions, and what two claim to have", () => {
    const both = [
      { topic: "orders", partition: 0 },
      { topic: "orders", partition: 7 },
      { topic: "gone", partition: 0 },
    ];
    const asked = question([member("a", ["orders"], both), member("b", ["orders"], both)], { orders: 2 });
    expect(shown("sticky", asked)).toEqual({ a: "orders-0", b: "orders-1" });
    expect(shown("sticky", question([member("a", [], both)], { orders: 2 }))).toEqual({ a: "" });
  });

  test("shares 2,000 partitions out among 300 members at once", () => {
    const members = Array.from({ length: 300 }, (_, index) => member(`m${index}`, ["orders"]));
    const asked = question(members, { orders: 2_000 });
    const first = having(asked, assign("sticky", asked));
    const after = assign("sticky", { ...first, members: first.members.slice(150) });
    expect(new Set([...after.values()].map(({ length }) => length))).toEqual(new Set([13, 14]));
  });
});

describe("the shares that are told of them", () => {
  const two = [member("c0", ["t0", "t1"]), member("c1", ["t0", "t1"])];

  test("roundrobin gives four partitions 0,1,2,3 to one, and 0,2 and 1,3 to two", () => {
    expect(shown("roundrobin", question([member("a", ["orders"])], { orders: 4 }))).toEqual({
      a: "orders-0 orders-1 orders-2 orders-3",
    });
    expect(
      shown("roundrobin", question([member("b", ["orders"]), member("a", ["orders"])], { orders: 4 })),
    ).toEqual({ a: "orders-0 orders-2", b: "orders-1 orders-3" });
  });

  test("roundrobin goes on in the next topic where it was, and passes over who does not subscribe", () => {
    expect(shown("roundrobin", question(two, { t0: 3, t1: 3 }))).toEqual({
      c0: "t0-0 t0-2 t1-1",
      c1: "t0-1 t1-0 t1-2",
    });
    const three = [member("c0", ["t0"]), member("c1", ["t0", "t1"]), member("c2", ["t0", "t1", "t2"])];
    expect(shown("roundrobin", question(three, { t0: 1, t1: 2, t2: 3 }))).toEqual({
      c0: "t0-0",
      c1: "t1-0",
      c2: "t1-1 t2-0 t2-1 t2-2",
    });
  });

  test("range gives the first members more of each topic", () => {
    expect(shown("range", question(two, { t0: 3, t1: 3 }))).toEqual({
      c0: "t0-0 t0-1 t1-0 t1-1",
      c1: "t0-2 t1-2",
    });
  });

  test("sticky moves two of six to a third member where roundrobin moves four", () => {
    const before = question(two, { t0: 3, t1: 3 });
    const grown = { ...before, members: [...two, member("c2", ["t0", "t1"])] };
    const given = assign("sticky", before);
    expect(moved(given, assign("sticky", having(grown, given)), two)).toBe(2);
    const turns = assign("roundrobin", before);
    expect(moved(turns, assign("roundrobin", grown), two)).toBe(4);
    expect(keysOf([...given.values()].flat()).size).toBe(6);
  });
});
