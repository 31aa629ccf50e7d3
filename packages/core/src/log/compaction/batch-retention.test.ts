import { crc32 } from "node:zlib";
import {
  assignBatch,
  decodeRecords,
  encodeBatch,
  frameProblem,
  packedFrame,
  plainFrame,
  readBatchHeader,
  storedRecordsProblem,
} from "@minikafka/record";
import { describe, expect, test } from "vitest";
import { gzipOnly } from "../../../test/packing.ts";
import { SeededRandom } from "../../env/random.ts";
import type { AbortedTransaction } from "../indexes/aborted-index.ts";
import { ProducerState } from "../producers/producer-state.ts";
import type { OpenTransaction } from "../producers/transaction-state.ts";
import { BatchRetention, type RetentionRules } from "./batch-retention.ts";
import { KeyOffsetMap } from "./key-offset-map.ts";
import { ProducerTails } from "./producer-tails.ts";
import { TransactionWatch } from "./transaction-watch.ts";

/** `["k", "v"]`; a value of `null` is a tombstone. */
type KeyValue = readonly [key: string | null, value: string | null];

interface Producing {
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly transactional?: boolean;
}

function frameAt(baseOffset: number, pairs: readonly KeyValue[], producing: Producing = {}): Buffer {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));
  const records = pairs.map(([key, value]) => ({
    ...{ key: bytes(key), value: bytes(value) },
    ...{ timestampMs: 500, headers: [] },
  }));
  const frame = encodeBatch({ records, ...producing });
  assignBatch(frame, { baseOffset, leaderEpoch: 0 });
  return frame;
}

/** With other flags, as a later version of this program will write them. */
function flagged(frame: Buffer, flags: number): Buffer {
  const changed = Buffer.from(frame);
  changed.writeUInt8(changed.readUInt8(13) | flags, 13);
  changed.writeUInt32BE(crc32(changed.subarray(12)), 8);
  return changed;
}

const COMMIT = 0x02;
const ABORT = 0x04;
const GZIP = 1 << 3;

function marker(baseOffset: number, producerId: number, kind: number, producerEpoch = 0): Buffer {
  const frame = frameAt(baseOffset, [["", ""]], { producerId, producerEpoch, transactional: true });
  return flagged(frame, kind);
}

interface Pass extends Partial<RetentionRules> {
  readonly aborted?: readonly AbortedTransaction[];
  readonly open?: readonly OpenTransaction[];
}

/** One pass over `frames`, of which all are dirty and covered unless it is said otherwise. */
function pass(frames: readonly Buffer[], { aborted = [], open = [], ...rules }: Pass = {}) {
  const latest = new KeyOffsetMap({ bufferBytes: 1 << 16, keysMax: 100 }, new SeededRandom(1));
  const transactions = new TransactionWatch({ aborted, open });
  const state = new ProducerState();
  const headers = frames.map((frame) => readBatchHeader(frame));
  const coveredEnd = rules.coveredEnd ?? headers.at(-1)?.nextOffset ?? 0;
  frames.forEach((frame, index) => {
    const header = headers[index] as ReturnType<typeof readBatchHeader>;
    state.note(header, 0);
    if (header.control !== null || transactions.isAborted(header) || transactions.isOpen(header)) return;
    if (!isRead(frame, rules)) return;
    for (const { key, offset } of decodeRecords(plainFrame(frame, gzipOnly)))
      if (key !== null && offset < coveredEnd) latest.put(key, 0, key.length, offset);
  });
  const producers = new ProducerTails((producerId) => state.get(producerId), coveredEnd);
  const retention = new BatchRetention({
    ...{
      latest,
      coveredEnd,
      copiedEnd: Number.POSITIVE_INFINITY,
      transactions,
      producers,
      nowMs: 1000,
      deleteRetentionMs: 100,
      frameBytesMax: 4096,
    },
    ...rules,
  });
  const kept = frames.map((frame) => retention.retained(frame, readBatchHeader(frame)));
  for (const frame of kept) {
    if (frame === null || !isRead(frame, rules)) continue;
    expect(frameProblem(frame, 0, rules.frameBytesMax ?? 4096)).toBeNull();
    expect(storedRecordsProblem(plainFrame(frame, gzipOnly))).toBeNull();
  }
  return { kept, counts: retention.counts };
}

function isRead(frame: Buffer, { compression }: Partial<RetentionRules>): boolean {
  return compression !== undefined || readBatchHeader(frame).codec === "none";
}

/** `offset key=value` of what stayed, `null` for a gap. */
function shown(kept: readonly (Buffer | null)[]): (string[] | null)[] {
  return kept.map(
    (frame) =>
      frame &&
      decodeRecords(plainFrame(frame, gzipOnly)).map(({ offset, key, value }) => `${offset} ${key}=${value}`),
  );
}

