import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changedCrc, followingCrc } from "./crc-change.ts";

const pair = fc
  .uint8Array({ maxLength: 20 })
  .chain((before) =>
    fc.tuple(fc.constant(before), fc.uint8Array({ minLength: before.length, maxLength: before.length })),
  );

test("the CRC after a change is the CRC of the changed bytes, whatever follows them and however long", () => {
  const rest = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.integer({ min: 0, max: 300_000 }).map((length) => new Uint8Array(length).fill(length)),
  );
  fc.assert(
    fc.property(pair, rest, ([before, after], following) => {
      const crc = crc32(following, crc32(before));
      const changed = changedCrc(crc, { before, after, followingBytes: following.length });
      expect(changed).toBe(crc32(following, crc32(after)));
    }),
  );
});

test("the CRC of an end is told by that of the whole and the bytes before it", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ maxLength: 300 }), (front, following) => {
      const whole = crc32(following, crc32(front));
      expect(followingCrc(whole, front, following.length)).toBe(crc32(following));
    }),
  );
});
