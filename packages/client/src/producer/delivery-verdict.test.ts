import { ERRORS } from "@minikafka/protocol/errors";
import { expect, test } from "vitest";
import { MiniKafkaError } from "../errors.ts";
import { verdictOn } from "./delivery-verdict.ts";

const batch = { recordCount: 3, isExpired: false, mayDuplicate: false };
const sent = new MiniKafkaError("CONNECTION", "m", { details: { sent: true } });
const unsent = new MiniKafkaError("CONNECTION", "m", { details: { sent: false } });

test("a batch is tried again by itself only when surely nothing of it was appended", () => {
  expect(verdictOn(unsent, batch)).toBe("retry");
  expect(verdictOn(sent, batch)).toBe("fail");
  const retried = Object.keys(ERRORS).filter(
    (code) => verdictOn(new MiniKafkaError(code, "m"), batch) === "retry",
  );
  expect(retried.sort()).toEqual([
    "BROKER_NOT_AVAILABLE",
    "CONCURRENT_TRANSACTIONS",
    "FENCED_LEADER_EPOCH",
    "LEADER_NOT_AVAILABLE",
    "NOT_COORDINATOR",
    "NOT_ENOUGH_REPLICAS",
    "REBALANCE_IN_PROGRESS",
    "SHUTTING_DOWN",
    "TOO_MANY_CONNECTIONS",
    "UNSTABLE_OFFSET_COMMIT",
  ]);
});

test("a batch that was appended and not acknowledged is not tried again, with whatever code", () => {
  for (const code of ["FENCED_LEADER_EPOCH", "LEADER_NOT_AVAILABLE", "SHUTTING_DOWN"]) {
    const appended = new MiniKafkaError(code, "m", { details: { appended: true } });
    expect(verdictOn(appended, batch)).toBe("fail");
    expect(verdictOn(appended, { ...batch, mayDuplicate: true })).toBe("retry");
  }
});

test("who accepts duplicates has a batch of unknown fate sent again", () => {
  expect(verdictOn(sent, { ...batch, mayDuplicate: true })).toBe("retry");
  expect(verdictOn(new MiniKafkaError("REQUEST_TIMED_OUT", "m"), { ...batch, mayDuplicate: true })).toBe(
    "retry",
  );
});

test("nothing is tried again once its delivery timeout is over", () => {
  expect(verdictOn(unsent, { ...batch, isExpired: true })).toBe("fail");
});

test("a batch that is too large is split, down to the record that is too large alone", () => {
  const tooLarge = new MiniKafkaError("RECORD_TOO_LARGE", "m");
  expect(verdictOn(tooLarge, batch)).toBe("split");
  expect(verdictOn(tooLarge, { ...batch, recordCount: 1 })).toBe("fail");
});
