import { decodeRecords, frameProblem, readBatchHeader } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import {
  ABORT,
  COMMIT,
  flagged,
  frameAt,
  GZIP,
  type KeyValue,
  marker,
  pass,
  present,
  shown,
} from "../../../test/retention-pass.ts";
import { ProducerTails } from "./producer-tails.ts";

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
