import fc from "fast-check";
import { expect, test } from "vitest";
import { recordLine } from "../output/record-json.ts";
import type { ShownRecord } from "../record.ts";
import { NotARecord, readRecordLine } from "./record-jsonl.ts";

const bytes = fc.oneof(
  fc.constant(null),
  fc.constant(Buffer.alloc(0)),
  fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
  fc.string({ unit: "binary" }).map((text) => Buffer.from(text, "utf8")),
);
const record: fc.Arbitrary<ShownRecord> = fc.record({
  topic: fc.constant("orders"),
  partition: fc.nat(),
  offset: fc.maxSafeNat(),
  timestampMs: fc.nat(),
  key: bytes,
  value: bytes,
  headers: fc.array(fc.record({ key: fc.string({ unit: "binary" }), value: bytes }), { maxLength: 4 }),
});

const same = (left: Uint8Array | null, right: Uint8Array | null) =>
  left === null || right === null ? left === right : Buffer.compare(left, right) === 0;

const read = (line: string) => readRecordLine(Buffer.from(line));

test("what fetch --json prints, produce --jsonl reads back byte for byte: null, empty, text, other bytes, headers", () => {
  fc.assert(
    fc.property(record, (original) => {
      const line = recordLine(original);
      expect(line).not.toContain("\n");
      const back = read(line);
      expect(back.partition).toBe(original.partition);
      expect(back.timestampMs).toBe(original.timestampMs);
      expect(same(back.key, original.key)).toBe(true);
      expect(same(back.value, original.value)).toBe(true);
      expect(back.headers.map((header) => header.key)).toEqual(original.headers.map((header) => header.key));
      for (const [index, header] of back.headers.entries()) {
        expect(same(header.value, original.headers[index]?.value ?? null)).toBe(true);
      }
    }),
  );
});

test("a record without a time gets one where it is read back", () => {
  const untimed = {
    topic: "orders",
    partition: 0,
    offset: 7,
    timestampMs: -1,
    key: null,
    value: null,
    headers: [],
  };
  expect(read(recordLine(untimed)).timestampMs).toBeNull();
});

test("a person may leave out everything but the value", () => {
  expect(read('{"value":"x"}')).toEqual({
    key: null,
    value: Buffer.from("x"),
    headers: [],
    partition: null,
    timestampMs: null,
  });
});

test("a tombstone has to be said: a record without a value is a slip of the finger", () => {
  expect(read('{"key":"a","value":null}').value).toBeNull();
  expect(() => read('{"key":"a"}')).toThrow("value: missing");
});

test.each([
  ["nonsense", "not JSON"],
  ["[1]", "expected an object, received a list"],
  ['{"value":"x","valeu":"y"}', "valeu: no such field"],
  ['{"value":"x","value_b64":"eA=="}', "value: given twice"],
  ['{"value_b64":"not base64!"}', "value_b64: expected strict Base64"],
  ['{"value":{"a":1}}', "value: expected text or null, received object"],
  ['{"value":"\\ud83d"}', "value: holds half a character"],
  ['{"value":"x","partition":1.5}', "partition: expected a whole number"],
  ['{"value":"x","timestamp":-1}', "timestamp: expected a whole number"],
  [
    '{"value":"x","timestamp":9007199254740993}',
    "timestamp: expected a whole number from 0 to 9007199254740991, received 9007199254740993",
  ],
  ['{"value":"\\"timestamp\\":7","timestamp" : -90071992547409930}', "received -90071992547409930"],
  ['{"value":"x","timestamp":9007199254740993,"timestamp":1e400}', "received 1e400"],
  ['{"value":"x","time\\u0073tamp":9007199254740993}', "received another number"],
  ['{"value":"x","headers":{"a":"b"}}', "headers: expected a list"],
  ['{"value":"x","headers":[{"value":"b"}]}', "headers.0.key: expected text"],
  ['{"value":"x","headers":[{"key":"a","v":"b"}]}', "headers.0.v: no such field"],
])("the line %s is refused, and the message names the field", (line, message) => {
  expect(() => read(line)).toThrow(NotARecord);
  expect(() => read(line)).toThrow(message);
});
