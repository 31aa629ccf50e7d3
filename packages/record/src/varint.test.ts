import fc from "fast-check";
import { expect, test } from "vitest";
import { MalformedVarint, VarintReader, varintBytes, writeVarint } from "./varint.ts";

function roundTrip(value: number): { bytes: Buffer; back: number } {
  const bytes = Buffer.alloc(varintBytes(value));
  expect(writeVarint(bytes, 0, value)).toBe(bytes.length);
  const reader = new VarintReader(bytes, 0, bytes.length);
  const back = reader.next();
  expect(reader.position).toBe(bytes.length);
  return { bytes, back };
}

test("known values have the bytes of Protocol Buffers' sint64", () => {
  const known: [number, string][] = [
    [0, "00"],
    [-1, "01"],
    [1, "02"],
    [-64, "7f"],
    [64, "8001"],
    [150, "ac02"],
    [2147483647, "feffffff0f"],
    [-2147483648, "ffffffff0f"],
    [2147483648, "8080808010"],
  ];
  for (const [value, hex] of known)
    expect([value, roundTrip(value).bytes.toString("hex")]).toEqual([value, hex]);
});

test("every safe integer comes back as it went in", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      expect(roundTrip(value).back).toBe(value);
    }),
  );
  for (let bits = 0; bits <= 53; bits += 1) {
    for (const near of [-1, 0, 1]) {
      const value = Math.min(2 ** bits + near, Number.MAX_SAFE_INTEGER);
      expect(roundTrip(value).back).toBe(value);
      expect(roundTrip(0 - value).back).toBe(0 - value);
    }
  }
});

test("a varint that is cut off, too long or past 2^53 is refused", () => {
  const read = (hex: string) => new VarintReader(Buffer.from(hex, "hex"), 0, hex.length / 2).next();
  for (const hex of [
    "",
    "80",
    "ffff",
    "ffffffff",
    "ffffffffffffffffffff01",
    "ffffffffffffffffff01",
    "80808080808080808080",
  ]) {
    expect(() => read(hex), hex).toThrow(MalformedVarint);
  }
});
