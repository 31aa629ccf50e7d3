/** What is said of a value that is refused: of each kind of issue that the validator has, in one voice. */
import { expect, test } from "vitest";
import { z } from "zod";
import { parse } from "./parsing.ts";

function problemOf(schema: z.ZodType, value: unknown): string {
  const parsed = parse(z.strictObject({ f: schema }), { f: value });
  if (parsed.success) throw new Error("nothing was refused");
  return parsed.problem;
}

const TAGGED = z.discriminatedUnion("k", [
  z.object({ k: z.literal("a") }),
  z.object({ k: z.literal("b"), n: z.int() }),
]);

type Case = readonly [z.core.$ZodIssueCode, string, z.ZodType, unknown, string];

const CASES: readonly Case[] = [
  ["invalid_type", "text", z.string(), 1, "expected text, received 1"],
  [
    "invalid_type",
    "a fraction",
    z.int().min(0).max(9),
    0.5,
    "expected a whole number from 0 to 9, received 0.5",
  ],
  ["invalid_type", "true or false", z.boolean(), null, "expected true or false, received null"],
  ["invalid_type", "a list", z.array(z.int()), {}, "expected a list, received an object"],
  ["invalid_type", "an object", z.object({}), [1], "expected an object, received a list of 1 entry"],
  ["invalid_type", "a record", z.record(z.string(), z.int()), "x", 'expected an object, received "x"'],
  [
    "invalid_type",
    "what may be null",
    z.int().min(1).nullable(),
    "x",
    'expected a whole number from 1 to 9007199254740991, received "x"',
  ],
  ["invalid_type", "null", z.null(), 1, "expected null, received 1"],
  ["invalid_type", "nothing", z.never(), 1, "expected another value, received 1"],
  ["invalid_type", "what JSON has not", z.bigint(), 1, "expected another value, received 1"],
  ["too_small", "a number", z.int().min(1).max(5), 0, "expected a whole number from 1 to 5, received 0"],
  ["too_small", "a number above", z.number().gt(0), 0, "expected a number above 0, received 0"],
  ["too_small", "text", z.string().min(1), "", 'expected text that is not empty, received ""'],
  [
    "too_small",
    "text of bounds",
    z.string().min(2).max(3),
    "a",
    'expected text of 2 to 3 characters, received "a"',
  ],
  [
    "too_small",
    "a list",
    z.array(z.int()).min(1).max(2),
    [],
    "expected a list of 1 to 2 entries, received a list of 0 entries",
  ],
  [
    "too_big",
    "a number",
    z.number().min(0).lt(1),
    1,
    "expected a number of at least 0 and below 1, received 1",
  ],
  ["too_big", "text", z.string().max(1), "ab", 'expected text of at most 1 character, received "ab"'],
  [
    "too_big",
    "text of one length",
    z.string().length(2),
    "abc",
    'expected text of 2 characters, received "abc"',
  ],
  [
    "too_big",
    "a list",
    z.array(z.int()).max(1),
    [1, 2],
    "expected a list of at most 1 entry, received a list of 2 entries",
  ],
  [
    "not_multiple_of",
    "a number",
    z.number().multipleOf(5),
    3,
    "expected a number divisible by 5, received 3",
  ],
  [
    "invalid_format",
    "a pattern",
    z.string().regex(/^a/),
    "b",
    'expected text that matches /^a/, received "b"',
  ],
  [
    "invalid_format",
    "a beginning",
    z.string().startsWith("a"),
    "b",
    'expected text that begins with "a", received "b"',
  ],
  [
    "invalid_format",
    "an end",
    z.string().endsWith("a"),
    "b",
    'expected text that ends with "a", received "b"',
  ],
  ["invalid_format", "a part", z.string().includes("a"), "b", 'expected text with "a" in it, received "b"'],
  ["invalid_format", "a form", z.uuid(), "b", 'expected text of the form uuid, received "b"'],
  ["invalid_value", "one of several", z.enum(["a", "b", "c"]), "d", 'expected "a", "b" or "c", received "d"'],
  [
    "invalid_value",
    "one of several, nearly",
    z.enum(["close", "close_after"]),
    "close-after",
    'expected "close" or "close_after" (did you mean "close_after"?), received "close-after"',
  ],
  ["invalid_value", "one value", z.literal(-1), 0, "expected -1, received 0"],
  [
    "invalid_union",
    "several types",
    z.union([z.literal(-1), z.string(), z.boolean()]),
    null,
    "expected -1, text, true or false, received null",
  ],
  [
    "invalid_union",
    "plain types",
    z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    { a: [] },
    "expected text, a number, true, false or null, received a list of 0 entries",
  ],
  [
    "invalid_union",
    "too many at once",
    z.xor([z.string(), z.string().min(0)]),
    "a",
    'expected what is only one of text or text of at least 0 characters, received "a"',
  ],
  [
    "unrecognized_keys",
    "one",
    z.strictObject({ a: z.int(), b: z.int() }),
    { a: 1, b: 2, c: 3 },
    "no such field; known are a, b",
  ],
  [
    "invalid_key",
    "a record's name",
    z.record(z.string().max(1), z.int()),
    { ab: 1 },
    "its name: expected text of at most 1 character",
  ],
  [
    "invalid_element",
    "a map's value",
    z.map(z.object({}), z.int()),
    new Map([[{}, "x"]]),
    "one of its entries: expected a whole number from -9007199254740991 to 9007199254740991, received an object",
  ],
  ["custom", "without words", z.string().refine(() => false), "x", 'expected another value, received "x"'],
  ["custom", "in words", z.string().refine(() => false, "expected no x"), "x", 'expected no x, received "x"'],
];

