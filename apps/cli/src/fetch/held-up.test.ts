import { type Admin, MiniKafkaError } from "@minikafka/client";
import { expect, test } from "vitest";
import { type HeldUp, heldUpAmong, stoppedText } from "./held-up.ts";

const never = new AbortController().signal;

/** By partition, its last stable offset, its high watermark and where its log ends; `null`: nobody leads it. */
function adminOf(marks: readonly (readonly [number | null, number | null, number | null] | "fails")[]) {
  const describePartition = async ({ partition }: { readonly partition: number }) => {
    const found = marks[partition];
    if (found === undefined || found === "fails") throw new MiniKafkaError("TIMEOUT", "no answer");
    return { lastStableOffset: found[0], highWatermark: found[1], logEndOffset: found[2] };
  };
  return { describePartition } as unknown as Admin;
}

const places = [0, 1, 2, 3, 4].map((partition) => ({ topic: "ledger", partition }));

test("readers are held up where the last stable offset lies below the high watermark, and nowhere else", async () => {
  const admin = adminOf([[4, 4, 4], [4, 9, 9], [null, null, null], "fails", [0, 1, 3]]);
  expect(await heldUpAmong(admin, places, "read_committed", never)).toEqual([
    { topic: "ledger", partition: 1, offset: 4, by: "transaction" },
    { topic: "ledger", partition: 4, offset: 0, by: "transaction" },
  ]);
});

test.each(["read_committed", "read_uncommitted", undefined] as const)(
  "readers are held up where the high watermark lies below the log's end: %s",
  async (isolation) => {
    const admin = adminOf([[4, 4, 4], [4, 4, 9], [null, null, null], "fails", [0, 0, 1]]);
    expect(await heldUpAmong(admin, places, isolation, never)).toEqual([
      { topic: "ledger", partition: 1, offset: 4, by: "replication" },
      { topic: "ledger", partition: 4, offset: 0, by: "replication" },
    ]);
  },
);

test("one open transaction is not several, and of many places three are named", () => {
  const held = [0, 1, 2, 3, 4].map(
    (partition): HeldUp => ({ topic: "ledger", partition, offset: partition * 2, by: "transaction" }),
  );
  expect(stoppedText(held.slice(1, 2), "2 records")).toBe(
    "stopped before an open transaction (ledger [1] at offset 2): 2 records; minikafka-cli tx list shows who has it open",
  );
  expect(stoppedText(held, "0 records")).toBe(
    "stopped before open transactions (ledger [0] at offset 0, ledger [1] at offset 2, ledger [2] at offset 4, 2 more): " +
      "0 records; minikafka-cli tx list shows who has them open",
  );
});

test("what waits for its copies is told with where to look, unless a transaction is open as well", () => {
  const copied: HeldUp = { topic: "ledger", partition: 0, offset: 7, by: "replication" };
  expect(stoppedText([copied], "7 records")).toBe(
    "7 records: offset 7 of ledger [0] is not yet on every in-sync replica; minikafka-cli replicas ledger shows who is behind",
  );
  expect(stoppedText([copied, { ...copied, partition: 1, offset: 2 }], "9 records")).toContain(
    "9 records: offset 7 of ledger [0], offset 2 of ledger [1] are not yet on every in-sync replica;",
  );
  const open: HeldUp = { topic: "ledger", partition: 1, offset: 3, by: "transaction" };
  expect(stoppedText([copied, open], "9 records")).toContain("an open transaction (ledger [1] at offset 3)");
});
