import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBase64, encodeBase64 } from "./bytes.ts";

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
