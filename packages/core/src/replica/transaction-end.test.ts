import { encodeBatch, readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import { markerFor, requireOneTransaction } from "./transaction-end.ts";

const END = { producerId: 7, producerEpoch: 4, coordinatorEpoch: 2, control: "commit" } as const;

/** A log in which producer 7 has a transaction of that epoch open from offset 9 on, or none. */
const logWith = (producerEpoch: number | null) => ({
  openTransaction: (producerId: number) =>
    producerId === 7 && producerEpoch !== null
      ? { producerId, producerEpoch, firstOffset: 9, nextOffset: 12 }
      : undefined,
});

test("a marker is due where a transaction of an older epoch is open, and says where that began", () => {
  expect(markerFor(logWith(3), END, 5)).toEqual({ ...END, firstOffset: 9, timestampMs: 5 });
  expect(markerFor(logWith(null), END, 5)).toBeNull();
  expect(markerFor(logWith(4), END, 5)).toBeNull();
  expect(markerFor(logWith(5), END, 5)).toBeNull();
});

test("a commit is one of the epoch right before its own: what is open of an older one was never to be committed, and is aborted", () => {
  const aborted = { ...END, control: "abort", firstOffset: 9, timestampMs: 5 };
  expect(markerFor(logWith(2), END, 5)).toEqual(aborted);
  expect(markerFor(logWith(0), END, 5)).toEqual(aborted);
  expect(markerFor(logWith(2), { ...END, control: "abort" }, 5)).toEqual(aborted);
});

test("a batch goes on with the transaction of its own epoch, or begins one where none is open", () => {
  const headerOf = (producerEpoch: number, isTransactional = true) => {
    const record = { key: null, value: Buffer.from("a"), timestampMs: 0, headers: [] };
    const producer = { producerId: 7, producerEpoch, baseSequence: 0, transactional: isTransactional };
    return readBatchHeader(encodeBatch({ records: [record], ...producer }));
  };
  for (const epoch of [null, 3])
    expect(() => requireOneTransaction(logWith(epoch), headerOf(3))).not.toThrow();
  expect(() => requireOneTransaction(logWith(2), headerOf(3, false))).not.toThrow();
  expect(() => requireOneTransaction(logWith(2), headerOf(3))).toThrow(
    expect.objectContaining({
      code: "INVALID_TRANSACTION_STATE",
      details: expect.objectContaining({ open_epoch: 2 }),
    }),
  );
});
