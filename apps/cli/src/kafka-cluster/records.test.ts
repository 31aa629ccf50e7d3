import { expect, test } from "vitest";
import { committed } from "./records.ts";

function batch(baseOffset: number, producerId: number, kind: "plain" | "tx" | "marker") {
  const isControl = kind === "marker";
  const isTransactional = kind !== "plain";
  const nextOffset = baseOffset + (isControl ? 1 : 2);
  return { baseOffset, nextOffset, producerId: String(producerId), isControl, isTransactional };
}

test("what is aborted ends at its marker: the same producer's next transaction is read, and so are others", () => {
  const batches = [
    ...[batch(0, -1, "plain"), batch(2, 7, "tx"), batch(4, 8, "tx"), batch(6, 7, "marker")],
    ...[batch(7, 7, "tx"), batch(9, 7, "marker"), batch(10, 8, "marker")],
  ];
  const aborted = [{ producerId: 7, firstOffset: 2 }];
  expect(committed(batches, aborted).map(({ baseOffset }) => baseOffset)).toEqual([0, 4, 7]);
});

test("of two that were aborted by one producer each takes its own", () => {
  const batches = [
    ...[batch(0, 7, "tx"), batch(2, 7, "marker"), batch(3, 7, "tx"), batch(5, 7, "marker")],
    batch(6, 7, "plain"),
  ];
  const aborted = [
    { producerId: 7, firstOffset: 3 },
    { producerId: 7, firstOffset: 0 },
  ];
  expect(committed(batches, aborted).map(({ baseOffset }) => baseOffset)).toEqual([6]);
});
