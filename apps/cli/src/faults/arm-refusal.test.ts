import { expect, test } from "vitest";
import { armRefusal } from "./arm-refusal.ts";
import type { FaultOrder } from "./fault-text.ts";

const KNOWN = {
  points: ["request.ping", "request.produce", "log.append.before_write"],
  codes: ["NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "NONE"],
};

function refusal(message: string, order: Partial<FaultOrder> = {}): readonly [string, string | undefined] {
  const failure = { code: "INVALID_REQUEST", retriable: false, message, details: {} };
  const told = armRefusal(failure, { point: "request.ping", action: "error", ...order }, KNOWN);
  expect(told.code).toBe("INVALID_REQUEST");
  return [told.message, told.hint];
}

test.each([
  ["code: expected it beside action error at x", "--code: expected it beside action error at x"],
  ["delay_ms: expected it beside action delay at x", "--delay: expected it beside action delay at x"],
  ["action: x takes error, drop_answer, got hold", "action: x takes error, drop-answer, got hold"],
  ["topic: x can be bound by group_id", "--topic: x can be bound by --group"],
  ["1000 faults are armed", "1000 faults are armed"],
])("%j is said as %j", (message, said) => {
  expect(refusal(message)).toEqual([said, undefined]);
});

test.each(["request.prodcue", "produce"])("by %s the point of a produce is meant", (point) => {
  expect(refusal(`point: there is no ${point}; list_faults names all points`, { point })).toEqual([
    `point: there is no ${point}; minikafka-cli fault points lists them`,
    "did you mean request.produce?",
  ]);
});

test("a code that is nearly one is told what it nearly is, and a point that is none nothing", () => {
  const code = "NOT_ENOUGH_REPLICA" as FaultOrder["code"];
  expect(refusal("code: expected a code of the error table", { code })[1]).toBe(
    "did you mean NOT_ENOUGH_REPLICAS?",
  );
  expect(refusal("point: there is no x", { point: "nowhere.at.all" })[1]).toBeUndefined();
});

test("nobody is told that he meant what cannot be armed, or what has only its first part in common", () => {
  for (const code of ["NOPE", "NONE"] as unknown as FaultOrder["code"][])
    expect(refusal("code: expected a code of the error table", { code })[1]).toBeUndefined();
  expect(refusal("point: there is no x", { point: "request.nope" })[1]).toBeUndefined();
  expect(refusal("point: there is no x", { point: "log.append.befor_write" })[1]).toBe(
    "did you mean log.append.before_write?",
  );
});
