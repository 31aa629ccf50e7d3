import { type Compression, HEADER_BYTES, packedFrame, readBatchHeader } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import { gzipOnly } from "../../../test/packing.ts";
import {
  frameAt,
  type KeyValue,
  type Producing,
  pass,
  present,
  shown,
} from "../../../test/retention-pass.ts";

describe("a compressed batch", () => {
  const packed = (baseOffset: number, pairs: readonly KeyValue[], producing: Producing = {}) =>
    packedFrame(frameAt(baseOffset, pairs, producing), "gzip", gzipOnly);
  const rules = { compression: gzipOnly };
  /** Text that gzip makes next to nothing of, so that it is over 4096 bytes unpacked and far below packed. */
  const wide = "v".repeat(3_000);

  test("loses its records as a plain one does, and is packed again with its codec", () => {
    const { kept, counts } = pass(
      [
        packed(
          0,
          [
            ["a", "1"],
            ["b", "1"],
            [null, "kept"],
          ],
          { producerId: 7, producerEpoch: 0, baseSequence: 0 },
        ),
        frameAt(3, [["a", "2"]]),
        packed(4, [["c", "1"]]),
        packed(5, [["c", "2"]]),
      ],
      rules,
    );
    expect(shown(kept)).toEqual([["1 b=1", "2 null=kept"], ["3 a=2"], null, ["5 c=2"]]);
    expect(readBatchHeader(kept[0] as Buffer)).toMatchObject({
      codec: "gzip",
      recordCount: 2,
      lastOffsetDelta: 2,
      producerId: 7,
      baseSequence: 0,
    });
    expect(counts).toMatchObject({ recordsKept: 4, recordsDropped: 2 });
  });

  test("is packed again in the form in which it came, of which a codec may have several", () => {
    const batch = packed(0, [
      ["a", "1"],
      ["b", "1"],
    ]);
    const forms: (Buffer | undefined)[] = [];
    const compression: Compression = {
      ...gzipOnly,
      compress(codec, bytes, like) {
        forms.push(like);
        return gzipOnly.compress(codec, bytes);
      },
    };
    pass([batch, frameAt(2, [["a", "2"]])], { compression });
    expect(forms).toEqual([batch.subarray(HEADER_BYTES)]);
  });

  test("that loses nothing keeps its bytes", () => {
    const frames = [
      packed(0, [
        ["a", "1"],
        ["b", "1"],
      ]),
      frameAt(2, [["c", "1"]]),
    ];
    expect(pass(frames, rules).kept).toEqual(frames);
  });

  test("that is its producer's last, and of which nothing stays, is an empty header without a codec", () => {
    const producer = { producerId: 7, producerEpoch: 0, baseSequence: 0 };
    const { kept } = pass([packed(0, [["a", "1"]], producer), frameAt(1, [["a", "2"]])], rules);
    expect(readBatchHeader(kept[0] as Buffer)).toMatchObject({
      codec: "none",
      recordCount: 0,
      producerId: 7,
    });
  });

  test("gets a delete horizon for its tombstones, and loses them when it is over", () => {
    const first = pass(
      [
        packed(0, [
          ["a", "1"],
          ["b", null],
        ]),
      ],
      { ...rules, nowMs: 1000 },
    );
    const header = readBatchHeader(first.kept[0] as Buffer);
    expect(header).toMatchObject({ codec: "gzip", deleteHorizonMs: 1100 });
    expect(shown(first.kept)).toEqual([["0 a=1", "1 b=null"]]);
    const second = pass(present(first.kept), { ...rules, nowMs: 1100 });
    expect(shown(second.kept)).toEqual([["0 a=1"]]);
    expect(second.counts).toMatchObject({ recordsDropped: 1, tombstonesDropped: 1 });
  });

  test("that is larger packed again than a batch may be is written plain, where it fits so", () => {
    const grows = { ...gzipOnly, compress: (_codec: unknown, bytes: Buffer) => Buffer.alloc(5_000, bytes) };
    const frames = [
      packed(0, [
        ["a", "1"],
        ["b", "1"],
      ]),
      frameAt(2, [["a", "2"]]),
    ];
    const { kept } = pass(frames, { compression: grows });
    expect(readBatchHeader(kept[0] as Buffer)).toMatchObject({ codec: "none", recordCount: 1 });
    expect(shown(kept)).toEqual([["1 b=1"], ["2 a=2"]]);
  });

  test("that fits neither packed nor plain is kept whole, and in this and every later pass so is each tombstone behind it", () => {
    const grows = { ...gzipOnly, compress: (_codec: unknown, bytes: Buffer) => Buffer.alloc(5_000, bytes) };
    const large = packed(0, [
      ["a", wide],
      ["b", wide],
      ["c", wide],
    ]);
    const first = pass([large, frameAt(3, [["a", null]])], { compression: grows });
    expect(first.kept[0]).toEqual(large);
    expect(first.counts).toMatchObject({ recordsKept: 4, recordsDropped: 0, nextHorizonMs: null });
    const second = pass(present(first.kept), { compression: grows, nowMs: 1 << 30 });
    expect(shown(second.kept)[1]).toEqual(["3 a=null"]);
    // What it hides is of an earlier pass as well, when the tombstone is no longer among what is surveyed.
    const third = pass(present(second.kept), { ...rules, coveredEnd: 4, nowMs: 1 << 30 });
    expect(shown(third.kept)[1]).toEqual(["3 a=null"]);
  });

  test("with more in it than a batch may have is packed again where it fits", () => {
    const { kept } = pass(
      [
        packed(0, [
          ["a", wide],
          ["b", wide],
        ]),
        frameAt(2, [["a", "2"]]),
      ],
      rules,
    );
    expect(readBatchHeader(kept[0] as Buffer)).toMatchObject({ codec: "gzip", recordCount: 1 });
  });
});
