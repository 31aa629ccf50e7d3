import { describe, expect, test } from "vitest";
import { LastStableOffset, stableEnd } from "./last-stable-offset.ts";

/** A log of which `first` is the first unstable offset. */
const logWith = (first: number | null) => ({ firstUnstableOffset: () => first });

test("the stable end is the first unstable offset, and at most the high watermark", () => {
  expect(stableEnd(logWith(null), 7)).toBe(7);
  expect(stableEnd(logWith(3), 7)).toBe(3);
  expect(stableEnd(logWith(9), 7)).toBe(7);
});

describe("the last stable offset", () => {
  test("says how it moves, and whether a transaction has to do with it", () => {
    const stable = new LastStableOffset();
    expect(stable.follow(logWith(null), 0)).toBeNull();
    expect(stable.follow(logWith(null), 4)).toEqual({ from: 0, to: 4, isHeldBack: false });
    expect(stable.follow(logWith(5), 8)).toEqual({ from: 4, to: 5, isHeldBack: true });
    expect(stable.follow(logWith(5), 9)).toBeNull();
    expect(stable.follow(logWith(null), 9)).toEqual({ from: 5, to: 9, isHeldBack: true });
    expect(stable.follow(logWith(null), 10)).toEqual({ from: 9, to: 10, isHeldBack: false });
  });

  test("never moves back in a leadership, and in the next one it may", () => {
    const stable = new LastStableOffset();
    stable.follow(logWith(null), 6);
    expect(stable.follow(logWith(2), 8)).toBeNull();
    expect(stable.value).toBe(6);
    stable.beginEpoch();
    expect(stable.follow(logWith(2), 8)).toEqual({ from: 6, to: 2, isHeldBack: true });
  });

  test("is in each instant what the log says, also before it has followed", () => {
    const stable = new LastStableOffset();
    stable.follow(logWith(2), 6);
    expect([stable.at(logWith(4), 6), stable.at(logWith(null), 6), stable.at(logWith(1), 6)]).toEqual([
      4, 6, 2,
    ]);
    expect(stable.value).toBe(2);
  });

  test("falls back with the high watermark", () => {
    const stable = new LastStableOffset();
    stable.follow(logWith(null), 6);
    stable.beginEpoch();
    expect(stable.follow(logWith(null), 3)).toEqual({ from: 6, to: 3, isHeldBack: false });
  });
});
