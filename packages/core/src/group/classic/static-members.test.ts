/** Static members of a classic group (KIP-345), on plain values. */
import { describe, expect, test } from "vitest";
import { codeOf, Life, protocols } from "../../../test/classic-samples.ts";
import { leaverOf } from "./leaving.ts";

const ONE = { instanceId: "one" };
const TWO = { instanceId: "two" };

/** `a`, which leads, is the instance one, and `b` is two. */
function completing(): Life {
  const life = new Life();
  life.join("a", ONE);
  life.join("b", TWO);
  life.rejoin("a", ONE);
  return life;
}

function stable(): Life {
  const life = completing();
  life.sync("b");
  life.sync("a", { a: "0,2", b: "1,3" });
  return life;
}

describe("a static member that comes back without its id", () => {
  test("gets a new one, its old assignment and no rebalance while the group is stable; the old id is fenced", () => {
    const life = stable();
    expect(life.join("b2", TWO)).toEqual(["b2 joins 2 range led by a"]);
    expect(life.shown).toBe("stable@2 range a[one]> b2[two]");
    expect(life.sync("b2")).toEqual(['b2 syncs "1,3"']);
    const { generation } = life.group;
    const beat = (memberId: string, instanceId: string | null) =>
      codeOf(() => life.on({ kind: "heartbeat", memberId, instanceId, generation }));
    expect(beat("b", "two")).toBe("FENCED_INSTANCE_ID");
    expect(beat("b", null)).toBe("UNKNOWN_MEMBER");
    expect(beat("b2", "two")).toBe("no refusal");
    expect(codeOf(() => life.rejoin("b", TWO))).toBe("FENCED_INSTANCE_ID");
    expect(codeOf(() => life.rejoin("b", { instanceId: "three" }))).toBe("UNKNOWN_MEMBER");
  });

  test("leads on where it led: it is told to skip the assignment, or, where it would not understand that, that another leads", () => {
    const aware = stable();
    expect(aware.join("a2", ONE)).toEqual(["a2 joins 2 range led by a2 of a2,b and skips"]);
    const unaware = stable();
    expect(unaware.join("a2", { ...ONE, skipsAssignment: false })).toEqual(["a2 joins 2 range led by a"]);
    expect(unaware.shown).toBe("stable@2 range a2[one]> b[two]");
    expect(unaware.sync("a2")).toEqual(['a2 syncs "0,2"']);
  });

  test("begins a rebalance when the protocol would be another one then", () => {
    const life = new Life();
    life.join("a", { ...ONE, protocols: protocols("range", "sticky") });
    life.sync("a", { a: "all" });
    expect(life.join("a2", { ...ONE, protocols: protocols("sticky", "range") })).toEqual([
      "a2 joins 2 sticky led by a2 of a2",
    ]);
  });

  test("begins a rebalance while assignments are under way, since they name the old id; who waits there is fenced", () => {
    const life = completing();
    life.sync("b");
    expect(life.join("b2", TWO)).toEqual(["b sync FENCED_INSTANCE_ID"]);
    expect(life.shown).toBe("preparing_rebalance@2 a[one]> b2[two]");
    expect(life.rejoin("a", ONE)).toEqual(["a joins 3 range led by a of a,b2", "b2 joins 3 range led by a"]);
  });

  test("takes its own place among those who join; who waits there under the old id is fenced", () => {
    const life = stable();
    life.rejoin("a", ONE);
    expect(life.join("a2", ONE)).toEqual(["a join FENCED_INSTANCE_ID"]);
    expect(life.rejoin("b", TWO)).toEqual([
      "a2 joins 3 range led by a2 of a2,b",
      "b joins 3 range led by a2",
    ]);
  });

  test("finds its place in a full group", () => {
    const life = stable();
    life.world = { ...life.world, sizeMax: 2 };
    expect(life.join("b2", TWO)).toEqual(["b2 joins 2 range led by a"]);
    expect(codeOf(() => life.join("c"))).toBe("GROUP_MAX_SIZE_REACHED");
  });
});

describe("who leaves", () => {
  test("is named by its id, or by its instance alone, as an operator does", () => {
    const { group } = stable();
    expect(leaverOf(group, { memberId: "a", instanceId: null })).toBe("a");
    expect(leaverOf(group, { memberId: "", instanceId: "two" })).toBe("b");
  });

  test.each([
    [{ memberId: "z", instanceId: null }, "UNKNOWN_MEMBER"],
    [{ memberId: "", instanceId: "nine" }, "UNKNOWN_MEMBER"],
    [{ memberId: "", instanceId: null }, "UNKNOWN_MEMBER"],
    [{ memberId: "a", instanceId: "two" }, "FENCED_INSTANCE_ID"],
  ])("%j is %s", (leaver, code) => {
    expect(leaverOf(stable().group, leaver)).toMatchObject({ code });
  });

  test("and comes again at once is another member: nothing of the old one is left", () => {
    const life = stable();
    life.leave("b");
    expect(life.shown).toBe("preparing_rebalance@2 a[one]>");
    expect(life.join("b2", TWO)).toEqual([]);
    expect(life.rejoin("a", ONE)).toEqual(["a joins 3 range led by a of a,b2", "b2 joins 3 range led by a"]);
  });

  test("while it waits to join is told that it is no member, and the others go on", () => {
    const life = stable();
    life.rejoin("a", ONE);
    expect(life.leave("a")).toEqual(["a join UNKNOWN_MEMBER"]);
    expect(life.rejoin("b", TWO)).toEqual(["b joins 3 range led by b of b"]);
  });
});
