import { expect, test } from "vitest";
import { MiniKafkaError } from "../errors.ts";
import { type FailedSequencedBatch, idempotentVerdict } from "./idempotent-verdict.ts";

const fresh: FailedSequencedBatch = {
  recordCount: 2,
  isExpired: false,
  isFirst: true,
  isVoid: false,
  isInDoubt: false,
};

const verdict = (code: string, batch: Partial<FailedSequencedBatch> = {}) =>
  idempotentVerdict(new MiniKafkaError(code, "no"), { ...fresh, ...batch });

test("what may be tried again is, whether its fate is known or not, until its time is up", () => {
  for (const code of ["NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "CONNECTION", "TIMEOUT"]) {
    expect(verdict(code)).toBe("retry");
    expect(verdict(code, { isInDoubt: true })).toBe("retry");
    expect(verdict(code, { isExpired: true })).toBe("fail");
  }
  expect(verdict("STORAGE_ERROR")).toBe("fail");
});

test("a batch that only came too early is sent again behind the one before it", () => {
  expect(verdict("OUT_OF_ORDER_SEQUENCE", { isFirst: false })).toBe("again");
  expect(verdict("OUT_OF_ORDER_SEQUENCE", { isFirst: false, isExpired: true })).toBe("fail");
});

test("the first one that is out of order is not there and gets another sequence, unless an attempt may still come", () => {
  for (const code of ["OUT_OF_ORDER_SEQUENCE", "UNKNOWN_PRODUCER_ID"]) {
    expect(verdict(code)).toBe("renew");
    expect(verdict(code, { isInDoubt: true })).toBe("fail");
  }
});

test("behind a batch that is not there nothing is, so that all may get another sequence", () => {
  for (const code of ["OUT_OF_ORDER_SEQUENCE", "CONNECTION", "NOT_ENOUGH_REPLICAS"])
    expect(verdict(code, { isVoid: true })).toBe("renew");
  expect(verdict("INVALID_RECORD", { isVoid: true })).toBe("fail");
  expect(verdict("CONNECTION", { isVoid: true, isExpired: true })).toBe("fail");
});

test("a newer instance ends this one, and a batch that is too large is halved", () => {
  expect(verdict("PRODUCER_FENCED", { isVoid: true, isExpired: true })).toBe("fenced");
  expect(verdict("RECORD_TOO_LARGE")).toBe("split");
  expect(verdict("RECORD_TOO_LARGE", { recordCount: 1 })).toBe("fail");
});
