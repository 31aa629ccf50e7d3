import { type Admin, MiniKafkaError } from "@minikafka/client";
import { expect, test } from "vitest";
import { heldUpAmong, stoppedText } from "./held-up.ts";

const never = new AbortController().signal;

/** By partition, its last stable offset and its high watermark; `null`: nobody leads it. */
function adminOf(marks: readonly (readonly [number | null, number | null] | "fails")[]) {
  const describePartition = async ({ partition }: { readonly partition: number }) => {
    const found = marks[partition];
    if (found === undefined || found === "fails") throw new MiniKafkaError("TIMEOUT", "no answer");
    return { lastStableOffset: found[0], highWatermark: found[1] };
  };
  return { describePartition } as unknown as Admin;
}

test("readers are held up where the last stable offset lies below the high watermark, and nowhere else", async () => {
  const admin = adminOf([[4, 4], [4, 9], [null, null], "fails", [0, 1]]);
  const places = [0, 1, 2, 3, 4].map((partition) => ({ topic: "ledger", partition }));
  expect(await heldUpAmong(admin, places, never)).toEqual([
    { topic: "ledger", partition: 1, offset: 4 },
    { topic: "ledger", partition: 4, offset: 0 },
  ]);
});

test("one open transaction is not several, and of many places three are named", () => {
  const held = [0, 1, 2, 3, 4].map((partition) => ({ topic: "ledger", partition, offset: partition * 2 }));
  expect(stoppedText(held.slice(1, 2), "2 records")).toBe(
    "stopped before an open transaction (ledger [1] at offset 2): 2 records; minikafka-cli tx list shows who has it open",
  );
  expect(stoppedText(held, "0 records")).toBe(
    "stopped before open transactions (ledger [0] at offset 0, ledger [1] at offset 2, ledger [2] at offset 4, 2 more): " +
      "0 records; minikafka-cli tx list shows who has them open",
  );
});
