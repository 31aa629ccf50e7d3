import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLine } from "./json-text.ts";

const value = fc.oneof(fc.jsonValue(), fc.constant(undefined));
const fields = fc.dictionary(fc.string({ unit: "binary" }), value);
/** Bytes as they are handed over, and the text that stands for them. */
const batches = fc
  .tuple(fc.string({ maxLength: 20 }), fc.oneof(fc.nat(50), fc.integer({ min: 4_000, max: 60_000 })))
  .map(([content, length]) => Buffer.alloc(length, content));

function textOf(bytes: Buffer): { readonly batches_b64: string } {
  return { batches_b64: bytes.toString("base64") };
}

test("an answer's text is the text that JSON.stringify gives", () => {
  fc.assert(
    fc.property(fields, fc.array(fields), fc.boolean(), (alone, partitions, many) => {
      const answer = many ? { ...alone, partitions } : alone;
      expect(jsonLine(answer)).toBe(`${JSON.stringify(answer)}\n`);
    }),
  );
});

test("bytes become Base64, alone and by partition; a long line is bytes with the same text", () => {
  fc.assert(
    fc.property(fields, batches, fc.array(fc.tuple(fields, batches)), (alone, bytes, entries) => {
      const partitions = entries.map(([entry, own]) => ({ ...entry, batches_b64: own }));
      const line = jsonLine({ ...alone, partitions, batches_b64: bytes });
      const asText = entries.map(([entry, own]) => ({ ...entry, ...textOf(own) }));
      const expected = JSON.stringify({ ...alone, partitions: asText, ...textOf(bytes) });
      expect(line.toString() === `${expected}\n`).toBe(true);
      const isLong = [bytes, ...entries.map(([, own]) => own)].some(({ length }) => length >= 4_096);
      expect(Buffer.isBuffer(line)).toBe(isLong);
    }),
  );
});
