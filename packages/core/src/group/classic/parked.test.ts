/** Requests that wait for others. */
import { expect, test } from "vitest";
import { outcomeOf } from "../../../test/replica-world.ts";
import { BrokerError } from "../../errors.ts";
import type { Reply } from "./classic-events.ts";
import { Parked } from "./parked.ts";

const NEWER = new BrokerError("REBALANCE_IN_PROGRESS", "a newer request waits");
const GONE = new BrokerError("NOT_COORDINATOR", "the leadership is over");
const SYNCED: Reply = {
  to: "sync",
  memberId: "a",
  synced: { protocolType: "consumer", protocolName: "range", assignment: Buffer.from("0") },
};

test("an answer that is decided is told later, and belongs to the request that waited when it was", async () => {
  const parked = new Parked();
  const settled: string[] = [];
  const first = parked.park("sync", "a", NEWER);
  const owed = parked.owe([SYNCED], (memberId) => settled.push(memberId));
  expect(parked.isOwed("a")).toBe(true);
  const second = parked.park("sync", "a", NEWER);
  expect([await outcomeOf(first), await outcomeOf(second)]).toEqual(["pending", "pending"]);
  owed.tell();
  owed.fail(GONE);
  expect(await first).toMatchObject({ assignment: Buffer.from("0") });
  expect([await outcomeOf(second), settled, parked.isOwed("a")]).toEqual(["pending", ["a"], false]);
});

test("a newer request of a member ends the one before it, and no other", async () => {
  const parked = new Parked();
  const requests = [
    parked.park("join", "a", NEWER),
    parked.park("join", "b", NEWER),
    parked.park("sync", "a", NEWER),
    parked.park("join", "a", NEWER),
  ];
  expect(await Promise.all(requests.map(outcomeOf))).toEqual([
    "REBALANCE_IN_PROGRESS",
    "pending",
    "pending",
    "pending",
  ]);
});

test("an answer that never became durable is none: who waits for it is told why", async () => {
  const parked = new Parked();
  const waits = parked.park("sync", "a", NEWER);
  parked.owe([SYNCED], () => {}).fail(GONE);
  expect([await outcomeOf(waits), parked.isAnyoneOwed]).toEqual(["NOT_COORDINATOR", false]);
});

test("nobody waits where nobody will answer: who waits, and whose answer is not durable, is told", async () => {
  const parked = new Parked();
  const owed = parked.park("sync", "a", NEWER);
  const waits = parked.park("join", "b", NEWER);
  const answer = parked.owe([SYNCED], () => {});
  parked.abandon(GONE);
  expect([await outcomeOf(owed), await outcomeOf(waits)]).toEqual(["NOT_COORDINATOR", "NOT_COORDINATOR"]);
  answer.tell();
  expect([await outcomeOf(owed), parked.isAnyoneOwed]).toEqual(["NOT_COORDINATOR", false]);
});
