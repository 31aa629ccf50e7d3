import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { structCodec } from "../src/kafka/codec.ts";
import { int8, int32, string, uuid } from "../src/kafka/field-types.ts";
import { Reader, Unencodable, ZERO_UUID } from "../src/kafka/index.ts";
import { arrayOf, field, struct } from "../src/kafka/schema.ts";
import { versionRange } from "../src/kafka/version-range.ts";
import { Writer } from "../src/kafka/writer.ts";

function written(write: (writer: Writer) => void): string {
  const writer = new Writer();
  write(writer);
  return writer.whole().toString("hex");
}

function reading(hex: string): Reader {
  return new Reader(Buffer.from(hex, "hex"));
}

test.for([
  [0, "00"],
  [127, "7f"],
  [128, "8001"],
  [300, "ac02"],
  [0x7fff_ffff, "ffffffff07"],
  [0xffff_ffff, "ffffffff0f"],
] as const)("the unsigned varint %i is %s", ([value, hex]) => {
  expect(written((writer) => writer.uvarint(value))).toBe(hex);
  expect(reading(hex).uvarint()).toBe(value);
});

test.for([
  [0, "0000000000000000"],
  [-1, "ffffffffffffffff"],
  [2 ** 32, "0000000100000000"],
  [-(2 ** 32) - 1, "fffffffeffffffff"],
  [Number.MAX_SAFE_INTEGER, "001fffffffffffff"],
  [Number.MIN_SAFE_INTEGER, "ffe0000000000001"],
] as const)("the int64 %i is %s", ([value, hex]) => {
  expect(written((writer) => writer.int64(value))).toBe(hex);
  expect(reading(hex).int64()).toBe(value);
});

test.for([
  ["0020000000000000", Number.MAX_SAFE_INTEGER],
  ["7fffffffffffffff", Number.MAX_SAFE_INTEGER],
  ["ffe0000000000000", Number.MIN_SAFE_INTEGER],
  ["8000000000000000", Number.MIN_SAFE_INTEGER],
] as const)("the int64 %s is no safe integer, and is read as the nearest", ([hex, nearest]) => {
  expect(reading(hex).int64()).toBe(nearest);
});

const MAKES = {
  uvarint: fc.integer({ min: 0, max: 0xffff_ffff }),
  int8: fc.integer({ min: -128, max: 127 }),
  int32: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  uint16: fc.nat(0xffff),
  int64: fc.maxSafeInteger(),
} as const;
type Kind = keyof typeof MAKES;
const KINDS = Object.keys(MAKES) as Kind[];
const drawnWrite = fc.oneof(
  ...KINDS.map((kind) => MAKES[kind].map((value) => ({ kind, value }))),
  fc.nat(9000).map((value) => ({ kind: "bytes" as const, value })),
);

test("whatever is written in a row is read again, across the ends of rooms and parts", () => {
  fc.assert(
    fc.property(fc.array(drawnWrite, { minLength: 100, maxLength: 400 }), (writes) => {
      const writer = new Writer();
      for (const [index, { kind, value }] of writes.entries()) {
        if (kind === "bytes") writer.bytes(Buffer.alloc(value, index & 0xff));
        else writer[kind](value);
      }
      const length = writer.length;
      const reader = new Reader(writer.whole());
      expect(reader.remaining).toBe(length);
      for (const [index, { kind, value }] of writes.entries()) {
        if (kind === "bytes") {
          const expected = Buffer.alloc(value, index & 0xff);
          expect(reader.bytes(value).equals(expected)).toBe(true);
        } else expect(reader[kind]()).toBe(value);
      }
      expect(reader.remaining).toBe(0);
    }),
    { numRuns: 15 },
  );
});

test("a string is at most 32767 bytes long in the compact form as well", () => {
  const longest = "x".repeat(32_767);
  const codec = structCodec(struct({ text: field(string) }), { version: 0, isFlexible: true });
  const writer = new Writer();
  codec.write(writer, { text: longest });
  expect(codec.read(new Reader(writer.whole()))).toEqual({ text: longest });
  const longer = new Writer();
  longer.uvarint(32_769);
  longer.bytes(Buffer.alloc(32_769));
  expect(() => codec.read(new Reader(longer.whole()))).toThrow(
    "text: expected a string of at most 32767 bytes",
  );
});

test("a string that would be too long when it is written again is refused", () => {
  const fits = Buffer.alloc(10_922, 0xff);
  const text = new Reader(fits).text(fits.length);
  new Writer().text(text, false);
  const longer = Buffer.alloc(10_923, 0xff);
  expect(() => new Reader(longer).text(longer.length)).toThrow("expected a string of at most 32767 bytes");
});

test("what is not UTF-8 becomes U+FFFD, as in Java", () => {
  expect(reading("61ff62").text(3)).toBe("a\ufffdb");
});

test.for(["", "00000000000000000000000000000000", `${ZERO_UUID}0`, ZERO_UUID.replace("0", "G")])(
  '"%s" is not a uuid and is not written',
  (text) => {
    expect(() => uuid.write(new Writer(), text, false)).toThrow(Unencodable);
  },
);

describe("a description", () => {
  test("names versions as 3+, 0-12 or 5, and nothing else", () => {
    expect(versionRange("3+")).toEqual({ from: 3, to: Number.POSITIVE_INFINITY });
    expect(versionRange("0-12")).toEqual({ from: 0, to: 12 });
    expect(versionRange("5")).toEqual({ from: 5, to: 5 });
    for (const text of ["1.5", "-1", "3-", "5-2"] as const) {
      expect(() => versionRange(text as "5")).toThrow(TypeError);
    }
  });

  test("has no null where the type has no form for it, and no tagged field in a version without tags", () => {
    expect(() => field(int32, { nullable: "0+" })).toThrow("the type int32 cannot be null");
    expect(() => field(struct({}), { nullable: "0+" })).toThrow("the type struct cannot be null");
    const tagged = struct({ place: field(int32, { tag: 0, default: 0 }) });
    expect(() => structCodec(tagged, { version: 0, isFlexible: false })).toThrow(TypeError);
  });

  test("may name tagged fields in any order: they are written by their numbers", () => {
    const type = struct({
      late: field(int8, { tag: 7, default: 0 }),
      early: field(int8, { tag: 2, default: 0 }),
    });
    const codec = structCodec(type, { version: 0, isFlexible: true });
    expect(written((writer) => codec.write(writer, { late: 1, early: 2 }))).toBe("02020102070101");
    expect(codec.read(reading("02070101020102"))).toEqual({ late: 1, early: 2 });
  });

  test("gives the same functions for the same version each time, and others where the form differs", () => {
    const type = struct({ names: field(arrayOf(string)) });
    const codec = structCodec(type, { version: 1, isFlexible: false });
    expect(structCodec(type, { version: 1, isFlexible: false })).toBe(codec);
    expect(structCodec(type, { version: 1, isFlexible: true })).not.toBe(codec);
    expect(structCodec(type, { version: 2, isFlexible: false })).not.toBe(codec);
  });
});