const present = (frames: readonly (Buffer | null)[]) => frames.filter((frame) => frame !== null);

test("the latest record of each key stays, and every record without a key", () => {
  const { kept, counts } = pass([
    frameAt(0, [
      ["a", "1"],
      ["b", "1"],
      [null, "x"],
    ]),
    frameAt(3, [
      ["a", "2"],
      ["a", "3"],
    ]),
    frameAt(5, [
      ["a", "4"],
      ["c", "1"],
    ]),
  ]);
  expect(shown(kept)).toEqual([["1 b=1", "2 null=x"], null, ["5 a=4", "6 c=1"]]);
  expect(counts).toMatchObject({
    recordsKept: 4,
    recordsDropped: 3,
    tombstonesDropped: 0,
    nextHorizonMs: null,
  });
});

test("a batch of which everything stays keeps its bytes", () => {
  const frame = frameAt(0, [
    ["a", "1"],
    ["b", "1"],
  ]);
  expect(pass([frame]).kept).toEqual([frame]);
});

test("an empty key is a key, and an empty value is no tombstone", () => {
  expect(
    shown(
      pass([
        frameAt(0, [
          ["", "1"],
          ["", ""],
        ]),
      ]).kept,
    ),
  ).toEqual([["1 ="]]);
});

test("what the pass did not cover stays as it is, and a batch that it covered in part loses only from that part", () => {
  const frames = [
    frameAt(0, [
      ["a", "1"],
      ["b", "1"],
    ]),
    frameAt(2, [
      ["a", "2"],
      ["a", "3"],
      ["b", "2"],
    ]),
    frameAt(5, [
      ["a", "4"],
      ["a", "5"],
    ]),
  ];
  const { kept } = pass(frames, { coveredEnd: 4 });
  expect(shown(kept)).toEqual([["1 b=1"], ["3 a=3", "4 b=2"], ["5 a=4", "6 a=5"]]);
  expect(kept[2]).toBe(frames[2]);
});

describe("a tombstone", () => {
  const frames = [
    frameAt(0, [
      ["a", "1"],
      ["b", "1"],
    ]),
    frameAt(2, [
      ["a", null],
      ["c", "1"],
    ]),
  ];

  test("stays for delete_retention_ms from its first cleaning, whatever its record's time says (KIP-534)", () => {
    const first = pass(frames, { nowMs: 1000 });
    expect(shown(first.kept)).toEqual([["1 b=1"], ["2 a=null", "3 c=1"]]);
    expect(first.counts.nextHorizonMs).toBe(1100);
    const second = pass(present(first.kept), { nowMs: 1099 });
    expect(second.kept).toEqual(first.kept);
    const third = pass(present(second.kept), { nowMs: 1100 });
    expect(shown(third.kept)).toEqual([["1 b=1"], ["3 c=1"]]);
    expect(third.counts).toMatchObject({ recordsDropped: 1, tombstonesDropped: 1, nextHorizonMs: null });
  });

  test("keeps the horizon that its first cleaning gave, though the topic's setting changes", () => {
    const first = pass(frames, { nowMs: 1000, deleteRetentionMs: 100 });
    const second = pass(present(first.kept), { nowMs: 1050, deleteRetentionMs: 9_000 });
    expect(readBatchHeader(second.kept[1] as Buffer).deleteHorizonMs).toBe(1100);
  });

  test("of a batch that is covered in part waits for the pass that covers all of it", () => {
    const { kept, counts } = pass(
      [
        frameAt(0, [
          ["a", null],
          ["b", null],
        ]),
      ],
      { coveredEnd: 1 },
    );
    expect(readBatchHeader(kept[0] as Buffer).deleteHorizonMs).toBeNull();
    expect(counts.nextHorizonMs).toBeNull();
  });

  test("that would make its batch too large with a horizon waits until the batch has lost others", () => {
    const large = Array.from({ length: 40 }, (_, n): KeyValue => [`k${n}`, n === 0 ? null : "v"]);
    const [frame, later] = [
      frameAt(0, large),
      frameAt(40, [
        ["k1", "2"],
        ["k2", "2"],
      ]),
    ];
    const tight = { frameBytesMax: frame.length + 30, deleteRetentionMs: 1 << 30 };
    const first = pass([frame], tight);
    expect(first.kept).toEqual([frame]);
    expect(first.counts.nextHorizonMs).toBeNull();
    const withRoom = pass([frame, later], { ...tight, frameBytesMax: 2 * frame.length });
    expect(readBatchHeader(withRoom.kept[0] as Buffer).deleteHorizonMs).toBe(1000 + (1 << 30));
    const thinned = pass([frame, later], tight);
    expect(readBatchHeader(thinned.kept[0] as Buffer)).toMatchObject({
      recordCount: 38,
      deleteHorizonMs: null,
    });
  });

  test("gets a horizon that a batch can hold, however long its grace is", () => {
    const { kept } = pass([frameAt(0, [["a", null]])], { deleteRetentionMs: Number.MAX_SAFE_INTEGER });
    expect(frameProblem(kept[0] as Buffer, 0, 4096)).toBeNull();
  });

  test("that is no longer the latest of its key goes at once", () => {
    const { kept, counts } = pass([frameAt(0, [["a", null]]), frameAt(1, [["a", "2"]])]);
    expect(shown(kept)).toEqual([null, ["1 a=2"]]);
    expect(counts.tombstonesDropped).toBe(0);
  });

  test("stays behind a batch that cannot be read, which may hold what it deletes", () => {
    const packed = flagged(frameAt(0, [["a", "1"]]), GZIP);
    const first = pass([packed, frameAt(1, [["a", null]])], { nowMs: 1000 });
    const second = pass(present(first.kept), { nowMs: 9000 });
    expect(second.kept[0]).toEqual(packed);
    expect(decodeRecords(second.kept[1] as Buffer)).toHaveLength(1);
    expect(second.counts.nextHorizonMs).toBeNull();
  });
});

