import { describe } from "vitest";
import { testExcused, testFlagged, testSound } from "./judged-cases.ts";
import type { MadeHistory } from "./made-history.ts";

const COMMITTED = { isolation: "read_committed" } as const;
const OUT = "out/0";

/** The copy of `input` in a transaction of its own, with the offset behind it. */
function copy(
  history: MadeHistory,
  input: string,
  { id, at, epoch = 0 }: { id: string; at: number; epoch?: number },
) {
  const transaction = `t-${id}`;
  history.begin(transaction, epoch);
  history.send(id, at, { place: OUT, transaction, copyOf: input });
  history.sendOffsets(transaction, 1);
  history.end(transaction, true);
}

describe("a history of transactions", () => {
  testFlagged([
    {
      checker: "aborted-read",
      what: "a reader of committed records gets an aborted one",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.end("t", false);
        history.poll({ 0: "a" }, COMMITTED);
      },
    },
    {
      checker: "aborted-read",
      what: "the id's next commit makes an aborted record visible",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.end("t", false);
        history.begin("u", 1);
        history.send("b", 2, { transaction: "u" });
        history.end("u", true);
        history.poll({ 0: "a", 2: "b" }, COMMITTED);
      },
    },
    {
      checker: "early-read",
      what: "an open transaction is read as committed",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.poll({ 0: "a" }, COMMITTED);
        history.end("t", true);
      },
    },
    {
      checker: "early-read",
      what: "a transaction whose commit was refused is read as committed",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.end("t", true, "failed");
        history.poll({ 0: "a" }, COMMITTED);
      },
    },
    {
      checker: "two-ends",
      what: "an abort is answered after the commit",
      make: (history) => {
        history.begin("t");
        history.end("t", true);
        history.end("t", false);
      },
    },
    {
      checker: "torn-transaction",
      what: "one partition shows it, another one never does, and nobody knows its end",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.send("b", 0, { transaction: "t", place: "orders/1" });
        history.end("t", true, "unknown");
        history.poll({ 0: "a" }, COMMITTED);
        history.poll({}, { ...COMMITTED, place: "orders/1", next: 1 });
      },
    },
    {
      checker: "fenced-producer",
      what: "a zombie writes after its successor has begun",
      make: (history) => {
        history.begin("t", 0);
        history.begin("u", 1);
        history.send("a", 0, { transaction: "t" });
      },
    },
    {
      checker: "fenced-producer",
      what: "a zombie sends offsets after a new instance has its epoch",
      make: (history) => {
        history.begin("t", 0);
        history.init("new", 7, 1, "copier");
        history.sendOffsets("t", 1);
      },
    },
    {
      checker: "fenced-producer",
      what: "a zombie writes after an epoch that was given behind one that may be lost",
      make: (history) => {
        history.init("new", 7, 1, "copier");
        history.lead("__transaction_state/4", true);
        history.begin("t", 0);
        history.init("newer", 7, 1, "copier");
        history.send("a", 0, { transaction: "t" });
      },
    },
    {
      checker: "producer-identity",
      what: "two clients are given one identity",
      make: (history) => {
        history.init("p", 3, 0);
        history.init("q", 3, 0);
      },
    },
    {
      checker: "producer-identity",
      what: "a new instance has no newer epoch",
      make: (history) => {
        history.init("p", 3, 5, "copier");
        history.crash("kept");
        history.init("q", 3, 4, "copier");
      },
    },
    {
      checker: "copied-twice",
      what: "two transactions copied one record",
      make: (history) => {
        history.topic({ topic: "out" });
        history.send("in", 0);
        copy(history, "in", { id: "x", at: 0 });
        copy(history, "in", { id: "y", at: 2, epoch: 1 });
        history.poll({ 0: "x", 2: "y" }, { ...COMMITTED, place: OUT });
      },
    },
    {
      checker: "copy-lost",
      what: "the group is behind a record that nobody copied",
      make: (history) => {
        history.topic({ topic: "out" });
        history.send("in", 0);
        history.send("in2", 1);
        copy(history, "in", { id: "x", at: 0 });
        history.begin("t", 1);
        history.send("z", 2, { place: OUT, transaction: "t", copyOf: "in2" });
        history.sendOffsets("t", 2);
        history.end("t", false);
        history.quiet();
        history.offsets(2);
      },
    },
    {
      checker: "copy-lost",
      what: "the copy was aborted for certain, though what it was written to may have gone since",
      make: (history) => {
        history.topic({ topic: "out" });
        history.send("in", 0);
        history.begin("t");
        history.send("x", 0, { place: OUT, transaction: "t", copyOf: "in" });
        history.sendOffsets("t", 1);
        history.end("t", false);
        history.deleteRecords(1, OUT);
        history.quiet();
        history.offsets(1);
      },
    },
    {
      checker: "committed-offset",
      what: "the offsets of an aborted transaction count",
      make: (history) => {
        history.commit(1, null);
        history.begin("t");
        history.sendOffsets("t", 5);
        history.end("t", false);
        history.offsets(5);
      },
    },
    {
      checker: "committed-offset",
      what: "a transaction is committed without its offsets",
      make: (history) => {
        history.commit(1, null);
        history.begin("t");
        history.sendOffsets("t", 5);
        history.end("t", true);
        history.offsets(1);
      },
    },
  ]);

  testSound([
    {
      checker: "aborted-read",
      what: "an aborted transaction is seen by those who read everything",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.end("t", false);
        history.poll({ 0: "a" }, { next: 2 });
        history.poll({}, { ...COMMITTED, next: 2 });
      },
    },
    {
      checker: "early-read",
      what: "a commit of which nobody was told is seen",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.end("t", true, "unknown");
        history.poll({ 0: "a" }, COMMITTED);
      },
    },
    {
      checker: "torn-transaction",
      what: "both partitions show it",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.send("b", 0, { transaction: "t", place: "orders/1" });
        history.end("t", true, "unknown");
        history.poll({ 0: "a" }, COMMITTED);
        history.poll({ 0: "b" }, { ...COMMITTED, place: "orders/1" });
      },
    },
    {
      checker: "two-ends",
      what: "a commit is asked for again and has the same answer",
      make: (history) => {
        history.begin("t");
        history.end("t", true);
        history.end("t", true);
        history.end("t", false, "failed");
      },
    },
    {
      checker: "fenced-producer",
      what: "what a zombie sends is refused",
      make: (history) => {
        history.begin("t", 0);
        history.begin("u", 1);
        history.send("a", 0, { transaction: "t", outcome: "failed" });
      },
    },
    {
      checker: "producer-identity",
      what: "epochs rise",
      make: (history) => {
        history.init("p", 3, 0, "copier");
        history.init("q", 3, 1, "copier");
      },
    },
    {
      checker: "copied-twice",
      what: "the first try was aborted",
      make: (history) => {
        history.topic({ topic: "out" });
        history.send("in", 0);
        history.begin("t");
        history.send("x", 0, { place: OUT, transaction: "t", copyOf: "in" });
        history.sendOffsets("t", 1);
        history.end("t", false);
        copy(history, "in", { id: "y", at: 2, epoch: 1 });
        history.poll({ 2: "y" }, { ...COMMITTED, place: OUT });
      },
    },
    {
      checker: "copy-lost",
      what: "everything below the group's offset was copied",
      make: (history) => {
        history.topic({ topic: "out" });
        history.send("in", 0);
        history.send("later", 1);
        copy(history, "in", { id: "x", at: 0 });
        history.quiet();
        history.poll({ 0: "x" }, { ...COMMITTED, place: OUT });
        history.poll({ 0: "in", 1: "later" });
        history.offsets(1);
      },
    },
    {
      checker: "copy-lost",
      what: "a copy of which nobody knows whether it was committed was deleted before anybody read it",
      make: (history) => {
        history.topic({ topic: "out" });
        history.send("in", 0);
        history.begin("t");
        history.send("x", 0, { place: OUT, transaction: "t", copyOf: "in" });
        history.sendOffsets("t", 1);
        history.end("t", true, "unknown");
        history.deleteRecords(1, OUT);
        history.quiet();
        history.poll({ 0: "in" });
        history.poll({}, { ...COMMITTED, place: OUT, from: 1, next: 2, logStart: 1 });
        history.offsets(1);
      },
    },
    {
      checker: "committed-offset",
      what: "a plain commit that stands behind a transaction's offsets counts, whenever that ends",
      make: (history) => {
        history.begin("t");
        history.sendOffsets("t", 5);
        history.commit(9, ["one", 1]);
        history.end("t", true);
        history.offsets(9);
      },
    },
  ]);

  testExcused([
    {
      what: "an unclean promotion took a part of a transaction",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.send("b", 0, { transaction: "t", place: "orders/1" });
        history.end("t", true);
        history.poll({ 0: "a" }, COMMITTED);
        history.lead("orders/1", true);
        history.poll({}, { ...COMMITTED, place: "orders/1", next: 1 });
      },
    },
    {
      what: "an unclean promotion of its coordinator took that it was aborted, which a partition has a marker of",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.send("b", 0, { transaction: "t", place: "orders/1" });
        history.end("t", true, "unknown");
        history.lead("__transaction_state/4", true);
        history.poll({ 0: "a" }, COMMITTED);
        history.poll({}, { ...COMMITTED, place: "orders/1", next: 1 });
      },
    },
    {
      what: "it was committed and then aborted, by coordinators of which one was promoted uncleanly",
      make: (history) => {
        history.begin("t");
        history.end("t", true);
        history.lead("__transaction_state/4", true);
        history.end("t", false);
      },
    },
    {
      what: "a power cut took the end of what copiers had read, and they began anew",
      make: (history) => {
        history.topic({ topic: "out" });
        history.send("in", 0);
        copy(history, "in", { id: "x", at: 0 });
        history.crash("lost");
        const asked = { reader: "r", place: "orders/0", isolation: "read_committed", fromOffset: 2 } as const;
        history.recorder.asked("poll", "p", asked).failed("OFFSET_OUT_OF_RANGE");
        copy(history, "in", { id: "y", at: 2, epoch: 1 });
        history.poll({ 0: "x", 2: "y" }, { ...COMMITTED, place: OUT });
      },
    },
    {
      what: "an unclean promotion of its coordinator gives an epoch again",
      make: (history) => {
        history.init("p", 3, 5, "copier");
        history.lead("__transaction_state/4", true);
        history.init("q", 3, 4, "copier");
      },
    },
    {
      what: "a producer whose newer epoch its coordinator lost goes on with an older one",
      make: (history) => {
        history.init("p", 3, 5, "copier");
        history.lead("__transaction_state/4", true);
        history.begin("t", 4);
        history.send("a", 0, { transaction: "t" });
        history.sendOffsets("t", 1);
      },
    },
  ]);
});
