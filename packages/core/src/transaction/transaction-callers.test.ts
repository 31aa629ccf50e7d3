/** Who may ask what: the identities that are present, over, or of nobody. */
import { describe, expect, test } from "vitest";
import { BrokerError } from "../errors.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import { isRepeatedEnd, nextOfHolder, requirePresent } from "./transaction-callers.ts";
import type { TransactionEvent } from "./transaction-events.ts";
import { newTransaction, type Transaction } from "./transaction-state.ts";
import { after } from "./transitions.ts";

const id = (producerEpoch: number, producerId = 7): ProducerIdentity => ({ producerId, producerEpoch });

/** What an id is after `events`; its producer id is 7, and the next one 8. */
function lived(...events: TransactionEvent[]): Transaction {
  let next = 7;
  const world = { nowMs: 1, newProducerId: () => next++ };
  return events.reduce((transaction, event) => after(transaction, event, world), newTransaction("billing"));
}

const INIT = { kind: "init", timeoutMs: 1_000, current: null } as const;
const BEGIN = { kind: "begin" } as const;
const COMPLETE = { kind: "complete" } as const;
const ended = (cause: "request" | "timeout" | "fenced" | "operator", commit = false): TransactionEvent[] => [
  INIT,
  BEGIN,
  { kind: "prepare", commit, cause },
];

function answer(act: () => unknown): unknown {
  try {
    return act() ?? "taken";
  } catch (problem) {
    if (problem instanceof BrokerError) return problem.code;
    throw problem;
  }
}

describe("a request", () => {
  test("of the present identity is taken; an older one is fenced, and one that nobody was given is unknown", () => {
    const transaction = lived(INIT, INIT);
    const asks = (identity: ProducerIdentity) => answer(() => requirePresent(transaction, identity));
    expect([id(1), id(0), id(2), id(9, 6), id(0, 8)].map(asks)).toEqual([
      "taken",
      "PRODUCER_FENCED",
      "UNKNOWN_PRODUCER_ID",
      "PRODUCER_FENCED",
      "UNKNOWN_PRODUCER_ID",
    ]);
    expect(answer(() => requirePresent(newTransaction("billing"), id(0)))).toBe("UNKNOWN_TRANSACTIONAL_ID");
  });

  test.each([
    ["timeout", "TRANSACTION_ABORTED"],
    ["operator", "TRANSACTION_ABORTED"],
    ["fenced", "PRODUCER_FENCED"],
    ["request", "PRODUCER_FENCED"],
  ] as const)("of a transaction that was ended by %s is %s", (cause, code) => {
    expect(answer(() => requirePresent(lived(...ended(cause)), id(0)))).toBe(code);
    expect(answer(() => requirePresent(lived(...ended(cause), COMPLETE, INIT), id(0)))).toBe(
      "PRODUCER_FENCED",
    );
  });
});

describe("an end", () => {
  test("that was decided before is the same one in the same direction, and refused in the other", () => {
    for (const commit of [true, false]) {
      for (const more of [[], [COMPLETE], [COMPLETE, BEGIN]]) {
        const transaction = lived(...ended("request", commit), ...more);
        expect(isRepeatedEnd(transaction, id(0), commit)).toBe(true);
        expect(answer(() => isRepeatedEnd(transaction, id(0), !commit))).toBe("INVALID_TRANSACTION_STATE");
      }
    }
  });

  test("of the present identity is a new one", () => {
    expect(isRepeatedEnd(lived(INIT, BEGIN), id(0), true)).toBe(false);
  });

  test("of a transaction that the coordinator has ended is TRANSACTION_ABORTED, in either direction", () => {
    for (const commit of [true, false])
      expect(answer(() => isRepeatedEnd(lived(...ended("timeout")), id(0), commit))).toBe(
        "TRANSACTION_ABORTED",
      );
  });

  test("of a producer that keeps its epoch is known until its next transaction begins", () => {
    const end: TransactionEvent = { kind: "prepare", commit: true, cause: "request", keepsEpoch: true };
    const asks = (transaction: Transaction, commit: boolean) =>
      answer(() => isRepeatedEnd(transaction, id(0), commit));
    for (const transaction of [lived(INIT, BEGIN, end), lived(INIT, BEGIN, end, COMPLETE)]) {
      expect(asks(transaction, true)).toBe(true);
      expect(asks(transaction, false)).toBe("INVALID_TRANSACTION_STATE");
    }
    const next = lived(INIT, BEGIN, end, COMPLETE, BEGIN);
    expect([asks(next, true), asks(next, false)]).toEqual([false, false]);
  });

  test("is not taken for a repetition when the epoch was raised by something else since", () => {
    const raised: TransactionEvent = { ...INIT, current: id(1) };
    const transaction = lived(...ended("request", true), COMPLETE, raised);
    expect(answer(() => isRepeatedEnd(transaction, id(0), true))).toBe("PRODUCER_FENCED");
    expect(answer(() => isRepeatedEnd(transaction, id(1), true))).toBe("PRODUCER_FENCED");
  });
});

describe("who gives back its identity", () => {
  const asks = (transaction: Transaction, identity: ProducerIdentity) =>
    answer(() => nextOfHolder(transaction, identity));

  test("gets the next epoch, and the same one when it asks again", () => {
    expect(asks(lived(INIT), id(0))).toBe("raise");
    const raised = lived(INIT, { ...INIT, current: id(0) });
    expect([id(0), id(1)].map((identity) => asks(raised, identity))).toEqual(["present", "raise"]);
  });

  test("goes on after an end that was not its own, but not after a newer instance has come", () => {
    for (const cause of ["timeout", "operator", "request"] as const)
      expect(asks(lived(...ended(cause), COMPLETE), id(0))).toBe("present");
    expect(asks(lived(...ended("fenced"), COMPLETE), id(0))).toBe("PRODUCER_FENCED");
    expect(asks(lived(...ended("timeout"), COMPLETE, INIT), id(0))).toBe("PRODUCER_FENCED");
  });

  test("is fenced while the identity that follows has a transaction open", () => {
    expect(asks(lived(...ended("timeout"), COMPLETE, BEGIN), id(0))).toBe("PRODUCER_FENCED");
  });

  test("of a transactional id that was forgotten gets a new identity", () => {
    expect(asks(newTransaction("billing"), id(3, 2))).toBe("raise");
  });
});