describe("a producer's last batch (KAFKA-5490)", () => {
  const from = (producerId: number, baseSequence: number, producerEpoch = 0) => ({
    producerId,
    baseSequence,
    producerEpoch,
  });

  test("stays as an empty one when none of its records does, and goes once the producer has a later one", () => {
    const frames = [
      frameAt(0, [["a", "1"]], from(7, 0)),
      frameAt(1, [["a", "2"]], from(7, 1)),
      frameAt(2, [["a", "3"]], from(8, 0)),
    ];
    const first = pass(frames);
    expect(shown(first.kept)).toEqual([null, [], ["2 a=3"]]);
    expect(readBatchHeader(first.kept[1] as Buffer)).toMatchObject({ baseSequence: 1, producerId: 7 });
    const again = pass(present(first.kept));
    expect(again.kept[0]).toBe(first.kept[1]);
    const later = pass([...present(first.kept), frameAt(3, [["a", "4"]], from(7, 2))]);
    expect(shown(later.kept)).toEqual([null, [], ["3 a=4"]]);
  });

  test("is its marker once that has a higher epoch, and is not otherwise", () => {
    const data = frameAt(0, [["a", "1"]], { ...from(7, 0), transactional: true });
    const tail = frameAt(3, [["a", "2"]]);
    const sameEpoch = pass([data, marker(1, 7, COMMIT), tail]);
    expect(shown(sameEpoch.kept)[0]).toEqual([]);
    const higher = pass([data, marker(1, 7, COMMIT, 1), tail]);
    expect(shown(higher.kept)[0]).toBeNull();
    expect(pass(present(higher.kept), { nowMs: 1 << 30 }).kept[0]).toEqual(marker(1, 7, COMMIT, 1));
  });

  test("below the covered end is kept, though it has a later one behind", () => {
    const frames = [0, 1, 2].map((offset) => frameAt(offset, [["a", "1"]], from(7, offset)));
    expect(shown(pass(frames, { coveredEnd: 2 }).kept)).toEqual([null, ["1 a=1"], ["2 a=1"]]);
    const superseded = [...frames.slice(0, 1), frameAt(1, [["a", "2"]]), ...frames.slice(2)];
    expect(shown(pass(superseded, { coveredEnd: 2 }).kept)).toEqual([[], ["1 a=2"], ["2 a=1"]]);
  });

  test("is kept no longer once the producer was forgotten", () => {
    const frames = [frameAt(0, [["a", "1"]], from(7, 0)), frameAt(1, [["a", "2"]])];
    expect(shown(pass(frames).kept)).toEqual([[], ["1 a=2"]]);
    const nobody = new ProducerTails(() => undefined, 2);
    expect(shown(pass(frames, { producers: nobody }).kept)).toEqual([null, ["1 a=2"]]);
  });
});

