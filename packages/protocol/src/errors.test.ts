import { expect, test } from "vitest";
import { ERRORS, isErrorCode, isRetriable } from "./errors.ts";

test("the codes that a client may send again are just those that the protocol promises", () => {
  const retriable = Object.entries(ERRORS).filter(([, entry]) => entry.retriable);
  expect(retriable.map(([code]) => code).sort()).toEqual([
    "BROKER_NOT_AVAILABLE",
    "CONCURRENT_TRANSACTIONS",
    "FENCED_LEADER_EPOCH",
    "LEADER_NOT_AVAILABLE",
    "NOT_COORDINATOR",
    "NOT_ENOUGH_REPLICAS",
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    "REBALANCE_IN_PROGRESS",
    "REQUEST_TIMED_OUT",
    "SHUTTING_DOWN",
    "TOO_MANY_CONNECTIONS",
    "UNSTABLE_OFFSET_COMMIT",
  ]);
});

test("a code that the table does not have is not retriable, whatever it is called", () => {
  for (const code of ["NEW_IN_VERSION_9", "toString", "__proto__"]) {
    expect([code, isErrorCode(code), isRetriable(code)]).toEqual([code, false, false]);
  }
});
