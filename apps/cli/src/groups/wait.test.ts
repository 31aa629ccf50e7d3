import type { GroupPartitionLag } from "@minikafka/client";
import { expect, test } from "vitest";
import { type GroupLook, hintFor, missingIn, type WaitOptions } from "./wait.ts";

const group: GroupLook["group"] = { state: "stable", generation: 4, members: [] };
const partition = (number: number, fields: Partial<GroupPartitionLag>): GroupPartitionLag => ({
  topic: "orders",
  partition: number,
  committedOffset: 5,
  endOffset: 5,
  lag: 0,
  memberId: null,
  error: null,
  ...fields,
});

test.each<[WaitOptions, GroupLook["partitions"], string | null]>([
  [{ state: "stable" }, [], null],
  [{ state: "completing_rebalance" }, [], "it is stable (expected completing_rebalance)"],
  [{ state: "empty", members: 2 }, [], "it is stable (expected empty), it has 0 members (expected 2)"],
  [{ members: 0 }, [], null],
  [{ members: 1 }, [], "it has 0 members (expected 1)"],
  [{ drained: true }, [partition(0, {})], null],
  [{ drained: true }, [partition(0, { committedOffset: null, endOffset: 0, lag: null })], null],
  [{ drained: true }, [], "it has neither committed nor been given a partition"],
  [{ drained: true }, [partition(0, {}), partition(1, { lag: 3 })], "orders [1] is 3 behind"],
  [
    { drained: true },
    [partition(2, { committedOffset: null, endOffset: 7, lag: null })],
    "orders [2] has records up to 7 and nothing is committed",
  ],
  [
    { drained: true },
    [partition(0, { committedOffset: 5000, endOffset: 100, lag: null })],
    "orders [0] ends at 100 and 5000 is committed, so that the next read resets",
  ],
  [
    { drained: true },
    [1, 2, 3, 4, 5].map((number) => partition(number, { lag: number })),
    "orders [1] is 1 behind, orders [2] is 2 behind, orders [3] is 3 behind, 2 more are behind",
  ],
])("what %j still waits for is told in words", (wanted, partitions, missing) => {
  expect(missingIn({ group, partitions }, wanted)).toBe(missing);
});

test("a group that is not there is waited for, whatever is wanted of it", () => {
  expect(missingIn({ group: null, partitions: [] }, { state: "empty" })).toBe("there is no such group");
});

test("the hint is about transactions where one holds readers up, else about rebalances", () => {
  expect(hintFor("billing", [])).toBe(
    "--timeout 60s waits longer; minikafka-cli groups describe billing --state shows why it was rebalanced last",
  );
  expect(hintFor("billing", [{ topic: "orders", partition: 1, offset: 4, by: "transaction" }])).toBe(
    "a transaction that is open holds up readers of committed records (orders [1] at offset 4): " +
      "minikafka-cli tx list --state ongoing shows whose, minikafka-cli describe orders -p 1 where",
  );
});

test("one member is not several", () => {
  const member = {
    member_id: "a",
    topics: [],
    session_timeout_ms: 1,
    rebalance_timeout_ms: 1,
    heartbeat_age_ms: 0,
  };
  const members = [{ ...member, assignment: [], pending: [], revoking: [], classic: null }];
  expect(missingIn({ group: { ...group, members }, partitions: [] }, { members: 2 })).toBe(
    "it has 1 member (expected 2)",
  );
});
