import { expect, test } from "vitest";
import { armRefusal } from "./arm-refusal.ts";
import type { FaultOrder } from "./fault-text.ts";

const CODES = ["NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "NONE"];

function refusal(message: string, order: Partial<FaultOrder> = {}): readonly [string, string | undefined] {
  const failure = { code: "INVALID_REQUEST", retriable: false, message, details: {} };
  const told = armRefusal(failure, { point: "request.ping", action: "error", ...order }, CODES);
  expect(told.code).toBe("INVALID_REQUEST");
  return [told.message, told.hint];
}

test.each([
  ["code: expected it beside action error at x", "--code: expected it beside action error at x"],
  ["delay_ms: expected it beside action delay at x", "--delay: expected it beside action delay at x"],
  ["action: x takes error, drop_answer, got hold", "action: x takes error, drop-answer, got hold"],
  ["topic: x can be bound by group_id", "--topic: x can be bound by --group"],
  ["1000 faults are armed", "1000 faults are armed"],
  [
    "point: there is no produce; did you mean request.produce? list_faults names all points",
    "point: there is no produce; did you mean request.produce? minikafka-cli fault points lists them",
  ],
])("%j is said as %j", (message, said) => {
  expect(refusal(message)).toEqual([said, undefined]);
});

test("a code that is nearly one is told what it nearly is", () => {
  const code = "NOT_ENOUGH_REPLICA" as FaultOrder["code"];
  expect(refusal("code: expected a code of the error table", { code })[1]).toBe(
    "did you mean NOT_ENOUGH_REPLICAS?",
  );
});

test("nobody is told that he meant what cannot be armed", () => {
  for (const code of ["NOPE", "NONE"] as unknown as FaultOrder["code"][])
    expect(refusal("code: expected a code of the error table", { code })[1]).toBeUndefined();
});
