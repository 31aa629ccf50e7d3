import { answerEnvelope } from "@minikafka/protocol";
import { expect, expectTypeOf, test } from "vitest";
import { jsonDeserializer, jsonSerializer } from "./json-serde.ts";
import {
  bytesDeserializer,
  bytesSerializer,
  doubleDeserializer,
  doubleSerializer,
  integerDeserializer,
  integerSerializer,
  longDeserializer,
  longSerializer,
  stringDeserializer,
  stringSerializer,
} from "./ready-serdes.ts";
import type { Deserializer, Serializer } from "./serde.ts";
import type { StandardSchema } from "./standard-schema.ts";

const PLACE = { topic: "orders", part: "value", headers: [] } as const;

const bytesOf = <T>(serializer: Serializer<T>, data: T) => Buffer.from(serializer(data, PLACE));
const dataOf = <T>(deserializer: Deserializer<T>, bytes: Buffer) => deserializer(bytes, PLACE);

/** The bytes of Kafka's serializers of these names. */
const KAFKAS: readonly [string, Serializer<never>, Deserializer<unknown>, unknown, string][] = [
  ["string", stringSerializer, stringDeserializer, "µé€", "c2b5c3a9e282ac"],
  ["string", stringSerializer, stringDeserializer, "", ""],
  ["bytes", bytesSerializer, bytesDeserializer, Buffer.from([0, 255]), "00ff"],
  ["integer", integerSerializer, integerDeserializer, 1, "00000001"],
  ["integer", integerSerializer, integerDeserializer, -2147483648, "80000000"],
  ["long", longSerializer, longDeserializer, -1n, "ffffffffffffffff"],
  ["long", longSerializer, longDeserializer, 2n ** 63n - 1n, "7fffffffffffffff"],
  ["double", doubleSerializer, doubleDeserializer, 1.5, "3ff8000000000000"],
];

test.each(KAFKAS)("%s: bytes as Kafka's, there and back", (_name, serializer, deserializer, data, hex) => {
  const bytes = bytesOf(serializer, data as never);
  expect(bytes.toString("hex")).toBe(hex);
  expect(dataOf(deserializer, bytes)).toEqual(data);
});

const REFUSED: readonly [string, () => unknown][] = [
  ["text that is a number", () => bytesOf(stringSerializer, 7 as never)],
  ["bytes that are text", () => bytesOf(bytesSerializer, "7" as never)],
  ["a fraction", () => bytesOf(integerSerializer, 1.5)],
  ["more than 32 bits", () => bytesOf(integerSerializer, 2 ** 31)],
  ["more than 64 bits", () => bytesOf(longSerializer, 2n ** 63n)],
  ["a double that is text", () => bytesOf(doubleSerializer, "1" as never)],
  ["an integer of three bytes", () => dataOf(integerDeserializer, Buffer.alloc(3))],
  ["a long of nine bytes", () => dataOf(longDeserializer, Buffer.alloc(9))],
  ["a double of no bytes", () => dataOf(doubleDeserializer, Buffer.alloc(0))],
  ["what has no JSON", () => bytesOf(jsonSerializer(), () => {})],
  ["half of a JSON", () => dataOf(jsonDeserializer(), Buffer.from('{"a":'))],
  ["JSON that is no UTF-8", () => dataOf(jsonDeserializer(), Buffer.from([0x22, 0xff, 0x22]))],
];

test.each(REFUSED)("%s is refused", (_name, refused) => {
  expect(refused).toThrow();
});

/** Takes `{ at: text }` and makes a date of it. */
const DATED: StandardSchema<{ at: string }, { at: Date }> = {
  "~standard": {
    version: 1,
    vendor: "a test",
    validate: (value) => {
      const at = Object(value).at;
      return typeof at === "string"
        ? { value: { at: new Date(at) } }
        : { issues: [{ message: "expected a time", path: [{ key: "at" }] }, { message: "and more" }] };
    },
  },
};

test("JSON is checked by a schema both ways: what it takes travels, what it makes is handed out", () => {
  const serializer = jsonSerializer(DATED);
  const deserializer = jsonDeserializer(DATED);
  expectTypeOf(serializer).toEqualTypeOf<Serializer<{ at: string }>>();
  expectTypeOf(deserializer).toEqualTypeOf<Deserializer<{ at: Date }>>();
  const bytes = bytesOf(serializer, { at: "2026-01-01T00:00:00.000Z" });
  expect(bytes.toString()).toBe('{"at":"2026-01-01T00:00:00.000Z"}');
  expect(dataOf(deserializer, bytes)).toEqual({ at: new Date("2026-01-01T00:00:00.000Z") });
  expect(() => bytesOf(serializer, { at: 7 } as never)).toThrow("at: expected a time; and more");
  expect(() => dataOf(deserializer, Buffer.from("{}"))).toThrow("at: expected a time; and more");
});

test("a schema of zod's is one", () => {
  const deserializer = jsonDeserializer(answerEnvelope);
  expect(dataOf(deserializer, Buffer.from('{"ok":true,"id":1}'))).toMatchObject({ ok: true, id: 1 });
  expect(() => dataOf(deserializer, Buffer.from('{"ok":"yes"}'))).toThrow();
});

test.each([null, 5, {}, { "~standard": { version: 1 } }])(
  "what is no schema is refused where it is given: %j",
  (given) => {
    const refusal = expect.objectContaining({
      code: "USAGE",
      message: expect.stringContaining("Standard Schema"),
    });
    expect(() => jsonSerializer(given as never)).toThrow(refusal);
    expect(() => jsonDeserializer(given as never)).toThrow(refusal);
  },
);

test("a schema may be a function, and one that refuses without a word is told of as such", () => {
  const schema = Object.assign(() => {}, {
    "~standard": { version: 1, vendor: "a test", validate: () => ({ issues: [] }) },
  } as const);
  expect(() => bytesOf(jsonSerializer(schema), {})).toThrow("does not say why");
});

test("a long that is a number is refused with what was expected", () => {
  expect(() => bytesOf(longSerializer, 5 as never)).toThrow("expected a bigint, got number");
});

test("a schema that checks asynchronously is refused, and its failure is nobody's", async () => {
  const later: StandardSchema = {
    "~standard": { version: 1, vendor: "a test", validate: () => Promise.reject(new Error("unheard")) },
  };
  expect(() => bytesOf(jsonSerializer(later), {})).toThrow("checks asynchronously");
  await new Promise((resolve) => setImmediate(resolve));
});
