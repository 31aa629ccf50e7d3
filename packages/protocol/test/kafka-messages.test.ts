import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { structCodec, type WireForm } from "../src/kafka/codec.ts";
import { API_TABLE, type Api, isFlexible, Malformed, Reader } from "../src/kafka/index.ts";
import type { StructType } from "../src/kafka/schema.ts";
import { Writer } from "../src/kafka/writer.ts";
import { drawnStruct, versionsOf } from "./drawn-messages.ts";

interface Message {
  readonly name: string;
  readonly type: StructType;
  readonly form: WireForm;
}

function messagesOf(api: Api): Message[] {
  return versionsOf(api).flatMap((version) =>
    (["request", "response"] as const).map((direction) => ({
      name: `${api.name} ${direction} ${version}`,
      type: api[direction],
      form: { version, isFlexible: isFlexible(api, version) },
    })),
  );
}

const MESSAGES = Object.values(API_TABLE).flatMap(messagesOf);

function encode({ type, form }: Message, value: unknown): Buffer {
  const writer = new Writer();
  structCodec(type, form).write(writer, value);
  return writer.whole();
}

function decode({ type, form }: Message, bytes: Buffer): unknown {
  const reader = new Reader(bytes);
  const value = structCodec(type, form).read(reader);
  reader.expectEnd();
  return value;
}

/** The class of what reading the bytes throws, or null. */
function refusalOf(message: Message, bytes: Buffer): unknown {
  try {
    decode(message, bytes);
    return null;
  } catch (error) {
    return error instanceof Malformed ? "Malformed" : error;
  }
}

describe.each(MESSAGES)("$name", (message) => {
  const drawn = drawnStruct(message.type, message.form.version);

  test("what was written is read again", () => {
    fc.assert(
      fc.property(drawn, (value) => {
        expect(decode(message, encode(message, value))).toEqual(value);
      }),
      { numRuns: 20 },
    );
  });

  test("every truncation is Malformed, and nothing else", () => {
    fc.assert(
      fc.property(drawn, (value) => {
        const bytes = encode(message, value);
        const refusals = Array.from(bytes, (_, length) => refusalOf(message, bytes.subarray(0, length)));
        expect(refusals.filter((refusal) => refusal !== "Malformed")).toEqual([]);
      }),
      { numRuns: 3 },
    );
  });

  test("damaged bytes are read as something else or are Malformed", () => {
    fc.assert(
      fc.property(drawn, fc.infiniteStream(fc.nat(255)), (value, damage) => {
        const bytes = encode(message, value);
        const refusals = Array.from(bytes, (_, place) => {
          const damaged = Buffer.from(bytes);
          damaged[place] = damage.next().value;
          return refusalOf(message, damaged);
        });
        expect(refusals.filter((refusal) => refusal !== "Malformed" && refusal !== null)).toEqual([]);
      }),
      { numRuns: 3 },
    );
  });
});

test("bytes drawn by chance are read as something or are Malformed", () => {
  fc.assert(
    fc.property(fc.constantFrom(...MESSAGES), fc.uint8Array({ maxLength: 60 }), (message, bytes) => {
      expect(refusalOf(message, Buffer.from(bytes))).toBeOneOf([null, "Malformed"]);
    }),
    { numRuns: 5000 },
  );
});

test("every API stands in the table under its own key, and each name once", () => {
  const rows: [string, Api][] = Object.entries(API_TABLE);
  expect(rows.map(([key]) => Number(key))).toEqual(rows.map(([, api]) => api.key));
  expect(new Set(rows.map(([, api]) => api.name)).size).toBe(rows.length);
});
