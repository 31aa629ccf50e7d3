import { ERRORS } from "@minikafka/protocol/errors";
import { expect, test } from "vitest";
import { CLIENT_ERRORS, hasCode, isFateUnknown, isRetriable, MiniKafkaError } from "./errors.ts";

test("a code of the broker is retriable exactly when the protocol's table says so", () => {
  for (const [code, { retriable }] of Object.entries(ERRORS))
    expect(isRetriable(new MiniKafkaError(code, "m", { retriable: !retriable })), code).toBe(retriable);
});

test("a client's code never has the name of a broker's", () => {
  for (const code of Object.keys(CLIENT_ERRORS)) expect(Object.hasOwn(ERRORS, code), code).toBe(false);
});

test("a code of a newer broker is kept, and is retriable only when that broker says so", () => {
  const error = new MiniKafkaError("QUOTA_EXCEEDED", "slow down", { retriable: true });
  expect(error).toMatchObject({ code: "QUOTA_EXCEEDED", retriable: true, details: {} });
  expect(new MiniKafkaError("QUOTA_EXCEEDED", "slow down").retriable).toBe(false);
});

test("helpers say no to anything that is not ours", () => {
  expect([isRetriable(new Error("x")), hasCode({ code: "CLOSED" }, "CLOSED")]).toEqual([false, false]);
  expect(hasCode(new MiniKafkaError("CLOSED", "m"), "TIMEOUT", "CLOSED")).toBe(true);
});

test("the fate of a request is unknown when it went out and nobody said what became of it", () => {
  const fate = (code: string, details?: Readonly<Record<string, boolean>>) =>
    isFateUnknown(new MiniKafkaError(code, "m", { details }));
  expect(fate("CONNECTION", { sent: true })).toBe(true);
  expect(fate("CONNECTION", { sent: false })).toBe(false);
  expect(fate("TIMEOUT", { sent: true })).toBe(true);
  expect(fate("REQUEST_TIMED_OUT")).toBe(true);
  expect(fate("NOT_ENOUGH_REPLICAS_AFTER_APPEND")).toBe(true);
  expect(fate("NOT_ENOUGH_REPLICAS")).toBe(false);
  expect(fate("FENCED_LEADER_EPOCH", { appended: true })).toBe(true);
  expect(fate("FENCED_LEADER_EPOCH")).toBe(false);
});

test("at most one of retriable, abortable and fatal holds, and a transaction's word goes before the code's", () => {
  const flags = (error: MiniKafkaError) => [error.retriable, error.abortable, error.fatal];
  expect(flags(new MiniKafkaError("NOT_ENOUGH_REPLICAS", "m"))).toEqual([true, false, false]);
  expect(flags(new MiniKafkaError("NOT_ENOUGH_REPLICAS", "m", { effect: "abortable" }))).toEqual([
    false,
    true,
    false,
  ]);
  expect(flags(new MiniKafkaError("PRODUCER_FENCED", "m"))).toEqual([false, false, true]);
  expect(flags(new MiniKafkaError("TRANSACTION_ABORTED", "m"))).toEqual([false, true, false]);
  expect(flags(new MiniKafkaError("INVALID_RECORD", "m"))).toEqual([false, false, false]);
});
