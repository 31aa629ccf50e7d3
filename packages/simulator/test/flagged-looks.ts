/** Looks at a partition that each checker must flag, and what they are made of. */
import type { BatchLook } from "../src/checkers/state/log-mirror.ts";
import type { PartitionLook } from "../src/checkers/state/partition-look.ts";
import { batch, inTransaction, type MadeLooks, marker, sequenced } from "./made-looks.ts";

export interface Case {
  readonly checker: string;
  readonly what: string;
  readonly make: (looks: MadeLooks) => void;
}

export const TWO = [batch(0), batch(1)];

export function keyed(
  offset: number,
  key: string,
  { isTombstone = false, deleteHorizonMs = null as number | null } = {},
) {
  return batch(offset, { deleteHorizonMs, records: [{ offset, key, isTombstone }] });
}

/** A compaction of the only replica, from what stood there to what is left. */
export function compact(
  looks: MadeLooks,
  before: readonly BatchLook[],
  after: readonly BatchLook[],
  changes: Partial<PartitionLook> = {},
): void {
  looks.look(
    { 1: { batches: bridged(after, before.at(-1)?.nextOffset ?? 0), compactedFrom: before } },
    {
      isCompacted: true,
      highWatermark: before.at(-1)?.nextOffset ?? 0,
      ...changes,
    },
  );
}

/** Where something is missing there is a gap. */
function bridged(batches: readonly BatchLook[], endOffset: number): BatchLook[] {
  const whole: BatchLook[] = [];
  for (let offset = 0; offset < endOffset; offset++)
    whole.push(
      batches.find(({ baseOffset }) => baseOffset === offset) ?? batch(offset, { recordCount: 0, crc: 1 }),
    );
  return whole;
}

