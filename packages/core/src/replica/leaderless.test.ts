import { expect, test } from "vitest";
import { cureFor, type ReplicaCondition } from "./leaderless.ts";

/** What is advised when the replicas 1, 2, … stand so, of which `inSync` are. */
function cure(
  leaderId: number | null,
  inSync: readonly number[],
  conditions: readonly ReplicaCondition[],
): string {
  const state = { leaderId, leaderEpoch: 3, leaderEpochStartOffset: 0, inSyncReplicas: inSync };
  return cureFor(
    state,
    conditions.map((condition, index) => ({ brokerId: index + 1, condition })),
  );
}

test("only those in sync that are on line are named to be promoted", () => {
  const ready = (ids: string) => `in sync and on line are ${ids}, one of which may be promoted`;
  expect(cure(1, [1, 2, 3], ["stopped", "ready", "ready"])).toBe(ready("2, 3"));
  expect(cure(1, [1, 2, 3], ["stopped", "stopped", "ready"])).toBe(ready("3"));
  expect(cure(1, [1, 2, 3], ["stopped", "failed", "ready"])).toBe(ready("3"));
  expect(cure(null, [2, 3], ["ready", "offline", "ready"])).toBe(ready("3"));
});

test("when none of them is, it says whom to start, and whether that is enough", () => {
  expect(cure(1, [1, 2], ["stopped", "stopped", "offline"])).toBe(
    "nobody in sync is on line to be promoted: start_broker 1 first, which leads it; or delete the topic",
  );
  expect(cure(1, [1, 2, 3], ["offline", "stopped", "stopped"])).toContain(
    "start_broker 2 or 3 first, and promote it; or stop_broker 1, restore its copy if that is damaged",
  );
  expect(cure(null, [3], ["ready", "ready", "stopped"])).toBe(
    "nobody in sync is on line to be promoted: start_broker 3 first, and promote it; or promote 1 or 2 with unclean, which loses what only others hold; or delete the topic",
  );
  expect(cure(1, [1, 2], ["stopped", "failed"])).toContain(
    "or stop_broker and start_broker 2 first, and promote it",
  );
});

test("when the only copy is lost, what is left is to restore it or to delete the topic", () => {
  expect(cure(1, [1], ["offline"])).toBe(
    "nobody in sync is on line to be promoted: stop_broker 1, restore its copy if that is damaged, and start_broker it; or delete the topic",
  );
});

test("an unclean promotion is named when somebody is there for it, and only then", () => {
  expect(cure(1, [1], ["stopped", "ready"])).toContain("promote 2 with unclean, which loses");
  expect(cure(1, [1], ["stopped", "stopped"])).not.toContain("unclean");
  expect(cure(null, [], ["offline", "ready"])).toBe(
    "nobody in sync is on line to be promoted: promote 2 with unclean, which loses what only others hold; or delete the topic",
  );
});
