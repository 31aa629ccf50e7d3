import { expect, test } from "vitest";
import { answerEnvelope, failureLine, successLine } from "./envelope.ts";

const back = (line: string) => answerEnvelope.parse(JSON.parse(line));

test("an answer is one line that says ok, echoes the id and carries its fields", () => {
  expect(successLine("a", { offset: 3 })).toBe('{"ok":true,"id":"a","offset":3}\n');
  expect(successLine(undefined, {})).toBe('{"ok":true}\n');
  const failure = { code: "UNKNOWN_TOPIC", message: "no topic\nx", retriable: false } as const;
  expect(back(failureLine(0, failure))).toEqual({ ok: false, id: 0, ...failure });
  expect(failureLine(0, failure).indexOf("\n")).toBe(failureLine(0, failure).length - 1);
});

test("a failure without a word on retrying is not retriable, and a code of a newer broker is kept", () => {
  expect(back('{"ok":false,"code":"NEW","message":"m"}')).toMatchObject({ code: "NEW", retriable: false });
});
