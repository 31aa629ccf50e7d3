import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeBatch } from "./batch.ts";
import type { Record } from "./record.ts";
import { RecordCursor } from "./record-cursor.ts";
import { decodeRecords } from "./records-section.ts";

const bytes = fc.option(
  fc.uint8Array({ maxLength: 200 }).map((value) => Buffer.from(value)),
  { nil: null },
);
const record: fc.Arbitrary<Record> = fc.record({
  key: bytes,
  value: bytes,
  timestampMs: fc.nat({ max: 2 ** 40 }),
  headers: fc.array(fc.record({ key: fc.string({ maxLength: 9 }), value: bytes }), { maxLength: 2 }),
});

test("the parts that a cursor names are those that the decoder makes", () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 20 }), (records) => {
      const frame = encodeBatch({ records });
      const cursor = new RecordCursor(frame);
      const firstTimestampMs = records[0]?.timestampMs ?? 0;
      const seen: unknown[] = [];
      let end = cursor.end;
      while (cursor.next()) {
        expect(cursor.start).toBe(end);
        end = cursor.end;
        seen.push({
          offset: cursor.offsetDelta - 1,
          key: cursor.hasKey ? frame.subarray(cursor.keyStart, cursor.keyEnd) : null,
          isTombstone: !cursor.hasValue,
          timestampMs: firstTimestampMs + cursor.timestampDelta,
        });
      }
      expect(end).toBe(frame.length);
      expect(cursor.next()).toBe(false);
      expect(seen).toEqual(
        decodeRecords(frame).map(({ offset, key, value, timestampMs }) => ({
          ...{ offset, key, timestampMs },
          isTombstone: value === null,
        })),
      );
    }),
  );
});

test("an empty key is a key", () => {
  const of = (key: Buffer | null) => {
    const cursor = new RecordCursor(
      encodeBatch({ records: [{ key, value: null, timestampMs: 1, headers: [] }] }),
    );
    cursor.next();
    return cursor.hasKey;
  };
  expect([of(Buffer.alloc(0)), of(null)]).toEqual([true, false]);
});
