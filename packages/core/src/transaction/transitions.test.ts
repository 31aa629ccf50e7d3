/** Every cell of the table, and what each event makes of an id, on plain values. */
import { describe, expect, test } from "vitest";
import { AssertionFailure } from "../assert.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { TransactionEvent, TransactionEventKind } from "./transaction-events.ts";
import {
  GIVEN_EPOCH_MAX,
  newTransaction,
  type Transaction,
  type TransactionState,
  transactionProblem,
} from "./transaction-state.ts";
import { after, TRANSITIONS } from "./transitions.ts";

const PARTITION = { topic: "orders", topicId: "id-1", partition: 3 };
const INIT = { kind: "init", timeoutMs: 1_000, current: null } as const;
const BEGIN = { kind: "begin" } as const;
const ADD = { kind: "add_partition", partition: PARTITION } as const;
const COMMIT = { kind: "prepare", commit: true, cause: "request" } as const;
const ABORT = { kind: "prepare", commit: false, cause: "timeout" } as const;
const COMPLETE = { kind: "complete" } as const;
const FORGET = { kind: "forget" } as const;

const NEW_ID = 77;

function on(transaction: Transaction, event: TransactionEvent, nowMs = 5_000): Transaction {
  const next = after(transaction, event, { nowMs, newProducerId: () => NEW_ID });
  if (next.state !== "dead") expect(transactionProblem(next)).toBeNull();
  return next;
}

const dead = newTransaction("billing");
const empty = on(dead, INIT);
const ongoing = on(on(empty, BEGIN), ADD);
const preparedCommit = on(ongoing, COMMIT);
const preparedAbort = on(ongoing, ABORT);

const IN: { readonly [State in TransactionState]: Transaction } = {
  dead,
  empty,
  ongoing,
  prepare_commit: preparedCommit,
  prepare_abort: preparedAbort,
  complete_commit: on(preparedCommit, COMPLETE),
  complete_abort: on(preparedAbort, COMPLETE),
};

/** What comes of each event in each state; "-" for what cannot happen. */
const UNKNOWN = "UNKNOWN_TRANSACTIONAL_ID";
const INVALID = "INVALID_TRANSACTION_STATE";
const CONCURRENT = "CONCURRENT_TRANSACTIONS";
const TABLE: {
  readonly [State in TransactionState]: readonly [
    init: string,
    begin: string,
    add: string,
    commit: string,
    abort: string,
    complete: string,
    forget: string,
  ];
} = {
  dead: ["empty", UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, "-", "-"],
  empty: ["empty", "ongoing", INVALID, INVALID, INVALID, "-", "dead"],
  ongoing: ["-", INVALID, "ongoing", "prepare_commit", "prepare_abort", "-", "-"],
  prepare_commit: ["-", CONCURRENT, CONCURRENT, CONCURRENT, CONCURRENT, "complete_commit", "-"],
  prepare_abort: ["-", CONCURRENT, CONCURRENT, CONCURRENT, CONCURRENT, "complete_abort", "-"],
  complete_commit: ["empty", "ongoing", INVALID, INVALID, INVALID, "-", "dead"],
  complete_abort: ["empty", "ongoing", INVALID, INVALID, INVALID, "-", "dead"],
};
const EVENTS = [INIT, BEGIN, ADD, COMMIT, ABORT, COMPLETE, FORGET] as const;

const CELLS = Object.entries(IN).flatMap(([state, transaction]) =>
  EVENTS.map((event, column) => {
    const expected = TABLE[state as TransactionState][column] ?? "missing";
    const name = "commit" in event ? (event.commit ? "commit" : "abort") : event.kind;
    return { state, transaction, event, name, expected };
  }),
);

describe("the table", () => {
  test.each(CELLS)("$state takes $name: $expected", ({ transaction, event, expected }) => {
    const before = structuredClone(transaction);
    if (expected === "-") expect(() => on(transaction, event)).toThrow(AssertionFailure);
    else if (expected === expected.toUpperCase()) expect(codeOf(() => on(transaction, event))).toBe(expected);
    else expect(on(transaction, event).state).toBe(expected);
    expect(transaction).toEqual(before);
  });

  test("has a row for each state, and a cell for each kind of event", () => {
    const kinds = new Set<TransactionEventKind>(EVENTS.map(({ kind }) => kind));
    for (const row of Object.values(TRANSITIONS)) expect(new Set(Object.keys(row))).toEqual(kinds);
    expect(new Set(Object.keys(TRANSITIONS))).toEqual(new Set(Object.keys(IN)));
  });
});

