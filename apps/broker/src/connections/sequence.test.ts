import { ManualClock } from "@minikafka/core";
import { expect, test } from "vitest";
import { Deadlines } from "../deadlines.ts";
import { Sequence } from "./sequence.ts";

function world() {
  const clock = new ManualClock();
  const deadlines = Deadlines.ofSteppedTime(clock);
  const seen: string[] = [];
  return { clock, deadlines, sequence: new Sequence(deadlines), seen };
}

/** What needs so many turns of promises, but nobody from outside. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
}

test("an act begins when all is over that the one before it has set off, however long its chain of promises", async () => {
  const { sequence, seen } = world();
  for (const [name, length] of [
    ["long", 500],
    ["short", 1],
  ] as const) {
    sequence.add(() => {
      seen.push(`${name} begins`);
      void turns(length).then(() => seen.push(`${name} is over`));
      return true;
    });
  }
  await sequence.settled();
  expect(seen).toEqual(["long begins", "long is over", "short begins", "short is over"]);
});

test("an act that waits for others holds nobody up", async () => {
  const { sequence, seen } = world();
  let release = () => {};
  sequence.add(() => {
    void new Promise<void>((resolve) => {
      release = resolve;
    }).then(() => seen.push("released"));
    return true;
  });
  sequence.add(() => {
    seen.push("next");
    return true;
  });
  await sequence.settled();
  expect(seen).toEqual(["next"]);
  release();
  await sequence.settled();
  expect(seen).toEqual(["next", "released"]);
});

test("what is due at once is called when all else is quiet, and before the next act; what is due later, by no act", async () => {
  const { clock, deadlines, sequence, seen } = world();
  sequence.add(() => {
    deadlines.after(0, () => seen.push("at once"));
    deadlines.after(1, () => seen.push("later"));
    void turns(50).then(() => seen.push("needed no waiting"));
    return true;
  });
  sequence.add(() => {
    seen.push("next");
    return true;
  });
  await sequence.settled();
  expect(seen).toEqual(["needed no waiting", "at once", "next"]);
  expect(clock.nowMs()).toBe(0);
});

test("what is added while an act is taken waits for its turn, and an act that did nothing costs none", async () => {
  const { sequence, seen } = world();
  sequence.add(() => {
    sequence.add(() => seen.push("added") > 0);
    seen.push("first");
    return false;
  });
  expect(seen).toEqual(["first", "added"]);
  await sequence.settled();
});

test("work that is held for is waited for, though it takes several goes, and also when it fails", async () => {
  const { sequence, seen } = world();
  const inGoes = async (what: string) => {
    for (let go = 0; go < 3; go++) await new Promise((resolve) => setImmediate(resolve));
    seen.push(`${what} is over`);
    throw new Error(what);
  };
  sequence.add(() => {
    sequence.hold(inGoes("the first")).catch(({ message }: Error) => seen.push(`it failed: ${message}`));
    return true;
  });
  sequence.add(() => {
    seen.push("next");
    return true;
  });
  await sequence.settled();
  expect(seen).toEqual(["the first is over", "it failed: the first", "next"]);
});
