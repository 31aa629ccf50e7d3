import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { fieldRows } from "./field-rows.mjs";
import { pages } from "./pages.mjs";

const ROOT = new URL("../../", import.meta.url);

test.for(Object.entries(pages()))("%s is what `npm run reference` prints", ([path, text]) => {
  expect(readFileSync(new URL(path, ROOT), "utf8")).toBe(text);
});

function rowsOf(fields: z.core.$ZodLooseShape) {
  return fieldRows(z.toJSONSchema(z.object(fields), { io: "input" }));
}

test("a field is printed with its type, its presence and its meaning", () => {
  const rows = rowsOf({
    topic: z.string().describe("the topic's name"),
    wait_ms: z.int().min(0).max(600).default(5),
    id: z.union([z.string(), z.int()]).optional(),
    acks: z.enum(["0", "1"]).nullable(),
  });
  expect(rows).toEqual([
    { name: "topic", type: "string", presence: "required", meaning: "the topic's name" },
    { name: "wait_ms", type: "integer, 0 to 600", presence: "`5`", meaning: "" },
    { name: "id", type: "string or integer", presence: "optional", meaning: "" },
    { name: "acks", type: '`"0"` or `"1"` or null', presence: "required", meaning: "" },
  ]);
});

test("fields within fields are printed beneath them with their full names", () => {
  const inner = z.object({ offset: z.int().min(0) });
  const names = rowsOf({
    records: z.array(inner),
    few: z.array(z.int()).max(9),
    some: z.array(z.int()).min(1).max(9),
    either: z.array(z.union([inner, z.object({ code: z.string() })])),
  });
  expect(names.map(({ name, type }) => `${name}: ${type}`)).toEqual([
    "records: array of object",
    "records[].offset: integer, at least 0",
    "few: array of integer, at most 9 entries",
    "some: array of integer, 1 to 9 entries",
    "either: array of object",
    "either[].offset: integer, at least 0",
    "either[]: or instead",
    "either[].code: string",
  ]);
});
