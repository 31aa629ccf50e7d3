import { expect, test } from "vitest";
import { stallReason } from "./stall-reason.ts";

const placement = (partition: number, leader: number | null, isr: number[]) => ({
  partition,
  leader_id: leader,
  replicas: [1, 2, 3],
  isr,
});
const facts = { topic: "orders", mode: "auto", waitsForAll: true } as const;

test("a partition without a leader is named before anything else", () => {
  const partitions = [placement(0, 1, [1]), placement(1, null, [2])];
  expect(stallReason({ ...facts, mode: "manual", partitions })).toBe("orders-1 has no leader");
});

test("under a manual clock the way on is a round of replication", () => {
  const partitions = [placement(0, 1, [1, 2, 3])];
  expect(stallReason({ ...facts, mode: "manual", partitions })).toContain("step replicate orders");
  expect(stallReason({ ...facts, mode: "manual", partitions, waitsForAll: false })).toBe(
    "nothing was acknowledged yet",
  );
});

test("too few in sync are counted, for those who wait for them", () => {
  const partitions = [placement(1, 1, [1])];
  expect(stallReason({ ...facts, partitions })).toBe("in sync are 1 of 3 replicas of orders-1");
});
