import { describe } from "vitest";
import { testFlagged } from "./judged-cases.ts";

const SEQUENCED = (baseSequence: number, producerEpoch = 0) => ({
  sequence: { producerId: 3, producerEpoch, baseSequence },
});

describe("a history of records", () => {
  testFlagged([
    {
      checker: "lost-write",
      what: "what acks all acknowledged is passed over by a later reader",
      make: (history) => {
        history.send("a", 0);
        history.poll({}, { next: 1 });
      },
    },
    {
      checker: "lost-write",
      what: "acks all did not survive a power cut",
      make: (history) => {
        history.send("a", 0);
        history.crash("lost");
        history.poll({}, { next: 1 });
      },
    },
    {
      checker: "lost-write",
      what: "acks 1 did not survive the death of the process",
      make: (history) => {
        history.send("a", 0, { acks: 1 });
        history.crash("kept");
        history.poll({}, { next: 1 });
      },
    },
    {
      checker: "lost-write",
      what: "a clean promotion lost what acks all acknowledged, and another record stands there",
      make: (history) => {
        history.send("a", 0);
        history.lead();
        history.send("b", 0, { acks: 1 });
        history.poll({ 0: "b" });
      },
    },
    {
      checker: "lost-write",
      what: "compaction took the last record of a key",
      make: (history) => {
        history.topic({ isCompacted: true });
        history.send("a", 0, { key: "k" });
        history.send("b", 1, { key: "k" });
        history.poll({ 0: "a/k" }, { next: 2 });
      },
    },
    {
      checker: "lost-write",
      what: "compaction took a key's last committed record for one that was aborted",
      make: (history) => {
        history.topic({ isCompacted: true });
        history.send("a", 0, { key: "k" });
        history.begin("t");
        history.send("b", 1, { key: "k", transaction: "t" });
        history.end("t", false);
        history.poll({}, { next: 3, isolation: "read_committed" });
      },
    },
    {
      checker: "lost-write",
      what: "a committed transaction is not there for readers of committed records",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.end("t", true);
        history.poll({}, { next: 2, isolation: "read_committed" });
      },
    },
    {
      checker: "vanished-record",
      what: "what a reader saw a later one does not get, though nobody had acknowledged it",
      make: (history) => {
        history.send("a", 0, { outcome: "unknown" });
        history.poll({ 0: "a" });
        history.lead();
        history.poll({}, { next: 1 });
      },
    },
    {
      checker: "inconsistent-offsets",
      what: "two records are acknowledged at one offset",
      make: (history) => {
        history.send("a", 0);
        history.send("b", 0);
      },
    },
    {
      checker: "inconsistent-offsets",
      what: "a reader gets another record than was acknowledged there",
      make: (history) => {
        history.send("a", 0);
        history.send("b", 0, { outcome: "unknown" });
        history.poll({ 0: "b" });
      },
    },
    {
      checker: "duplicate",
      what: "a record that was sent once is read twice",
      make: (history) => {
        history.send("a", 0);
        history.poll({ 0: "a", 1: "a" });
      },
    },
    {
      checker: "duplicate",
      what: "the retry of an idempotent producer is appended again, and answered with its new place",
      make: (history) => {
        history.send("a", 1, { ...SEQUENCED(0), attempts: 2 });
        history.poll({ 0: "a" });
      },
    },
    {
      checker: "foreign-record",
      what: "nobody has sent it",
      make: (history) => history.poll({ 0: "x" }),
    },
    {
      checker: "foreign-record",
      what: "it was sent to another partition",
      make: (history) => {
        history.send("a", 0, { place: "orders/1" });
        history.poll({ 0: "a" });
      },
    },
    {
      checker: "foreign-record",
      what: "it was sent with another key",
      make: (history) => {
        history.send("a", 0, { key: "k" });
        history.poll({ 0: "a/l" });
      },
    },
    {
      checker: "foreign-record",
      what: "it was read before it was sent",
      make: (history) => {
        history.poll({ 0: "a" });
        history.send("a", 0);
      },
    },
    {
      checker: "failed-write-seen",
      what: "it was refused, and is there",
      make: (history) => {
        history.send("a", 0, { outcome: "failed" });
        history.poll({ 0: "a" });
      },
    },
    {
      checker: "unseen",
      what: "the log ends before it for ever",
      make: (history) => {
        history.send("a", 0);
        history.quiet();
        history.poll({}, { next: 0 });
      },
    },
    {
      checker: "unanswered",
      what: "somebody waits for ever",
      make: (history) => {
        history.quiet();
        history.recorder.asked("leave", "one", { groupId: "g", memberId: "one" });
      },
    },
    {
      checker: "poll-order",
      what: "a poll goes back",
      make: (history) => {
        history.send("a", 0);
        history.poll({}, { from: 1, next: 0 });
      },
    },
    {
      checker: "poll-order",
      what: "the next poll of a reader skips",
      make: (history) => {
        history.poll({}, { from: 0, next: 1, reader: "r" });
        history.poll({}, { from: 2, next: 2, reader: "r" });
      },
    },
    {
      checker: "poll-order",
      what: "a record lies behind what the poll says that it has read",
      make: (history) => {
        history.send("a", 3);
        history.poll({ 3: "a" }, { next: 2, highWatermark: 4 });
      },
    },
    {
      checker: "send-order",
      what: "one that was sent after another's answer stands before it",
      make: (history) => {
        history.send("a", 1);
        history.send("b", 0);
      },
    },
    {
      checker: "send-order",
      what: "sequences stand out of order, as a reader finds",
      make: (history) => {
        history.send("a", 1, { ...SEQUENCED(0), outcome: "unknown" });
        history.send("b", 0, { ...SEQUENCED(1), outcome: "unknown" });
        history.poll({ 0: "b", 1: "a" });
      },
    },
    {
      checker: "send-order",
      what: "a batch of an older epoch stands behind one of a newer",
      make: (history) => {
        history.send("a", 0, { ...SEQUENCED(5), outcome: "unknown" });
        history.send("b", 0, SEQUENCED(0, 1));
        history.poll({ 0: "b", 1: "a" });
      },
    },
    {
      checker: "visible-end",
      what: "a record at the high watermark is shown",
      make: (history) => {
        history.send("a", 0);
        history.poll({ 0: "a" }, { highWatermark: 0 });
      },
    },
    {
      checker: "visible-end",
      what: "a committed read goes past the last stable offset",
      make: (history) => {
        history.send("a", 0);
        history.poll({ 0: "a" }, { lastStable: 0, isolation: "read_committed" });
      },
    },
    {
      checker: "visible-end-goes-back",
      what: "the high watermark of a later answer is lower, after a clean promotion",
      make: (history) => {
        history.poll({}, { next: 0, highWatermark: 2 });
        history.lead();
        history.poll({}, { next: 0, highWatermark: 1 });
      },
    },
    {
      checker: "visible-end-goes-back",
      what: "the last stable offset of a later answer is lower",
      make: (history) => {
        history.poll({}, { next: 0, highWatermark: 2, lastStable: 2 });
        history.poll({}, { next: 0, highWatermark: 2, lastStable: 1 });
      },
    },
    {
      checker: "clean-promotion",
      what: "one that was out of sync leads, and nobody asked for that",
      make: ({ recorder }) => {
        const promotion = { place: "orders/0", leaderId: 2, leaderEpoch: 1 };
        recorder.happened({ kind: "leader_changed", ...promotion, isUnclean: true });
      },
    },
    {
      checker: "deleted-records-seen",
      what: "a promotion brings back what was deleted",
      make: (history) => {
        history.send("a", 0);
        history.deleteRecords(1);
        history.lead("orders/0", true);
        history.poll({ 0: "a" });
      },
    },
    {
      checker: "deleted-records-seen",
      what: "a promotion brings back what readers had before it was deleted, and nobody was told",
      make: (history) => {
        history.send("a", 0, { outcome: "unknown" });
        history.poll({ 0: "a" });
        history.deleteRecords(1);
        history.lead("orders/0", true);
        history.poll({ 0: "a" });
      },
    },
    {
      checker: "deleted-records-seen",
      what: "the log begins below what was deleted, and nobody who was out of sync leads",
      make: (history) => {
        history.deleteRecords(1);
        history.crash();
        history.lead();
        history.poll({}, { from: 1, next: 1, logStart: 0 });
      },
    },
  ]);
});