export const FLAGGED: readonly Case[] = [
  {
    checker: "opens-again",
    what: "a log is missing a segment, though no disk has refused anything",
    make: (looks) =>
      looks.look({ 1: { batches: TWO } }, { unopened: [{ brokerId: 2, why: "it is missing" }] }),
  },
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
    what: "a process that ended as it should hid what was visible",
    make: (looks) => {
      looks.look({ 1: { batches: TWO } });
      looks.look({ 1: { batches: TWO } }, { highWatermark: 1, life: 2, cleanEnds: 1 });
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
    checker: "visible-by-enough",
    what: "what the leader alone holds becomes visible",
    make: (looks) => {
      const few = { inSyncReplicas: [1], minInsyncReplicas: 2 };
      looks.look({ 1: { batches: TWO }, 2: {} }, { ...few, highWatermark: 1 });
      looks.look({ 1: { batches: TWO }, 2: {} }, { ...few, highWatermark: 2 });
    },
  },
  {
    checker: "visible-by-enough",
    what: "an unclean promotion shows what its leader had never heard to be visible",
    make: (looks) => {
      const replicas = { 1: { batches: TWO }, 2: { batches: TWO, highWatermark: 1 } };
      const few = { inSyncReplicas: [1], minInsyncReplicas: 2, highWatermark: 1 };
      looks.look(replicas, few);
      const promoted = { leaderId: 2, leaderEpoch: 1, inSyncReplicas: [2], uncleanPromotions: 1 };
      looks.look(replicas, { ...few, ...promoted, highWatermark: 2 });
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
    what: "a marker that was visible counts, though the high watermark has gone back since",
    make: (looks) => {
      const replicas = { 1: { batches: [batch(0), inTransaction(1), marker(2, "abort"), batch(3)] } };
      looks.look(replicas, { highWatermark: 4 });
      looks.look(replicas, { highWatermark: 2, uncleanPromotions: 1, leaderEpoch: 1 });
    },
  },
  {
    checker: "last-stable-offset",
    what: "a transaction is passed over whose beginning was deleted",
    make: (looks) => looks.look({ 1: { batches: [inTransaction(2), batch(3)], logStartOffset: 2 } }),
  },
  {
    checker: "last-stable-offset",
    what: "one whose beginning was deleted holds readers back where the log starts, and goes on further up",
    make: (looks) => {
      const batches = [inTransaction(0), batch(1), inTransaction(2)];
      looks.look({ 1: { batches, logStartOffset: 1 } }, { lastStableOffset: 1 });
    },
  },
  {
    checker: "last-stable-offset",
    what: "one that began later holds readers back where the log starts",
    make: (looks) => {
      const batches = [marker(2, "commit"), inTransaction(3, 1), marker(4, "abort", 2)];
      looks.look({ 1: { batches, logStartOffset: 2 } }, { highWatermark: 4, lastStableOffset: 2 });
    },
  },
  {
    checker: "last-stable-offset",
    what: "nothing is open, and readers are held back",
    make: (looks) => looks.look({ 1: { batches: TWO } }, { lastStableOffset: 1 }),
  },
  {
    checker: "joins-flushed",
    what: "one comes in sync with nothing on its disk",
    make: (looks) => {
      looks.look({ 1: { batches: TWO }, 2: { batches: TWO } }, { inSyncReplicas: [1] });
      looks.look({ 1: { batches: TWO }, 2: { batches: TWO, flushedOffset: 0 } });
    },
  },
  {
    checker: "compaction-keeps",
    what: "a key's last record is gone",
    make: (looks) => compact(looks, [keyed(0, "a"), keyed(1, "a")], [keyed(0, "a")]),
  },
  {
    checker: "compaction-keeps",
    what: "a key's last record is gone for one that was aborted",
    make: (looks) => {
      const aborted = { ...inTransaction(1), records: keyed(1, "a").records };
      compact(looks, [keyed(0, "a"), aborted, marker(2, "abort")], [aborted, marker(2, "abort")]);
    },
  },
  {
    checker: "compaction-keeps",
    what: "what is not visible has replaced what is",
    make: (looks) => compact(looks, [keyed(0, "a"), keyed(1, "a")], [keyed(1, "a")], { highWatermark: 1 }),
  },
  {
    checker: "compaction-keeps",
    what: "one out of sync goes beyond what it has heard to be visible",
    make: (looks) => {
      const [first, later] = [keyed(0, "a"), keyed(1, "a")];
      const left = [batch(0, { recordCount: 0, crc: 1 }), later];
      looks.look(
        { 1: { batches: [first] }, 2: { batches: left, compactedFrom: [first, later], highWatermark: 1 } },
        { isCompacted: true, inSyncReplicas: [1], highWatermark: 1 },
      );
    },
  },
  {
    checker: "compaction-keeps",
    what: "a tombstone goes before its time is over",
    make: (looks) =>
      compact(looks, [keyed(0, "a", { isTombstone: true, deleteHorizonMs: 5 })], [], { nowMs: 4 }),
  },
  {
    checker: "compaction-keeps",
    what: "what was aborted stays",
    make: (looks) => {
      const log = [inTransaction(0), marker(1, "abort"), keyed(2, "a")];
      looks.look({ 1: { batches: log, compactedFrom: log, compactedTo: 2 } }, { isCompacted: true });
    },
  },
  {
    checker: "acknowledged-held",
    what: "it is acknowledged with too few in sync",
    make: (looks) =>
      looks.acknowledged(
        { 1: { batches: TWO }, 2: { batches: TWO } },
        { baseOffset: 1, nextOffset: 2 },
        { inSyncReplicas: [1], minInsyncReplicas: 2 },
      ),
  },
  {
    checker: "acknowledged-held",
    what: "enough were in sync before, and it was not visible then",
    make: (looks) =>
      looks.acknowledged(
        { 1: { batches: TWO }, 2: { batches: TWO } },
        { baseOffset: 1, nextOffset: 2 },
        { inSyncReplicas: [1], minInsyncReplicas: 2 },
        { before: [{ inSyncReplicas: [1, 2], highWatermark: 1 }] },
      ),
  },
  ...[
    { why: "has no log any more", unreadable: [] },
    { why: "does not have it", unreadable: [{ brokerId: 2, logEndOffset: 1, flushedOffset: 1 }] },
    { why: "has not flushed it", unreadable: [{ brokerId: 2, logEndOffset: 2, flushedOffset: 1 }] },
  ].map(
    ({ why, unreadable }): Case => ({
      checker: "acknowledged-held",
      what: `enough were in sync before, of which one cannot be read, and ${why}`,
      make: (looks) =>
        looks.acknowledged(
          { 1: { batches: TWO } },
          { baseOffset: 1, nextOffset: 2 },
          { replicaIds: [1, 2], inSyncReplicas: [1], minInsyncReplicas: 2 },
          { before: [{ inSyncReplicas: [1, 2], unreadable }] },
        ),
    }),
  ),
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
