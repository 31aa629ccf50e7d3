import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJsonWithBytes } from "./long-bytes.ts";
import { InvalidJson, parseJsonObject } from "./strict-json.ts";

/** What a reading comes to, bytes shown as the text that they came in. */
function outcome(read: (line: Buffer) => unknown, line: Buffer): string {
  try {
    return JSON.stringify(read(line), (_name, value) => (isBytes(value) ? fromJsonOfBuffer(value) : value));
  } catch (error) {
    if (error instanceof InvalidJson) return `refused: ${error.message}`;
    throw error;
  }
}

interface JsonOfBuffer {
  readonly type: "Buffer";
  readonly data: readonly number[];
}

/** JSON.stringify asks a Buffer for its own JSON before it asks us. */
function isBytes(value: unknown): value is JsonOfBuffer {
  return typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";
}

function fromJsonOfBuffer({ data }: JsonOfBuffer): string {
  return Buffer.from(data).toString("base64");
}

function expectSame(text: string | Buffer): void {
  const line = Buffer.from(text as string);
  expect(outcome(parseJsonWithBytes, line)).toBe(outcome(parseJsonObject, line));
}

const LONG = Buffer.alloc(6_000, "some bytes").toString("base64");

test("a long value of a name that ends in _b64 comes as bytes, wherever it stands", () => {
  const fields = parseJsonWithBytes(
    Buffer.from(`{"a":1,"batch_b64":"${LONG}","partitions":[{"batches_b64":"${LONG}"},{"b":"é"}]}`),
  );
  const bytes = Buffer.from(LONG, "base64");
  expect(fields).toEqual({ a: 1, batch_b64: bytes, partitions: [{ batches_b64: bytes }, { b: "é" }] });
});

test("a short value, one of another name, and one that is not strict Base64 stay text", () => {
  for (const text of [
    '{"a_b64":"AAAA"}',
    `{"a":"${LONG}"}`,
    `{"a_b64":"${LONG}="}`,
    `{"a_b64":"-${LONG}"}`,
  ]) {
    expect(parseJsonWithBytes(Buffer.from(text))).toEqual(JSON.parse(text));
  }
});

test.each([
  ["a name twice", `{"a_b64":"${LONG}","a_b64":"${LONG}"}`],
  ["a name twice, elsewhere", `{"a":1,"a_b64":"${LONG}","a":1}`],
  ["a name twice, once with an escape", `{"a_b64":"${LONG}","\\u0061_b64":"AAAA"}`],
  ["nothing behind it", `{"a_b64":"${LONG}"`],
  ["no quote behind it", `{"a_b64":"${LONG}`],
  ["another value behind it", `{"a_b64":"${LONG}":"AAAA"}`],
  ["text before its name", `{x_b64":"${LONG}"}`],
  ["an array around it", `[{"a_b64":"${LONG}"}]`],
  ["deep nesting around it", `${'{"a":'.repeat(40)}{"a_b64":"${LONG}"}${"}".repeat(40)}`],
  ["a control character in it", `{"a_b64":"${LONG}\n"}`],
  ["a backslash in it", `{"a_b64":"${LONG}\\n"}`],
  ["a backslash before its quote", `{"a":"_b64\\":\\"${LONG}"}`],
  ["an escaped name", `{"a\\_b64":"${LONG}"}`],
  ["a string that only looks like its name", `{"a":"\\"x_b64":"${LONG}"}`],
  ["what stands for it", `{"a":"cut out: 0","a_b64":"${LONG}","b":"cut out: 0"}`],
  ["what stands for it, escaped", `{"a":"\\u0063ut out: 0","a_b64":"${LONG}"}`],
  ["a name such as __proto__", `{"__proto__":{"a_b64":"${LONG}"}}`],
])("with %s, a line is taken or refused as it is without cutting, in the same words", (_what, text) => {
  expectSame(text);
});

test("bytes that are not UTF-8 are refused around long Base64, and in it", () => {
  for (const [before, inside] of [
    ["\xff", ""],
    ["", "\xff"],
  ] as const) {
    expectSame(Buffer.from(`{"a":"${before}","a_b64":"${inside}${LONG}"}`, "latin1"));
  }
});

const pieces = fc.array(
  fc.constantFrom(
    ...[
      '{"a_b64":"',
      LONG,
      '"',
      ",",
      ":",
      "{",
      "}",
      "[",
      "]",
      '"x":1',
      '"b_b64":"',
      "\\",
      "\\u0061",
      "cut out: 0",
    ],
    ...['"y":"AAAA"', "_b64", " ", "é", "\x01", '{"z":[', "]}", '"}'],
  ),
  { maxLength: 12 },
);

test("whatever a line is pieced together from, cutting changes neither what is taken nor what is refused", () => {
  fc.assert(
    fc.property(pieces, fc.boolean(), (some, isWhole) => {
      expectSame(isWhole ? `{"a_b64":"${LONG}",${some.join("")}}` : some.join(""));
    }),
    { numRuns: 2_000 },
  );
});
