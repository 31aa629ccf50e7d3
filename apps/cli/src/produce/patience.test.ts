import { ManualClock } from "@minikafka/client";
import { expect, test } from "vitest";
import { Patience } from "./patience.ts";

function patience(giveUpMs = 10_000) {
  const said: string[] = [];
  const clock = new ManualClock();
  const waiting = new Patience({
    clock,
    giveUpMs,
    onStall: async () => {
      said.push("stall");
    },
    onGiveUp: () => said.push("give up"),
  });
  return { waiting, said, clock };
}

test("a stall is told after a second and given up when patience is over, once each", () => {
  const { waiting, said, clock } = patience();
  waiting.pendingChanged(1);
  clock.advance(999);
  expect(said).toEqual([]);
  clock.advance(1);
  expect(said).toEqual(["stall"]);
  waiting.pendingChanged(2);
  clock.advance(9_000);
  expect(said).toEqual(["stall", "give up"]);
  expect(waiting.hasGivenUp).toBe(true);
  waiting.pendingChanged(1);
  clock.advance(60_000);
  expect(said).toEqual(["stall", "give up"]);
});

test("an acknowledgement begins the wait anew, and nothing pending is no wait", () => {
  const { waiting, said, clock } = patience();
  waiting.pendingChanged(2);
  clock.advance(900);
  waiting.pendingChanged(1);
  clock.advance(900);
  waiting.pendingChanged(0);
  clock.advance(60_000);
  expect(said).toEqual([]);
});

test("who waits for less than a second is told by the failure alone", () => {
  const { waiting, said, clock } = patience(500);
  waiting.pendingChanged(1);
  clock.advance(2_000);
  expect(said).toEqual(["give up"]);
});

test("after its end nothing is said", () => {
  const { waiting, said, clock } = patience();
  waiting.pendingChanged(1);
  waiting.end();
  clock.advance(60_000);
  expect(said).toEqual([]);
});
