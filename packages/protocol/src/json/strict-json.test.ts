import fc from "fast-check";
import { expect, test } from "vitest";
import { DEPTH_MAX, InvalidJson, parseJsonObject } from "./strict-json.ts";

const parse = (text: string | Buffer) => parseJsonObject(Buffer.from(text as string));

test("any object that JSON can write is read as JSON reads it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 5 })), (value) => {
      // The one name that is refused; a test of its own holds that.
      fc.pre(!JSON.stringify(value).includes("__proto__"));
      // Lone surrogates have no UTF-8; JSON.stringify escapes them.
      expect(parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test.each([
  ["nothing", ""],
  ["half an object", '{"a":'],
  ["two documents", "{}{}"],
  ["a byte order mark", "\ufeff{}"],
  ["a NUL", '{"a":1}\0'],
  ["a number", "1"],
  ["null", "null"],
  ["an array", "[{}]"],
  ["text that is not JSON", "GET / HTTP/1.1"],
  ["NaN", '{"a":NaN}'],
])("%s is refused", (_name, text) => {
  expect(() => parse(text)).toThrow(InvalidJson);
});

test("bytes that are not UTF-8 are refused, not replaced", () => {
  for (const hex of ["ff", "c0af", "eda080", "e282", "f8888080"]) {
    const line = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(hex, "hex"), Buffer.from('"}')]);
    expect(() => parseJsonObject(line), hex).toThrow(/not valid UTF-8/);
  }
});

test("a name that appears twice in one object is refused, however it is written and however deep", () => {
  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"x":[{"b":{},"b" : 1}]}',
    '{"\\"":1,"\\"":2}',
  ]) {
    expect(() => parse(text), text).toThrow(/appears twice/);
  }
  expect(parse('{"a":{"a":{"a":"a"}},"b":["a","a",{"a":1},{"a":1}]}')).toBeDefined();
});

test("nesting is bounded, however much of it is sent", () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  expect(parse(nested(DEPTH_MAX))).toBeDefined();
  for (const text of [
    nested(DEPTH_MAX + 1),
    nested(100_000),
    `{"a":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`,
  ]) {
    expect(() => parse(text)).toThrow(/nested deeper than/);
  }
});

test("the name __proto__ is refused at any depth and however it is written; constructor is a name like others", () => {
  for (const text of ['{"__proto__":{"polluted":true}}', '{"a":[{"\\u005f_proto__":5}]}'])
    expect(() => parse(text), text).toThrow(/__proto__/);
  const value = parse('{"constructor":{"prototype":{"polluted":true}}}');
  expect(Object.keys(value)).toEqual(["constructor"]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("an error message never sends back a megabyte", () => {
  const name = "n".repeat(1_000_000);
  for (const text of [`{"${name}":1,"${name}":2}`, `{"a":"${name}`]) {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,300}$/s) }),
    );
  }
});

test("an error message holds nothing that a terminal obeys, whatever the name or the text was", () => {
  const hostile = "\u001b[2J\u009b\u202e\u2028";
  const written = JSON.stringify(hostile);
  for (const text of [`{${written}:1,${written}:2}`, hostile, `{"a":${hostile}}`, `{"a":"b${hostile}`])
    expect(() => parse(text), text).toThrow(
      expect.objectContaining({
        message: expect.not.stringMatching(/[\p{Cc}\p{Bidi_Control}\u2028]/u),
      }),
    );
});
