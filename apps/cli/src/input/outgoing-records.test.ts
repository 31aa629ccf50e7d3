import { expect, test } from "vitest";
import { testContext } from "../../test/context.ts";
import { type OutgoingRecord, outgoingRecords } from "./outgoing-records.ts";
import type { RecordOptions } from "./record-options.ts";

async function records(
  options: RecordOptions,
  stdin?: string,
): Promise<{ records: OutgoingRecord[]; error: unknown }> {
  const found: OutgoingRecord[] = [];
  try {
    const context = testContext(stdin === undefined ? {} : { stdin });
    for await (const group of outgoingRecords(context, options)) found.push(...group);
  } catch (error) {
    return { records: found, error };
  }
  return { records: found, error: null };
}

/** Line, key and value as text. */
function shown(found: readonly OutgoingRecord[]) {
  return found.map(({ line, key, value }) => [line, key?.toString() ?? null, value?.toString() ?? null]);
}

test("each line is a value, with the key of the command, and an empty line is an empty value", async () => {
  const { records: found } = await records({ key: "k" }, "a\r\n\nb");
  expect(shown(found)).toEqual([
    [1, "k", "a"],
    [2, "k", ""],
    [3, "k", "b"],
  ]);
});

test("each -v is a record, in their order, and leaves stdin alone", async () => {
  const { records: found } = await records({ value: ["b", "a", ""], key: "k", partition: 3 });
  expect(shown(found)).toEqual([
    [null, "k", "b"],
    [null, "k", "a"],
    [null, "k", ""],
  ]);
  expect(found[0]).toMatchObject({ partition: 3, timestampMs: null, headers: [] });
});

test("-Z makes an empty value a tombstone, and leaves an empty key a key", async () => {
  const { records: found } = await records(
    { keyDelimiter: Buffer.from("::"), emptyIsNull: true },
    "a::\n::b\n",
  );
  expect(shown(found)).toEqual([
    [1, "a", null],
    [2, "", "b"],
  ]);
});

test("only the first key delimiter of a line divides it", async () => {
  const { records: found } = await records({ keyDelimiter: Buffer.from(":") }, "a:b:c\n");
  expect(shown(found)).toEqual([[1, "a", "b:c"]]);
});

test("with another delimiter newlines are part of the value", async () => {
  const { records: found } = await records({ delimiter: Buffer.from(";") }, "a\r\n;b\n");
  expect(shown(found)).toEqual([
    [1, null, "a\r\n"],
    [2, null, "b\n"],
  ]);
});

test("blank lines between lines of JSON are skipped, and counted", async () => {
  const { records: found } = await records({ jsonl: true }, '{"value":"a"}\n\n{"value":"b"}\n');
  expect(shown(found)).toEqual([
    [1, null, "a"],
    [3, null, "b"],
  ]);
});

test("the command's partition and headers go over and after those of a line of JSON", async () => {
  const line = '{"value":null,"partition":1,"timestamp":5,"headers":[{"key":"a","value":"1"}]}\n';
  const header = [{ key: "b", value: null }];
  const { records: found } = await records({ jsonl: true, partition: 2, header }, line);
  expect(found).toEqual([
    {
      line: 1,
      key: null,
      value: null,
      partition: 2,
      timestampMs: 5,
      headers: [
        { key: "a", value: Buffer.from("1") },
        { key: "b", value: null },
      ],
    },
  ]);
});

test.each<[RecordOptions, string, string]>([
  [{ jsonl: true }, '{"value":"a"}\n{"valeu":"b"}\n{"value":"c"}\n', "line 2: valeu: no such field"],
  [{ keyDelimiter: Buffer.from("\t") }, "a\tb\nc\nd\te\n", 'line 2: no key delimiter "\\t"'],
])("a bad line is named, after every line before it: %j", async (options, stdin, message) => {
  const { records: found, error } = await records(options, stdin);
  expect(found.map(({ line }) => line)).toEqual([1]);
  expect(error).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining(message) });
});
