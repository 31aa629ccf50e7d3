import { describe, expect, it, test } from "vitest";
import { stateCheckers } from "../src/checkers/state-checkers.ts";
import { type Case, compact, FLAGGED, keyed, TWO } from "./flagged-looks.ts";
import { batch, inTransaction, MadeLooks, marker, sequenced } from "./made-looks.ts";

const SOUND: readonly Case[] = [
  {
    checker: "opens-again",
    what: "a log opens until a disk refuses something",
    make: (looks) => {
      looks.look({ 1: { batches: TWO } });
      looks.look(
        { 1: { batches: TWO } },
        { life: 2, isHarmed: true, unopened: [{ brokerId: 2, why: "it is missing" }] },
      );
    },
  },
  {
    checker: "marks-in-order",
    what: "a follower is behind in what it has heard",
    make: (looks) =>
      looks.look({ 1: { batches: TWO, highWatermark: 2 }, 2: { batches: TWO, highWatermark: 1 } }),
  },
  {
    checker: "marks-grow",
    what: "everything grows",
    make: (looks) => {
      looks.look({ 1: { batches: [batch(0)] } });
      looks.look({ 1: { batches: TWO } });
    },
  },
  {
    checker: "marks-grow",
    what: "a process that died has the next one show less, and two that ended so that nobody knows which did",
    make: (looks) => {
      looks.look({ 1: { batches: TWO } });
      looks.look({ 1: { batches: TWO } }, { highWatermark: 1, life: 2 });
      looks.look({ 1: { batches: TWO } }, { life: 3, cleanEnds: 1 });
      looks.look({ 1: { batches: TWO } }, { highWatermark: 1, life: 5, cleanEnds: 2 });
    },
  },
  {
    checker: "visible-by-enough",
    what: "it moves when a second one has come in sync",
    make: (looks) => {
      const few = { inSyncReplicas: [1], minInsyncReplicas: 2, highWatermark: 1 };
      looks.look({ 1: { batches: TWO }, 2: {} }, few);
      looks.look({ 1: { batches: TWO }, 2: {} }, few);
      looks.look(
        { 1: { batches: TWO }, 2: { batches: TWO } },
        { inSyncReplicas: [1, 2], minInsyncReplicas: 2 },
      );
    },
  },
  {
    checker: "visible-by-enough",
    what: "an unclean promotion shows again what its leader had heard to be visible",
    make: (looks) => {
      const few = { inSyncReplicas: [1], minInsyncReplicas: 2, highWatermark: 1 };
      looks.look({ 1: { batches: [batch(0)] }, 2: { batches: TWO, highWatermark: 2 } }, few);
      const promoted = { leaderId: 2, leaderEpoch: 1, inSyncReplicas: [2], uncleanPromotions: 1 };
      looks.look(
        { 1: { batches: [batch(0)] }, 2: { batches: TWO, highWatermark: 2 } },
        { ...few, ...promoted, highWatermark: 2 },
      );
    },
  },
  {
    checker: "one-leader",
    what: "another leads in a later epoch",
    make: (looks) => {
      looks.look({ 1: {}, 2: {} });
      looks.look({ 1: {}, 2: {} }, { leaderId: 2, leaderEpoch: 1 });
    },
  },
  { checker: "log-chain", what: "batches join", make: (looks) => looks.look({ 1: { batches: TWO } }) },
  {
    checker: "epoch-history",
    what: "the first epoch began in what the log has let go",
    make: (looks) =>
      looks.look(
        {
          1: {
            batches: [batch(0), batch(1), batch(2, { leaderEpoch: 1 })],
            logStartOffset: 1,
            epochs: [
              { leaderEpoch: 0, startOffset: 1 },
              { leaderEpoch: 1, startOffset: 2 },
            ],
          },
        },
        { leaderEpoch: 1 },
      ),
  },
  {
    checker: "logs-match",
    what: "one that is out of sync has a tail of an older leader",
    make: (looks) =>
      looks.look(
        { 1: { batches: [batch(0), batch(1, { leaderEpoch: 1 })] }, 2: { batches: TWO } },
        { inSyncReplicas: [1], leaderEpoch: 1 },
      ),
  },
  {
    checker: "sequences-in-order",
    what: "sequences follow each other, and an epoch another",
    make: (looks) => looks.look({ 1: { batches: [sequenced(0, 0), sequenced(1, 1), sequenced(2, 0, 1)] } }),
  },
  {
    checker: "sequences-in-order",
    what: "compaction took batches between",
    make: (looks) =>
      looks.look({ 1: { batches: [sequenced(0, 0), batch(1), sequenced(2, 2)] } }, { isCompacted: true }),
  },
  {
    checker: "markers",
    what: "each transaction has its marker",
    make: (looks) =>
      looks.look({
        1: { batches: [inTransaction(0), marker(1, "commit"), inTransaction(2, 1), marker(3, "abort", 2)] },
      }),
  },
  {
    checker: "last-stable-offset",
    what: "an open transaction holds readers back",
    make: (looks) => looks.look({ 1: { batches: [batch(0), inTransaction(1)] } }, { lastStableOffset: 1 }),
  },
  {
    checker: "last-stable-offset",
    what: "of a transaction that has ended out of sight the first part was deleted, and then all but the marker",
    make: (looks) => {
      const batches = [inTransaction(0), batch(1), inTransaction(2), batch(3), marker(4, "commit")];
      for (const [logStartOffset, lastStableOffset] of [
        [0, 0],
        [1, 2],
        [3, 4],
      ] as const)
        looks.look({ 1: { batches, logStartOffset } }, { highWatermark: 4, lastStableOffset });
    },
  },
  {
    checker: "last-stable-offset",
    what: "an open transaction goes on behind what was deleted of it, or where the log starts in the midst of a batch",
    make: (looks) => {
      const batches = [
        inTransaction(0),
        batch(1),
        { ...inTransaction(2), nextOffset: 4 },
        { ...batch(4), nextOffset: 5 },
      ];
      for (const [logStartOffset, lastStableOffset] of [
        [0, 0],
        [1, 2],
        [3, 3],
        [4, 5],
      ] as const)
        looks.look({ 1: { batches, logStartOffset } }, { lastStableOffset });
    },
  },
  {
    checker: "last-stable-offset",
    what: "compaction has left the marker alone, which is not visible any more and says where its transaction began",
    make: (looks) => {
      const batches = [batch(0, { nextOffset: 3, recordCount: 0 }), marker(3, "abort"), batch(4)];
      const replicas = { 1: { batches } };
      for (const lastStableOffset of [1, 3])
        looks.look(replicas, {
          highWatermark: 3,
          lastStableOffset,
          isCompacted: true,
          life: lastStableOffset,
        });
    },
  },
  {
    checker: "one-leader",
    what: "a leadership that a failed disk has not kept wrote nothing, and its epoch is another one's",
    make: (looks) => {
      const replicas = { 1: { batches: TWO }, 2: { batches: TWO } };
      looks.look(replicas, { leaderId: 1, leaderEpoch: 1 });
      looks.look(replicas, { leaderId: 2, leaderEpoch: 2, takesWrites: false });
      looks.look(replicas, { leaderId: 1, leaderEpoch: 2, life: 2 });
    },
  },
  {
    checker: "joins-flushed",
    what: "one comes in sync with all of it on its disk",
    make: (looks) => {
      looks.look({ 1: { batches: TWO }, 2: { batches: TWO } }, { inSyncReplicas: [1] });
      looks.look({ 1: { batches: TWO }, 2: { batches: TWO } });
    },
  },
  {
    checker: "compaction-keeps",
    what: "the last of each key are there, and a tombstone whose time is over is not",
    make: (looks) => {
      const old = keyed(1, "b", { isTombstone: true, deleteHorizonMs: 5 });
      compact(looks, [keyed(0, "a"), old, keyed(2, "a")], [keyed(2, "a")], { nowMs: 5 });
    },
  },
  {
    checker: "compaction-keeps",
    what: "what was aborted stays above where it was compacted to",
    make: (looks) => {
      const log = [keyed(0, "a"), inTransaction(1), marker(2, "abort")];
      looks.look({ 1: { batches: log, compactedFrom: log, compactedTo: 1 } }, { isCompacted: true });
    },
  },
  {
    checker: "compaction-keeps",
    what: "one out of sync goes by what it had heard to be visible, before another came to lead with less",
    make: (looks) => {
      const [first, later] = [keyed(0, "a"), keyed(1, "a")];
      const left = [batch(0, { recordCount: 0, crc: 1 }), later];
      looks.look(
        { 1: { batches: [first] }, 2: { batches: left, compactedFrom: [first, later], highWatermark: 2 } },
        { isCompacted: true, inSyncReplicas: [1], highWatermark: 1, uncleanPromotions: 1 },
      );
    },
  },
  {
    checker: "compaction-keeps",
    what: "what replaces a record was appended since the last look",
    make: (looks) => {
      const [first, later] = [keyed(0, "a"), keyed(1, "a")];
      looks.look(
        { 1: { batches: [batch(0, { recordCount: 0, crc: 1 }), later], compactedFrom: [first] } },
        { isCompacted: true },
      );
    },
  },
  {
    checker: "acknowledged-held",
    what: "it was acknowledged in the instant before one left those in sync",
    make: (looks) =>
      looks.acknowledged(
        { 1: { batches: TWO }, 2: { batches: TWO } },
        { baseOffset: 1, nextOffset: 2 },
        { inSyncReplicas: [1], minInsyncReplicas: 2 },
        { before: [{ inSyncReplicas: [1, 2] }] },
      ),
  },
  {
    checker: "acknowledged-held",
    what: "it was acknowledged in the instant before its leader stopped, and left those in sync",
    make: (looks) =>
      looks.acknowledged(
        { 2: { batches: TWO } },
        { baseOffset: 1, nextOffset: 2 },
        { leaderId: 2, leaderEpoch: 1, replicaIds: [1, 2], inSyncReplicas: [2], minInsyncReplicas: 2 },
        {
          before: [
            {
              ...{ leaderId: 1, leaderEpoch: 0, inSyncReplicas: [1, 2] },
              unreadable: [{ brokerId: 1, logEndOffset: 2, flushedOffset: 2 }],
            },
          ],
        },
      ),
  },
  {
    checker: "acknowledged-held",
    what: "what was acknowledged is there, until an unclean promotion",
    make: (looks) => {
      looks.acknowledged({ 1: { batches: TWO } }, { baseOffset: 1, nextOffset: 2 });
      looks.look({ 1: { batches: TWO } }, { life: 2 });
      looks.look({ 1: { batches: [batch(0)] } }, { life: 2, leaderEpoch: 1, uncleanPromotions: 1 });
    },
  },
];

