import fc from "fast-check";
import { expect, test } from "vitest";
import { base64Characters, decodeBase64, decodeBase64In, encodeBase64, writeBase64 } from "./bytes.ts";

test("bytes come back as they went in", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(decodeBase64(encodeBase64(bytes))).toEqual(Buffer.from(bytes));
    }),
  );
});

test("a text is taken only if it is the one text for its bytes", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12, unit: fc.constantFrom(..."ABCQRgz09+/=-_ \n\tü") }), (text) => {
      const bytes = decodeBase64(text);
      if (bytes !== null) expect(encodeBase64(bytes)).toBe(text);
    }),
    { numRuns: 5000 },
  );
});

test.each([
  "A",
  "AA",
  "AAA",
  "AAA=A",
  "=AAA",
  "A===",
  "====",
  "QR==",
  "AAB=",
  "AA-_",
  "AA A",
  "AAA\n",
  "AAAü",
  "AA=A",
  "AAAAA===",
])("%j is refused", (text) => {
  expect(decodeBase64(text)).toBeNull();
});

test("in pieces, bytes become the same text, and a text the same bytes or none", () => {
  const around = (bytes: number) => fc.integer({ min: bytes - 4, max: bytes + 4 });
  const lengths = fc.oneof(fc.nat(10), around(24 * 1024), around(48 * 1024), fc.nat(100_000));
  fc.assert(
    fc.property(lengths, fc.option(fc.nat()), fc.constantFrom(..."=-_ \nü"), (length, at, foreign) => {
      const bytes = Buffer.alloc(length, "some bytes");
      const target = Buffer.alloc(base64Characters(length) + 10);
      const end = writeBase64(target, 5, bytes);
      expect(target.toString("latin1", 5, end)).toBe(encodeBase64(bytes));
      if (at !== null && length > 0) target.write(foreign, 5 + (at % (end - 5)), "latin1");
      const decoded = decodeBase64In(target, 5, end);
      const expected = decodeBase64(target.toString("latin1", 5, end));
      expect(decoded === null).toBe(expected === null);
      if (decoded !== null && expected !== null) expect(decoded.equals(expected)).toBe(true);
    }),
  );
});
