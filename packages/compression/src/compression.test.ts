import { CompressionError, type PackingCodec } from "@minikafka/record";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compression } from "./compression.ts";

const CODECS: readonly PackingCodec[] = ["gzip", "snappy", "lz4", "zstd"];
const MIB = 1024 * 1024;

/** Text like that of records: it packs well, and is longer than one block of any codec. */
const text = Buffer.from(
  Array.from({ length: 12_000 }, (_, index) => `{"id":${index},"name":"user ${(index * 7919) % 1000}"}`).join(
    ",",
  ),
);

function problemOf(act: () => unknown): unknown {
  try {
    act();
    return null;
  } catch (problem) {
    return problem;
  }
}

describe.each(CODECS)("%s", (codec) => {
  test("what was packed is unpacked to the same bytes", () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 2_000 }),
      fc.nat({ max: 200_000 }).map((length) => new Uint8Array(length)),
      fc.nat({ max: text.length }).map((length) => text.subarray(0, length)),
    );
    fc.assert(
      fc.property(content, (each) => {
        const bytes = Buffer.from(each);
        const unpacked = compression.decompress(codec, compression.compress(codec, bytes), bytes.length);
        expect(unpacked.equals(bytes)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test("text becomes smaller", () => {
    expect(compression.compress(codec, text).length).toBeLessThan(text.length / 2);
  });

  test("one byte more than is allowed is too large, and says both", () => {
    const packed = compression.compress(codec, text);
    const problem = problemOf(() => compression.decompress(codec, packed, text.length - 1));
    expect(problem).toMatchObject({ name: "CompressionError", problem: "too_large" });
    expect(String(problem)).toContain(String(text.length - 1));
  });

  test("what is cut at any byte is damaged, or fewer whole blocks of it", () => {
    const bytes = text.subarray(0, 300);
    const packed = compression.compress(codec, bytes);
    for (let length = 0; length < packed.length; length += 1) {
      let unpacked: Buffer | null = null;
      const problem = problemOf(() => {
        unpacked = compression.decompress(codec, packed.subarray(0, length), MIB);
      });
      // Only xerial's framing has no end of its own: a header without a block is an empty stream.
      if (codec === "snappy" && length === 16) expect(unpacked).toHaveLength(0);
      else expect(problem).toMatchObject({ name: "CompressionError", problem: "damaged" });
    }
  });

  test("bytes of another codec are damaged", () => {
    for (const other of CODECS.filter((each) => each !== codec)) {
      const packed = compression.compress(other, text);
      expect(problemOf(() => compression.decompress(codec, packed, MIB))).toBeInstanceOf(CompressionError);
    }
  });

  test("changed and made-up bytes end in a named error or within the bound, with the seed printed", () => {
    const packed = compression.compress(codec, text.subarray(0, 4_000));
    const change = fc.array(fc.tuple(fc.nat({ max: packed.length - 1 }), fc.nat({ max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    const changed = fc.tuple(change, fc.nat({ max: packed.length })).map(([changes, length]) => {
      const bytes = Buffer.from(packed);
      for (const [at, value] of changes) bytes[at] = value;
      return bytes.subarray(0, Math.max(length, packed.length / 2));
    });
    const madeUp = fc
      .uint8Array({ maxLength: 200 })
      .map((bytes) => Buffer.concat([packed.subarray(0, bytes.length % 24), bytes]));
    fc.assert(
      fc.property(fc.oneof(changed, madeUp), (bytes) => {
        const problem = problemOf(() => {
          expect(compression.decompress(codec, bytes, 100_000).length).toBeLessThanOrEqual(100_000);
        });
        if (problem !== null) expect(problem).toBeInstanceOf(CompressionError);
      }),
      { numRuns: 300 },
    );
  });
});
