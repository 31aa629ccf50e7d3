import { assignBatch, encodeBatch, encodeMarker, readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import { LIMITS } from "../../limits.ts";
import { ProducerTables } from "./producer-tables.ts";

const records = [{ key: null, value: Buffer.from("v"), timestampMs: 5, headers: [] }];
const header = (producerId: number, transactional: boolean) => {
  const frame = encodeBatch({ records, producerId, producerEpoch: 0, baseSequence: 0, transactional });
  assignBatch(frame, { baseOffset: 0, leaderEpoch: 0 });
  return readBatchHeader(frame);
};
const AT_START = { nowMs: 0, startOffset: 0 };

test("a table of producers that is full forgets the producer of an open transaction, and never the transaction", () => {
  const tables = new ProducerTables();
  tables.note(header(1, true), AT_START);
  const plain = header(2, false);
  for (let n = 0; n < LIMITS.producersPerPartitionMax; n++)
    tables.note({ ...plain, producerId: 2 + n, baseOffset: 1 + n, nextOffset: 2 + n }, AT_START);
  expect(tables.producers.get(1)).toBeUndefined();
  expect(tables.transactions.get(1, 0)).toMatchObject({ producerId: 1, producerEpoch: 0, firstOffset: 0 });
});

test("a log that has had a transaction has something to write down for ever; one that has had none, while it knows a producer", () => {
  const plain = new ProducerTables();
  expect(plain.capture(0)).toBeNull();
  plain.note(header(1, false), AT_START);
  expect(plain.capture(1)).toMatchObject({ offset: 1, transactions: null });
  plain.producers.forgetIdle(0);
  expect(plain.capture(1)).toBeNull();

  const tables = new ProducerTables();
  tables.note(header(1, true), AT_START);
  const marker = encodeMarker({
    ...{ control: "commit", producerId: 1, producerEpoch: 1, firstOffset: 0 },
    coordinatorEpoch: 0,
    timestampMs: 5,
  });
  tables.note({ ...readBatchHeader(marker), baseOffset: 1, nextOffset: 2 }, AT_START);
  tables.transactions.settle(2);
  tables.producers.forgetIdle(0);
  const snapshot = tables.capture(2);
  expect(snapshot).toEqual({
    offset: 2,
    producers: [],
    transactions: { open: [], ended: [], settledEnd: 2 },
  });
  expect(new ProducerTables(snapshot).isBlank).toBe(false);
});