test.each(CASES)(
  "%s of %s is told with what is expected, its bounds and what was given",
  (code, _of, schema, value, said) => {
    expect(z.strictObject({ f: schema }).safeParse({ f: value }).error?.issues[0]?.code).toBe(code);
    expect(problemOf(schema, value).replace(/^f(?:\.\w+)?: /, "")).toBe(said);
    // The validator's own words never come through.
    expect(problemOf(schema, value)).not.toMatch(/[Ii]nvalid|[Tt]oo |[<>]=|Unrecognized/);
  },
);

test("no kind of issue that the validator has is without its case", () => {
  const kinds: Record<z.core.$ZodIssueCode, true> = {
    invalid_type: true,
    too_big: true,
    too_small: true,
    invalid_format: true,
    not_multiple_of: true,
    unrecognized_keys: true,
    invalid_union: true,
    invalid_key: true,
    invalid_element: true,
    invalid_value: true,
    custom: true,
  };
  expect([...new Set(CASES.map(([code]) => code))].sort()).toEqual(Object.keys(kinds).sort());
});

test("a member of a union that goes by a name is asked for by its names", () => {
  expect(problemOf(TAGGED, { k: "c" })).toBe('f.k: expected "a" or "b", received "c"');
  expect(problemOf(TAGGED, {})).toBe('f.k: expected "a" or "b", but it is missing');
  expect(problemOf(TAGGED, { k: "b" })).toMatch(/^f\.n: expected a whole number .*, but it is missing$/);
});

test("a value past several bounds of its field is told of once, and several fields each", () => {
  expect(problemOf(z.int().max(5), 2 ** 60)).toBe(
    "f: expected a whole number from -9007199254740991 to 5, received more than 9007199254740991",
  );
  const five = z.object({ a: z.int().max(1), b: z.int().max(1), c: z.int().max(1), d: z.int().max(1) });
  expect(problemOf(five, { a: 2, b: 2, c: 2, d: 2 })).toMatch(
    /^f\.a: .*; f\.b: .*; f\.c: [^;]*; and 1 more$/,
  );
});

test("what was given is told in few characters, none of which can do anything to a terminal", () => {
  expect(problemOf(z.int(), "x".repeat(1_000_000))).toMatch(/received "x{64}…" of 1000000 characters$/);
  expect(problemOf(z.int(), 'a"\\\u001b[2J\u202e\ud800')).toMatch(
    /received "a\\"\\\\\\u\{1b\}\[2J\\u\{202e\}\\u\{d800\}"$/,
  );
  const names = Object.fromEntries(Array.from({ length: 9 }, (_, number) => [`${number}`.repeat(5_000), 1]));
  expect(problemOf(z.strictObject({ a: z.int().optional() }), names)).toMatch(
    /^f\.0{64}…: no such field; known are a \(and 8 more that there are not\)$/,
  );
});

test("of more values than can be told of the first wrong one is told, and each of up to a thousand", () => {
  const schema = z.array(z.object({ n: z.int() }));
  const wrong = (count: number) => Array.from({ length: count }, () => ({ n: "x" }));
  expect(problemOf(schema, wrong(499))).toMatch(/^f\.0\.n: .*; f\.1\.n: .*; f\.2\.n: [^;]*; and 496 more$/);
  expect(problemOf(schema, wrong(500))).toMatch(/^f\.0\.n: expected a whole number [^;]*, received "x"$/);
});
