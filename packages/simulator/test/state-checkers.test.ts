import { describe, expect, it, test } from "vitest";
import { stateCheckers } from "../src/checkers/state-checkers.ts";
import { batch, inTransaction, MadeLooks, marker, sequenced } from "./made-looks.ts";

interface Case {
  readonly checker: string;
  readonly what: string;
  readonly make: (looks: MadeLooks) => void;
}

const TWO = [batch(0), batch(1)];

const FLAGGED: readonly Case[] = [
  {
    checker: "marks-in-order",
    what: "the high watermark is above the end of one in sync",
    make: (looks) => looks.look({ 1: { batches: TWO }, 2: { batches: [batch(0)] } }, { highWatermark: 2 }),
  },
  {
    checker: "marks-in-order",
    what: "a follower has heard of more than there is",
    make: (looks) =>
      looks.look({ 1: { batches: TWO }, 2: { batches: TWO, highWatermark: 2 } }, { highWatermark: 1 }),
  },
  {
    checker: "marks-in-order",
    what: "the log starts above the high watermark",
    make: (looks) => looks.look({ 1: { batches: TWO, logStartOffset: 2 } }, { highWatermark: 1 }),
  },
  {
    checker: "marks-grow",
    what: "a promotion takes back what was visible",
    make: (looks) => {
      looks.look({ 1: { batches: TWO } });
      looks.look({ 1: { batches: TWO } }, { highWatermark: 1, leaderEpoch: 1 });
    },
  },
  {
    checker: "marks-grow",
    what: "the last stable offset goes back in a leadership",
    make: (looks) => {
      looks.look({ 1: { batches: TWO } });
      looks.look({ 1: { batches: TWO } }, { lastStableOffset: 1 });
    },
  },
  {
    checker: "marks-grow",
    what: "a leader is cut in its leadership",
    make: (looks) => {
      looks.look({ 1: { batches: TWO } }, { highWatermark: 1 });
      looks.look({ 1: { batches: [batch(0)] } });
    },
  },
  {
    checker: "one-leader",
    what: "two lead in one epoch, before and after a crash",
    make: (looks) => {
      looks.look({ 1: {}, 2: {} });
      looks.look({ 1: {}, 2: {} }, { leaderId: 2, life: 2 });
    },
  },
  {
    checker: "one-leader",
    what: "an epoch is forgotten in a crash",
    make: (looks) => {
      looks.look({ 1: {}, 2: {} }, { leaderEpoch: 3 });
      looks.look({ 1: {}, 2: {} }, { leaderEpoch: 2, life: 2 });
    },
  },
  {
    checker: "one-leader",
    what: "one that is out of sync leads",
    make: (looks) => looks.look({ 1: {}, 2: {} }, { inSyncReplicas: [2] }),
  },
  {
    checker: "log-chain",
    what: "a log has a hole",
    make: (looks) => looks.look({ 1: { batches: [batch(0), batch(2)] } }),
  },
  {
    checker: "log-chain",
    what: "a log falls back to an older epoch",
    make: (looks) =>
      looks.look({ 1: { batches: [batch(0, { leaderEpoch: 1 }), batch(1)] } }, { leaderEpoch: 1 }),
  },
  {
    checker: "log-chain",
    what: "a batch is of an epoch that is yet to come",
    make: (looks) => looks.look({ 1: { batches: [batch(0, { leaderEpoch: 1 })] } }),
  },
  {
    checker: "epoch-history",
    what: "an epoch begins elsewhere than its history says",
    make: (looks) =>
      looks.look(
        {
          1: {
            batches: [batch(0), batch(1, { leaderEpoch: 1 })],
            epochs: [
              { leaderEpoch: 0, startOffset: 0 },
              { leaderEpoch: 1, startOffset: 0 },
            ],
          },
        },
        { leaderEpoch: 1 },
      ),
  },
  {
    checker: "logs-match",
    what: "those in sync differ below the high watermark",
    make: (looks) => looks.look({ 1: { batches: TWO }, 2: { batches: [batch(0), batch(1, { crc: 5 })] } }),
  },
  {
    checker: "logs-match",
    what: "one offset of one epoch is two batches, though one is out of sync",
    make: (looks) =>
      looks.look({ 1: { batches: TWO }, 2: { batches: [batch(0, { crc: 5 })] } }, { inSyncReplicas: [1] }),
  },
  {
    checker: "logs-match",
    what: "a difference was above the high watermark, and is below it now",
    make: (looks) => {
      const other = [batch(0), batch(1, { crc: 5, leaderEpoch: 1 })];
      const logs = { 1: { batches: TWO }, 2: { batches: other } };
      looks.look(logs, { highWatermark: 1, leaderEpoch: 1 });
      looks.look(logs, { highWatermark: 2, leaderEpoch: 1 });
    },
  },
  {
    checker: "sequences-in-order",
    what: "a sequence is there twice",
    make: (looks) => looks.look({ 1: { batches: [sequenced(0, 0), sequenced(1, 0)] } }),
  },
  {
    checker: "sequences-in-order",
    what: "a sequence is missing",
    make: (looks) => looks.look({ 1: { batches: [sequenced(0, 0), sequenced(1, 2)] } }),
  },
  {
    checker: "sequences-in-order",
    what: "an older epoch writes on",
    make: (looks) => looks.look({ 1: { batches: [sequenced(0, 0, 1), sequenced(1, 1, 0)] } }),
  },
  {
    checker: "markers",
    what: "a transaction has two markers",
    make: (looks) =>
      looks.look({ 1: { batches: [inTransaction(0), marker(1, "commit"), marker(2, "commit")] } }),
  },
  {
    checker: "markers",
    what: "a transaction goes on behind its marker",
    make: (looks) =>
      looks.look(
        { 1: { batches: [inTransaction(0), marker(1, "commit"), inTransaction(2)] } },
        { lastStableOffset: 2 },
      ),
  },
  {
    checker: "markers",
    what: "a commit ends another transaction than its own",
    make: (looks) => looks.look({ 1: { batches: [inTransaction(0), marker(1, "commit", 5)] } }),
  },
  {
    checker: "last-stable-offset",
    what: "an open transaction is passed over",
    make: (looks) => looks.look({ 1: { batches: [batch(0), inTransaction(1)] } }),
  },
  {
    checker: "last-stable-offset",
    what: "a marker that is not visible counts",
    make: (looks) =>
      looks.look({ 1: { batches: [inTransaction(0), marker(1, "abort")] } }, { highWatermark: 1 }),
  },
  {
    checker: "last-stable-offset",
    what: "nothing is open, and readers are held back",
    make: (looks) => looks.look({ 1: { batches: TWO } }, { lastStableOffset: 1 }),
  },
  {
    checker: "acknowledged-held",
    what: "it is acknowledged above the high watermark",
    make: (looks) =>
      looks.acknowledged({ 1: { batches: TWO } }, { baseOffset: 1, nextOffset: 2 }, { highWatermark: 1 }),
  },
  {
    checker: "acknowledged-held",
    what: "it is acknowledged before one in sync has it on its disk",
    make: (looks) =>
      looks.acknowledged(
        { 1: { batches: TWO }, 2: { batches: TWO, flushedOffset: 1 } },
        { baseOffset: 1, nextOffset: 2 },
      ),
  },
  {
    checker: "acknowledged-held",
    what: "one that was acknowledged is another one after a crash",
    make: (looks) => {
      looks.acknowledged({ 1: { batches: TWO } }, { baseOffset: 1, nextOffset: 2 });
      looks.look({ 1: { batches: [batch(0), batch(1, { crc: 5 })] } }, { life: 2 });
    },
  },
];

const SOUND: readonly Case[] = [
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