describe("a look at a partition", () => {
  test("does not hold against a compaction what its replica is just cutting off, for the log of another leader", () => {
    const [kept, cut] = [keyed(0, "a"), keyed(1, "b")];
    const change = { batches: [kept], compactedFrom: [kept, cut], compactedTo: 1 };
    const flagged = ({ isBeingCut }: { readonly isBeingCut: boolean }) => {
      const looks = new MadeLooks();
      const marks = { isCompacted: true, highWatermark: 1, leaderId: 2, leaderEpoch: 1 };
      looks.look({ 1: { ...change, isBeingCut }, 2: { batches: [kept] } }, marks);
      return looks.verdict.violations.map(({ checker }) => checker);
    };
    expect(flagged({ isBeingCut: true })).toEqual([]);
    expect(flagged({ isBeingCut: false })).toEqual(["compaction-keeps"]);
  });

  test.for(FLAGGED)("is flagged as $checker: $what", ({ checker, make }) => {
    const looks = new MadeLooks();
    make(looks);
    const flagged = looks.verdict.violations.filter((each) => each.checker === checker);
    expect(flagged.length, JSON.stringify(looks.verdict.violations)).toBeGreaterThan(0);
    expect(flagged.every(({ evidence }) => evidence.length > 0)).toBe(true);
  });

  test.for(SOUND)("is nothing to $checker, though it was asked: $what", ({ checker, make }) => {
    const looks = new MadeLooks();
    make(looks);
    expect(looks.verdict.violations).toEqual([]);
    expect(looks.verdict.evaluations.get(checker)).toBeGreaterThan(0);
  });

  it("is one that every checker must flag, and one that it must not", () => {
    const names = stateCheckers().all.map(({ name }) => name);
    expect([...new Set(FLAGGED.map(({ checker }) => checker))].sort()).toEqual([...names].sort());
    expect([...new Set(SOUND.map(({ checker }) => checker))].sort()).toEqual([...names].sort());
  });
});
