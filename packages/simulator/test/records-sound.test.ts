import { describe, expect, it } from "vitest";
import { HISTORY_CHECKERS } from "../src/checkers/history-checkers.ts";
import { testExcused, testSound } from "./judged-cases.ts";
import { verdictOf } from "./made-history.ts";

const SEQUENCED = (baseSequence: number, producerEpoch = 0) => ({
  sequence: { producerId: 3, producerEpoch, baseSequence },
});

describe("a history of records", () => {
  testSound([
    {
      checker: "lost-write",
      what: "acknowledged records are read where they were acknowledged",
      make: (history) => {
        history.send("a", 0);
        history.send("b", 1, { acks: 1 });
        history.crash("kept");
        history.poll({ 0: "a", 1: "b" });
      },
    },
    {
      checker: "vanished-record",
      what: "what was seen is seen again",
      make: (history) => {
        history.send("a", 0, { outcome: "unknown" });
        history.poll({ 0: "a" });
        history.poll({ 0: "a" });
      },
    },
    {
      checker: "inconsistent-offsets",
      what: "a record is acknowledged and read at one offset",
      make: (history) => {
        history.send("a", 0);
        history.poll({ 0: "a" });
      },
    },
    {
      checker: "duplicate",
      what: "a retry is answered with the first one's offset",
      make: (history) => {
        history.send("a", 0, { ...SEQUENCED(0), attempts: 3 });
        history.poll({ 0: "a" });
      },
    },
    {
      checker: "foreign-record",
      what: "a record is read as it was sent",
      make: (history) => {
        history.send("a", 0, { key: "k" });
        history.poll({ 0: "a/k" });
      },
    },
    {
      checker: "visible-end",
      what: "records below the marks are shown",
      make: (history) => {
        history.send("a", 0);
        history.poll({ 0: "a" }, { highWatermark: 2, lastStable: 1, isolation: "read_committed" });
      },
    },
    {
      checker: "failed-write-seen",
      what: "what was refused is not there",
      make: (history) => {
        history.send("a", 0, { outcome: "failed" });
        history.poll({}, { next: 0 });
      },
    },
    {
      checker: "unseen",
      what: "the log is read to its end",
      make: (history) => {
        history.send("a", 0);
        history.quiet();
        history.poll({ 0: "a" });
      },
    },
    {
      checker: "unanswered",
      what: "everybody is answered, or asked before",
      make: (history) => {
        history.recorder.asked("leave", "one", { groupId: "g", memberId: "one" });
        history.quiet();
        history.poll({}, { next: 0 });
      },
    },
    {
      checker: "poll-order",
      what: "a reader goes on where it was sent, past offsets that are gone",
      make: (history) => {
        history.send("a", 0);
        history.poll({ 0: "a" }, { next: 5, reader: "r" });
        history.poll({}, { from: 5, next: 5, reader: "r" });
      },
    },
    {
      checker: "send-order",
      what: "sequences stand in order, epoch after epoch",
      make: (history) => {
        history.send("a", 0, SEQUENCED(0));
        history.send("b", 1, SEQUENCED(1));
        history.send("c", 2, SEQUENCED(0, 1));
      },
    },
    {
      checker: "visible-end-goes-back",
      what: "what can be read grows",
      make: (history) => {
        history.poll({}, { next: 0, highWatermark: 1 });
        history.poll({}, { next: 0, highWatermark: 2 });
      },
    },
    {
      checker: "clean-promotion",
      what: "one in sync leads, and another that an operator has allowed",
      make: (history) => {
        history.lead();
        history.lead("orders/0", true);
      },
    },
    {
      checker: "deleted-records-seen",
      what: "the log begins where it was cut, and later records are there",
      make: (history) => {
        history.send("a", 0);
        history.send("b", 1);
        history.deleteRecords(1);
        history.poll({ 1: "b" }, { from: 1, logStart: 1 });
      },
    },
    {
      checker: "deleted-records-seen",
      what: "one that was out of sync leads with less than was deleted, and goes on there",
      make: (history) => {
        history.send("a", 0);
        history.send("b", 1);
        history.deleteRecords(2);
        history.lead("orders/0", true);
        history.send("c", 1);
        history.poll({ 1: "c" }, { from: 1, logStart: 1 });
      },
    },
  ]);

  testExcused([
    {
      what: "a power cut took what acks 1 had acknowledged, and its offset is given again",
      make: (history) => {
        history.send("a", 0, { acks: 1 });
        history.poll({ 0: "a" });
        history.crash("lost");
        history.send("b", 0);
        history.poll({ 0: "b" });
      },
    },
    {
      what: "a promotion took what acks 1 had acknowledged",
      make: (history) => {
        history.send("a", 0, { acks: 1 });
        history.lead();
        history.send("b", 0);
        history.poll({ 0: "b" });
      },
    },
    {
      what: "an unclean promotion took what acks all had acknowledged, and what was visible",
      make: (history) => {
        history.send("a", 0);
        history.poll({ 0: "a" });
        history.lead("orders/0", true);
        history.poll({}, { next: 0, highWatermark: 0 });
        history.send("b", 0);
        history.poll({ 0: "b" });
      },
    },
    {
      what: "a power cut took what acks all had acknowledged while nobody waited for the disk",
      make: (history) => {
        history.started({ flush: "interval" });
        history.send("a", 0);
        history.crash("lost");
        history.poll({}, { next: 1 });
      },
    },
    {
      what: "compaction took a record for a later one of its key",
      make: (history) => {
        history.topic({ isCompacted: true });
        history.send("a", 0, { key: "k" });
        history.send("b", 1, { key: "k" });
        history.poll({ 1: "b/k" });
      },
    },
    {
      what: "a producer without sequences sent it twice",
      make: (history) => {
        history.send("a", 1, { attempts: 2 });
        history.poll({ 0: "a", 1: "a" });
      },
    },
    {
      what: "the answer to what a power cut took came late",
      make: (history) => {
        const records = [{ id: "a", key: null, isTombstone: false, copyOf: null }];
        const place = { place: "orders/0", records, acks: 1, sequence: null, transaction: null } as const;
        const late = history.recorder.asked("send", "p", place);
        history.lead();
        history.send("b", 0, { client: "q" });
        late.ok({ baseOffset: 0, duplicate: false });
        history.poll({ 0: "b" });
      },
    },
  ]);

  it("has a question for every checker of its verdict, also those that never came up", () => {
    const { evaluations } = verdictOf(() => {});
    expect([...evaluations.keys()]).toEqual(HISTORY_CHECKERS.map(({ name }) => name));
    expect([...evaluations.values()].every((count) => count === 0)).toBe(true);
  });
});