describe("an init", () => {
  test("gives an id that nobody has, in its epoch 0; the next one raises the epoch", () => {
    expect(empty).toMatchObject({ producerId: NEW_ID, producerEpoch: 0, previous: null, timeoutMs: 1_000 });
    expect(on(empty, { ...INIT, timeoutMs: 9 })).toMatchObject({
      producerId: NEW_ID,
      producerEpoch: 1,
      previous: null,
      timeoutMs: 9,
    });
  });

  test("of who gives back what it has keeps that, so that it may ask again", () => {
    const current = { producerId: NEW_ID, producerEpoch: 0 };
    expect(on(empty, { ...INIT, current })).toMatchObject({ producerEpoch: 1, previous: current });
  });

  test("gives another id when the epochs are used up: the last that is given is the one before Kafka's last", () => {
    const last = { ...empty, producerId: 5, producerEpoch: GIVEN_EPOCH_MAX };
    expect(GIVEN_EPOCH_MAX).toBe(32_766);
    expect(on(last, INIT)).toMatchObject({ producerId: NEW_ID, producerEpoch: 0, previous: null });
    const before = { ...empty, producerId: 5, producerEpoch: GIVEN_EPOCH_MAX - 1 };
    expect(on(before, INIT)).toMatchObject({ producerId: 5, producerEpoch: GIVEN_EPOCH_MAX });
  });
});

describe("an end", () => {
  test("raises the epoch, and its markers carry the raised one", () => {
    expect(preparedCommit).toMatchObject({
      producerEpoch: 1,
      previous: { producerId: NEW_ID, producerEpoch: 0 },
      markerProducer: { producerId: NEW_ID, producerEpoch: 1 },
      lastEnd: { producer: { producerId: NEW_ID, producerEpoch: 0 }, committed: true, cause: "request" },
    });
    expect([...preparedCommit.partitions.keys()]).toEqual(["orders-3"]);
  });

  test("in the last epoch that is given has Kafka's last for its markers, and another id for what comes next", () => {
    const last = { ...ongoing, producerId: 5, producerEpoch: GIVEN_EPOCH_MAX };
    expect(on(last, COMMIT)).toMatchObject({
      producerId: NEW_ID,
      producerEpoch: 0,
      previous: { producerId: 5, producerEpoch: 32_766 },
      markerProducer: { producerId: 5, producerEpoch: 32_767 },
    });
  });

  test("that keeps the epoch leaves the producer as it is, and its markers carry that", () => {
    const identity = { producerId: NEW_ID, producerEpoch: 0 };
    const kept = on(ongoing, { ...COMMIT, keepsEpoch: true });
    expect(kept).toMatchObject({ ...identity, previous: null, markerProducer: identity });
    expect(kept.lastEnd).toMatchObject({ producer: identity, committed: true });
    const next = on(on(on(kept, COMPLETE), BEGIN), ADD);
    expect(on(next, ABORT)).toMatchObject({ producerEpoch: 1, previous: identity });
  });

  test("of who is fenced leaves nobody who could go on with the raised epoch", () => {
    expect(on(ongoing, { ...ABORT, cause: "fenced" }).previous).toBeNull();
    expect(on(ongoing, { ...ABORT, cause: "operator" }).previous).toEqual({
      producerId: NEW_ID,
      producerEpoch: 0,
    });
  });

  test("that is complete has no partitions and no start, and remembers how it was", () => {
    const complete = on(preparedAbort, COMPLETE, 6_000);
    expect(complete).toMatchObject({ startedMs: null, markerProducer: null, updatedMs: 6_000 });
    expect(complete.partitions.size).toBe(0);
    expect(complete.lastEnd).toMatchObject({ committed: false, cause: "timeout", endedMs: 5_000 });
    expect(on(complete, BEGIN, 7_000)).toMatchObject({ startedMs: 7_000, producerEpoch: 1 });
  });
});

describe("partitions", () => {
  test("of a topic that was made anew take the place of the old one's", () => {
    const anew = { ...PARTITION, topicId: "id-2" };
    const { partitions } = on(ongoing, { ...ADD, partition: anew });
    expect([...partitions.values()]).toEqual([anew]);
  });

  test("are bounded: the one too many is refused, and one that is there already is not", () => {
    const partitions = new Map(
      Array.from({ length: LIMITS.partitionsPerTransactionMax }, (_, partition) => [
        `orders-${partition}`,
        { ...PARTITION, partition },
      ]),
    );
    const full = { ...ongoing, partitions };
    expect(codeOf(() => on(full, { ...ADD, partition: { ...PARTITION, topic: "more" } }))).toBe(
      "INVALID_REQUEST",
    );
    expect(on(full, ADD).partitions.size).toBe(LIMITS.partitionsPerTransactionMax);
  });
});

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (problem) {
    if (problem instanceof BrokerError) return problem.code;
    throw problem;
  }
  return "no refusal";
}
