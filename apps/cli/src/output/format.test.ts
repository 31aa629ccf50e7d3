import { expect, test } from "vitest";
import type { ShownRecord } from "../record.ts";
import { compileFormat } from "./format.ts";

const RECORD: ShownRecord = {
  topic: "orders",
  partition: 1,
  offset: 42,
  timestampMs: 1_700_000_000_000,
  key: Buffer.from("alice"),
  value: Buffer.from("créé"),
  headers: [
    { key: "trace", value: Buffer.from("1") },
    { key: "flag", value: null },
    { key: "trace", value: Buffer.alloc(0) },
  ],
};

function shown(format: string, record: Partial<ShownRecord> = {}, nullText = ""): string {
  return compileFormat(format, { nullText })({ ...RECORD, ...record }).toString("utf8");
}

test("every escape of the help has its meaning", () => {
  expect(shown("%t/%p@%o %T")).toBe("orders/1@42 1700000000000");
  expect(shown("%k[%K]=%v[%V]")).toBe("alice[5]=créé[6]");
  expect(shown("%s%S")).toBe("créé6");
  expect(shown("%h")).toBe("trace=1,flag,trace=");
  expect(shown("%h", { headers: [] })).toBe("");
  expect(shown("100%%%n")).toBe("100%\n");
  expect(shown("%k{hex} %v{base64}", { value: Buffer.from([0xff]) })).toBe("616c696365 /w==");
});

test("backslash escapes stand for the bytes they name, and % never sees them", () => {
  expect(shown("%k\\t%v\\n")).toBe("alice\tcréé\n");
  expect(shown("a\\\\n\\x41\\0")).toBe("a\\nA\0");
  expect(compileFormat("\\xff", { nullText: "" })(RECORD)).toEqual(Buffer.from([0xff]));
});

test("bytes that are not text go out as they are", () => {
  const value = Buffer.from([0x00, 0xff, 0xc3, 0x28]);
  expect(compileFormat("%v", { nullText: "" })({ ...RECORD, value })).toEqual(value);
});

test("null prints as nothing, or as what was asked for, and has length -1 where empty has 0", () => {
  expect(shown("<%k|%v>", { key: null, value: null })).toBe("<|>");
  expect(shown("<%k|%v>", { key: null, value: Buffer.alloc(0) }, "NULL")).toBe("<NULL|>");
  expect(shown("%K %V", { key: null, value: Buffer.alloc(0) })).toBe("-1 0");
});

test.each(["%q", "%", "%k{oct}", "%o{hex}x%", "\\q", "ends in \\"])(
  "%j is refused when compiled",
  (format) => {
    expect(() => compileFormat(format, { nullText: "" })).toThrow(RangeError);
  },
);

test("what follows a plain escape in braces is text", () => {
  expect(shown("%o{hex}")).toBe("42{hex}");
});
