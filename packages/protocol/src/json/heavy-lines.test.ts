/** A line of four megabytes, of which a million things could be made, costs little more than its bytes; and what is right is taken. */
import { RECORDS_PER_BATCH_MAX } from "@minikafka/record";
import { expect, test } from "vitest";
import { z } from "zod";
import { parseJsonWithBytes } from "./long-bytes.ts";
import { OPERATIONS } from "./operations.ts";
import { readRequest } from "./request.ts";

const LINE_CHARACTERS = 4 * 1024 * 1024;
const produce = '{"id":7,"operation":"produce","topic":"a","records":[';
const tooMany = "the line holds more than 1000000 values; send them in several requests";
const records = (given: number) =>
  `records: expected a list of 1 to 100000 entries, received a list of ${given} entries`;

function filled(head: string, entry: string, tail: string): string {
  const count = Math.floor((LINE_CHARACTERS - head.length - tail.length) / entry.length);
  return `${head}${entry.repeat(count)}${entry.replace(/,$/, "")}${tail}`;
}

function repeated(entry: string, count: number): string {
  return `${produce}${`${entry},`.repeat(count - 1)}${entry}]}`;
}

function names(head: string, count: number, tail: string): string {
  return head + Array.from({ length: count }, (_, number) => `"n${number}":0`).join() + tail;
}

const read = (line: string) => {
  const began = performance.now();
  const answer = readRequest(Buffer.from(line));
  return { answer, took: performance.now() - began };
};

test.each<[string, string, string]>([
  ["records that are null", filled(produce, "null,", "]}"), records(838_850)],
  ["empty records", filled(produce, "{},", "]}"), tooMany],
  ["records that are numbers", filled(produce, "0,", "]}"), tooMany],
  ["unknown fields of records", filled(produce, '{"":0},', "]}"), tooMany],
  ["wrong Base64", filled(produce, '{"key_b64":0,"value_b64":0},', "]}"), records(149_795)],
  ["lists in a list", filled(produce, "[],", "]}"), tooMany],
  ["right records", filled(produce, '{"value_b64":"YQ=="},', "]}"), records(199_727)],
  ["headers", filled(`${produce}{"headers":[`, "0,", "]}]}"), tooMany],
  [
    "offsets",
    filled('{"id":7,"operation":"commit_offsets","group_id":"g","offsets":[', "null,", "]}"),
    "offsets: expected a list of 1 to 10000 entries, received a list of 838848 entries",
  ],
  ["unknown fields", names('{"id":7,"operation":"ping",', 350_000, "}"), "an object has more than 256 names"],
  [
    "settings",
    names('{"operation":"alter_config","topic":"a","config":{', 300_000, '},"id":7}'),
    "an object has more than 256 names",
  ],
  [
    "nested lists",
    `{"id":7,"operation":"ping","a":${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}}`,
    "nested deeper than 32 levels at character 62",
  ],
  ["lists that nobody closes", filled('{"id":7,"operation":"ping","a":[', "[],", ""), tooMany],
])("four megabytes of %s are refused at once, shortly and with the line's id", (_what, line, message) => {
  const { answer, took } = read(line);
  expect(answer).toEqual({ kind: "refused", id: 7, code: "INVALID_REQUEST", message });
  // The worst of them took a minute, in which the broker answered nobody.
  expect(took).toBeLessThan(2_000);
});

test.each([
  ["a number", "0", /^records\.0: expected an object, received 0$/],
  ["an unknown field", '{"":0}', /^records\.0\.: no such field; known are .*; and 99997 more$/],
  ["wrong Base64", '{"key_b64":0,"value_b64":"*"}', /^records\.0\.key_b64: expected strict Base64/],
  ["half a pair", '{"headers":[{"key":"\\ud800"}]}', /^records\.0\.headers\.0\.key: expected text without/],
  ["a wrong time", '{"timestamp_ms":-1}', /^records\.0\.timestamp_ms: .*; and 99997 more$/],
])("as many records as a batch may have, each of them %s, are refused at once", (_what, record, message) => {
  const { answer, took } = read(repeated(record, RECORDS_PER_BATCH_MAX));
  expect(answer).toMatchObject({ kind: "refused", id: 7, message: expect.stringMatching(message) });
  expect(took).toBeLessThan(4_000);
});

test("the last of many records is read as strictly as the first", () => {
  const line = repeated("{}", RECORDS_PER_BATCH_MAX).replace(/\{\}\]\}$/, "0]}");
  expect(read(line).answer).toMatchObject({ message: "records.99999: expected an object, received 0" });
});

test("a batch of the most records, each with key, value, time and a header, is taken", () => {
  const record =
    '{"key_b64":"YQ==","value_b64":"YQ==","timestamp_ms":1,"headers":[{"key":"h","value_b64":"YQ=="}]}';
  const { answer } = read(repeated(record, RECORDS_PER_BATCH_MAX));
  expect(answer).toMatchObject({ kind: "request", id: 7 });
});

test("every list of every request has a bound, which is looked at before its entries", () => {
  const lists: unknown[] = [];
  for (const { request } of Object.values(OPERATIONS))
    JSON.stringify(z.toJSONSchema(request, { io: "input" }), (_name, described) => {
      if (described?.type === "array") lists.push(described.maxItems);
      return described;
    });
  expect(lists.length).toBeGreaterThan(8);
  expect(lists).not.toContain(undefined);
});

test("of what a client reads nothing is too much: it has asked for it", () => {
  const answer = names(`{"ok":true,"all":[${"0,".repeat(1_100_000)}0],`, 300, "}");
  expect(Object.keys(parseJsonWithBytes(Buffer.from(answer)))).toHaveLength(302);
});
