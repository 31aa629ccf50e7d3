import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLine } from "./json-text.ts";

const base64 = fc.base64String();
const value = fc.oneof(fc.jsonValue(), fc.constant(undefined));
const fields = fc
  .tuple(
    fc.dictionary(
      fc.string({ unit: "binary" }).filter((name) => !name.endsWith("_b64")),
      value,
    ),
    fc.record({ batches_b64: base64 }, { requiredKeys: [] }),
  )
  .map(([some, more]) => ({ ...some, ...more }));

test("an answer's text is the text that JSON.stringify gives, with and without batches, alone and by partition", () => {
  fc.assert(
    fc.property(fields, fc.array(fields), fc.boolean(), (alone, partitions, many) => {
      const answer = many ? { ...alone, partitions } : alone;
      expect(jsonLine(answer)).toBe(`${JSON.stringify(answer)}\n`);
    }),
  );
});

test("a long line is bytes, and they are the same text", () => {
  fc.assert(
    fc.property(fields, fc.array(fields), fc.nat(6_000), (alone, partitions, extra) => {
      const batches_b64 = Buffer.alloc(6_000 + extra, "x").toString("base64");
      const answer = { ...alone, partitions: [...partitions, { ...alone, batches_b64 }], batches_b64 };
      const line = jsonLine(answer);
      expect(line).toBeInstanceOf(Buffer);
      expect(line.toString()).toBe(`${JSON.stringify(answer)}\n`);
    }),
  );
});
