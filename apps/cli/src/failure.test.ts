import { expect, test } from "vitest";
import { CliError, failureOf, RecordFailure } from "./failure.ts";

const COUNTS = { produced: 3, failed: 1 };

test("an error of the SDK keeps its code, whether it may be tried again, and its details", () => {
  const error = Object.assign(new Error("busy"), { code: "BRAND_NEW", retriable: true, details: { a: 1 } });
  expect(failureOf(error)).toEqual({
    code: "BRAND_NEW",
    retriable: true,
    message: "busy",
    details: { a: 1 },
  });
});

test("what the system refused is said in its words, without a stack", () => {
  const error = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
    syscall: "write",
  });
  expect(failureOf(error)).toMatchObject({
    code: "UNEXPECTED",
    message: "ENOSPC: no space left on device, write",
    hint: expect.stringContaining("the operating system refused"),
  });
});

test("anything else is a fault of this program and shows where it happened", () => {
  expect(failureOf(new TypeError("oops"))).toMatchObject({
    code: "UNEXPECTED",
    message: expect.stringMatching(/^TypeError: oops\n +at /),
  });
  expect(failureOf("thrown text")).toMatchObject({ code: "UNEXPECTED", message: "thrown text" });
});

test("a record's failure names its line, and one that was given with -v has none", () => {
  const failure = new CliError("TIMEOUT", "no answer", { details: { sent: true } });
  expect(failureOf(new RecordFailure(failure, 7, COUNTS))).toMatchObject({
    code: "TIMEOUT",
    retriable: true,
    message: "line 7: no answer",
    details: { sent: true, line: 7, ...COUNTS },
  });
  expect(failureOf(new RecordFailure(failure, null, COUNTS))).toMatchObject({
    message: "no answer",
    details: { sent: true },
  });
});
