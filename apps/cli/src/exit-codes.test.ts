import { ERRORS } from "@minikafka/protocol/errors";
import { expect, test } from "vitest";
import { EXIT, exitCodeFor } from "./exit-codes.ts";

test("every code of the protocol has an exit code other than 0", () => {
  for (const code of Object.keys(ERRORS)) expect(exitCodeFor(code), code).not.toBe(EXIT.ok);
});

test.each([
  ["UNKNOWN_TOPIC", 3],
  ["OFFSET_OUT_OF_RANGE", 3],
  ["NOT_FOUND", 3],
  ["INVALID_REQUEST", 2],
  ["USAGE", 2],
  ["REQUEST_TIMED_OUT", 4],
  ["TOPIC_ALREADY_EXISTS", 5],
  ["NOT_ENOUGH_REPLICAS", 5],
  ["DAMAGE_FOUND", 6],
  ["CONNECTION", 7],
  ["TIMEOUT", 4],
  ["INTERNAL_ERROR", 1],
])("%s ends with %i", (code, exit) => {
  expect(exitCodeFor(code)).toBe(exit);
});

test("a code of a newer broker, and a name every object has, count as unexpected", () => {
  expect(exitCodeFor("QUOTA_EXCEEDED")).toBe(EXIT.unexpected);
  expect(exitCodeFor("constructor")).toBe(EXIT.unexpected);
});
