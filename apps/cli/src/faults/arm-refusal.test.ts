import { expect, test } from "vitest";
import { armRefusal } from "./arm-refusal.ts";

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
  const told = armRefusal({ code: "INVALID_REQUEST", retriable: false, message, details: {} });
  expect(told).toMatchObject({ code: "INVALID_REQUEST", message: said });
});
