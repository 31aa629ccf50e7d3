import { describe, expect, test } from "vitest";
import {
  type CoordinatorRecord,
  type JsonObject,
  MalformedRecord,
  readRecord,
} from "../coordinator/coordinator-record.ts";
import { LIMITS } from "../limits.ts";
import type { TransactionEvent } from "./transaction-events.ts";
import { parseTransactionRecord, transactionRecord } from "./transaction-record.ts";
import { newTransaction, type Transaction } from "./transaction-state.ts";
import { after } from "./transitions.ts";

const partition = (number: number, topic = "orders") => ({
  topic,
  topicId: `id-${topic}`,
  partition: number,
});
const INIT = { kind: "init", timeoutMs: 1_000, current: null } as const;
const LIFE: readonly TransactionEvent[] = [
  INIT,
  { ...INIT, current: { producerId: 7, producerEpoch: 0 } },
  { kind: "begin" },
  { kind: "add_partition", partition: partition(0) },
  { kind: "add_partition", partition: partition(2, "__proto__") },
  { kind: "add_partition", partition: partition(1) },
  { kind: "prepare", commit: false, cause: "timeout" },
  { kind: "complete" },
];

/** What the id is after each of the first events of its life. */
function stages(): Transaction[] {
  const found: Transaction[] = [];
  let transaction = newTransaction("billing");
  for (const event of LIFE) {
    transaction = after(transaction, event, { nowMs: 5, newProducerId: () => 7 });
    found.push(transaction);
  }
  return found;
}

/** As it comes out of the log. */
function throughText({ key, value }: CoordinatorRecord): CoordinatorRecord {
  return readRecord(JSON.stringify(key), value === null ? null : JSON.stringify(value));
}

describe("a transactional id", () => {
  test("comes back from its record as it was, at every stage of its life", () => {
    for (const transaction of stages()) {
      const entry = parseTransactionRecord(throughText(transactionRecord(transaction)));
      expect(entry.transaction).toMatchObject({ ...transaction, partitions: expect.anything() });
      const sorted = (each: Transaction | null) => [...(each?.partitions ?? [])].sort();
      expect(sorted(entry.transaction)).toEqual(sorted(transaction));
    }
  });

  test("that is dead is a tombstone", () => {
    const record = transactionRecord(newTransaction("billing"));
    expect(record).toEqual({ key: { kind: "transaction", transactional_id: "billing" }, value: null });
    expect(parseTransactionRecord(record)).toEqual({ transactionalId: "billing", transaction: null });
  });

  test("with as many partitions as there may be, of names as long as there may be, fits a batch", () => {
    const partitions = new Map(
      Array.from({ length: LIMITS.partitionsPerTransactionMax }, (_, index) => {
        const topic = `${index}`.padStart(LIMITS.topicNameLengthMax, "t");
        const place = { topic, topicId: "6ec0b7a4-0000-4000-8000-000000000000", partition: 999 };
        return [`${topic}-999`, place];
      }),
    );
    const ongoing = stages()[2] ?? newTransaction("billing");
    const bytes = Buffer.byteLength(JSON.stringify(transactionRecord({ ...ongoing, partitions }).value));
    expect(bytes).toBeLessThan(LIMITS.batchBytesMax - 4096);
  });
});

describe("a record that breaks a rule is refused:", () => {
  const prepared = () => {
    const transaction = stages()[6] ?? newTransaction("billing");
    return transactionRecord(transaction).value as JsonObject;
  };
  test.each<[string, JsonObject, string]>([
    ["another version", { version: 2 }, "version is 2, expected 1"],
    ["a state that there is not", { state: "done" }, "state is string, expected empty, ongoing"],
    ["an epoch that no producer is given", { producer_epoch: 32_767 }, "its epoch is 32767"],
    ["a negative producer id", { producer_id: -1 }, "producer_id is -1"],
    ["a prepared one without a start", { started_ms: null }, "it is prepare_abort, and has no start"],
    ["a prepared one without a marker", { marker: null }, "it is prepare_abort, and has no marker"],
    ["a prepared one without an end", { last_end: null }, "it is prepare_abort and has no end"],
    [
      "a direction that is not its end's",
      { state: "prepare_commit" },
      "it is prepare_commit and was aborted",
    ],
    ["a complete one with a start", { state: "complete_abort" }, "it is complete_abort, and has one"],
    [
      "an empty one with a marker",
      { state: "empty", started_ms: null, partitions: [] },
      "it is empty, and has one",
    ],
    [
      "partitions without a start",
      { state: "empty", started_ms: null, marker: null },
      "it is empty and has partitions",
    ],
    [
      "a partition twice",
      { partitions: [{ topic: "a", topic_id: "x", partitions: [1, 1] }] },
      "it has a-1 twice",
    ],
    ["no timeout", { timeout_ms: 0 }, "timeout_ms is 0"],
    [
      "a cause that there is not",
      { last_end: { producer_id: 7, producer_epoch: 1, committed: false, cause: "boredom", ended_ms: 5 } },
      "cause is string, expected request, timeout, fenced, operator",
    ],
  ])("%s", (_what, change, message) => {
    const record = {
      key: { kind: "transaction", transactional_id: "billing" },
      value: { ...prepared(), ...change },
    };
    expect(() => parseTransactionRecord(record)).toThrow(MalformedRecord);
    expect(() => parseTransactionRecord(record)).toThrow(message);
  });

  test("a key without a transactional id", () => {
    const record = { key: { kind: "transaction" }, value: prepared() };
    expect(() => parseTransactionRecord(record)).toThrow("transactional_id is undefined, expected text");
  });
});