describe("a transaction", () => {
  const by7 = { producerId: 7, producerEpoch: 0, transactional: true };

  test("that was aborted leaves no record, nor does it outdo what was there before it", () => {
    const frames = [
      frameAt(0, [["a", "1"]]),
      frameAt(1, [["a", "aborted"]], { ...by7, baseSequence: 0 }),
      marker(2, 7, ABORT),
      frameAt(3, [["b", "1"]], { ...by7, baseSequence: 1 }),
      marker(4, 7, COMMIT),
    ];
    const aborted = [{ producerId: 7, firstOffset: 1, lastOffset: 2 }];
    const { kept } = pass(frames, { aborted });
    expect(shown(kept)).toEqual([["0 a=1"], null, ["2 ="], ["3 b=1"], ["4 ="]]);
  });

  test("keeps its marker while a record of it is there, and for delete_retention_ms afterwards", () => {
    const frames = [
      frameAt(0, [["a", "1"]], { ...by7, baseSequence: 0 }),
      marker(1, 7, COMMIT),
      frameAt(2, [["b", "1"]], { producerId: 7, producerEpoch: 0, baseSequence: 1 }),
    ];
    const withRecord = pass(frames, { nowMs: 1000 });
    expect(withRecord.kept).toEqual(frames);
    const superseded = pass([...frames, frameAt(3, [["a", "2"]])], { nowMs: 2000 });
    expect(superseded.kept.slice(0, 2)).toEqual([null, frames[1]]);
    const alone = pass(present(superseded.kept), { nowMs: 3000 });
    expect(readBatchHeader(alone.kept[0] as Buffer)).toMatchObject({
      control: "commit",
      deleteHorizonMs: 3100,
    });
    expect(alone.counts.nextHorizonMs).toBe(3100);
    expect(pass(present(alone.kept), { nowMs: 3099 }).kept).toEqual(alone.kept);
    expect(pass(present(alone.kept), { nowMs: 3100 }).kept[0]).toBeNull();
  });

  test("of which nobody knows the end yet is left alone, and outdoes nothing", () => {
    const frames = [
      frameAt(0, [["a", "1"]]),
      frameAt(1, [["a", "aborted"]], { ...by7, baseSequence: 0 }),
      marker(2, 7, ABORT),
      frameAt(3, [["a", "open"]], { ...by7, producerEpoch: 1, baseSequence: 0 }),
      frameAt(4, [["b", "open"]], { ...by7, producerEpoch: 1, baseSequence: 1 }),
    ];
    const aborted = [{ producerId: 7, firstOffset: 1, lastOffset: 2 }];
    const open = [{ producerId: 7, producerEpoch: 1, firstOffset: 3, nextOffset: 5 }];
    expect(shown(pass(frames, { aborted, open }).kept)).toEqual([
      ["0 a=1"],
      null,
      ["2 ="],
      ["3 a=open"],
      ["4 b=open"],
    ]);
  });

  test("leaves the marker that raised its producer's epoch while no batch of that epoch is there", () => {
    const frames = [
      frameAt(0, [["a", "1"]], { ...by7, baseSequence: 0 }),
      marker(1, 7, ABORT, 1),
      frameAt(2, [["a", "2"]]),
      frameAt(3, [["b", "1"]], { producerId: 7, producerEpoch: 1, baseSequence: 0 }),
    ];
    const aborted = [{ producerId: 7, firstOffset: 0, lastOffset: 1 }];
    const before = { aborted, coveredEnd: 3, deleteRetentionMs: 0 };
    const once = pass(frames, { ...before, nowMs: 1000 });
    const twice = pass(present(once.kept), { ...before, nowMs: 2000 });
    expect(shown(twice.kept)).toEqual([["1 ="], ["2 a=2"], ["3 b=1"]]);
    const behind = { aborted, deleteRetentionMs: 0 };
    const third = pass(present(twice.kept), { ...behind, nowMs: 3000 });
    expect(shown(pass(present(third.kept), { ...behind, nowMs: 4000 }).kept)[0]).toBeNull();
  });

  test("that lies in several segments is one: its marker is not taken for one without records (KAFKA-8351)", () => {
    const frames = [
      frameAt(0, [["a", "1"]], { ...by7, baseSequence: 0 }),
      frameAt(1, [["b", "1"]]),
      marker(2, 7, COMMIT),
    ];
    expect(pass(frames).kept).toEqual(frames);
  });

  test("of another producer, or another one of the same, is not taken for an aborted one", () => {
    const frames = [
      frameAt(0, [["a", "1"]], { ...by7, baseSequence: 0 }),
      marker(1, 7, COMMIT),
      frameAt(2, [["b", "1"]], { ...by7, producerId: 8, baseSequence: 0 }),
      frameAt(3, [["c", "1"]], { ...by7, baseSequence: 1 }),
      marker(4, 7, ABORT),
      frameAt(5, [["d", "1"]], { producerId: 7, producerEpoch: 0, baseSequence: 2 }),
    ];
    const { kept } = pass(frames, { aborted: [{ producerId: 7, firstOffset: 3, lastOffset: 4 }] });
    expect(shown(kept)).toEqual([["0 a=1"], ["1 ="], ["2 b=1"], null, ["4 ="], ["5 d=1"]]);
  });
});

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
