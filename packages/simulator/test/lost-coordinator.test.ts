/** What is held against nobody once a transaction's coordinator has lost what it knew, and what still is. */
import { describe } from "vitest";
import { testExcused, testFlagged } from "./judged-cases.ts";

const COMMITTED = { isolation: "read_committed" } as const;

describe("a history in which a coordinator was lost", () => {
  testFlagged([
    {
      checker: "lost-write",
      what: "a committed transaction is not there, and its coordinator was lost before it began",
      make: (history) => {
        history.lead("__transaction_state/4", true);
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.end("t", true);
        history.poll({}, { ...COMMITTED, next: 2 });
      },
    },
    {
      checker: "lost-write",
      what: "a committed transaction is not there, and its coordinator was only led by another that was in sync",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.lead("__transaction_state/4");
        history.end("t", true);
        history.crash("lost");
        history.poll({}, { ...COMMITTED, next: 2 });
      },
    },
    {
      checker: "lost-write",
      what: "a record is gone for everybody, of which the lost coordinator could only have said that it is aborted",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.lead("__transaction_state/4", true);
        history.end("t", true);
        history.poll({}, { next: 2 });
      },
    },
    {
      checker: "lost-write",
      what: "another record is there, and a lost coordinator explains only that there is none",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.lead("__transaction_state/4", true);
        history.end("t", true);
        history.send("b", 0, { acks: 1 });
        history.poll({ 0: "b" }, { ...COMMITTED, next: 2 });
      },
    },
    {
      checker: "committed-offset",
      what: "a transaction's offsets are not there, and its coordinator was lost before it began",
      make: (history) => {
        history.lead("__transaction_state/4", true);
        history.begin("t");
        history.sendOffsets("t", 3);
        history.end("t", true);
        history.offsets(null);
      },
    },
    {
      checker: "committed-offset",
      what: "a transaction's offsets were there before its coordinator was lost, and are not there afterwards",
      make: (history) => {
        history.begin("t");
        history.sendOffsets("t", 3);
        history.end("t", true);
        history.offsets(3);
        history.lead("__transaction_state/4", true);
        history.offsets(null);
      },
    },
    {
      checker: "early-read",
      what: "a commit that was asked for again and refused is read as committed, and its coordinator lost nothing",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.lead("__transaction_state/4", true);
        history.refusedCommit("t", 2, () => history.lead("__transaction_state/4"));
        history.lead("__transaction_state/4", true);
        history.poll({ 0: "a" }, COMMITTED);
      },
    },
    {
      checker: "early-read",
      what: "a commit whose only attempt was refused is read as committed, whatever its coordinator lost",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.refusedCommit("t", 1, () => history.lead("__transaction_state/4", true));
        history.poll({ 0: "a" }, COMMITTED);
      },
    },
    {
      checker: "producer-identity",
      what: "an identity is given twice, and the coordinator was lost before either of them asked",
      make: (history) => {
        history.lead("__transaction_state/4", true);
        history.init("a", 7, 0, null, () => history.init("b", 7, 0));
      },
    },
  ]);

  testExcused([
    {
      what: "an unclean promotion took a record, and what is sent in its place is of an older epoch, as its coordinator was lost too",
      make: (history) => {
        const ofEpoch = (producerEpoch: number) => ({ producerId: 2, producerEpoch, baseSequence: 0 });
        history.send("a", 2, { client: "one", sequence: ofEpoch(5) });
        history.lead("__transaction_state/4", true);
        history.lead("orders/0", true);
        history.send("b", 2, { client: "other", sequence: ofEpoch(3) });
      },
    },
    {
      what: "an unclean promotion of its coordinator took the decision of a commit, whose next attempt was refused, which partitions have markers of",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.sendOffsets("t", 1);
        history.refusedCommit("t", 2, () => history.lead("__transaction_state/4", true));
        history.poll({ 0: "a" }, COMMITTED);
        history.offsets(1);
      },
    },
    {
      what: "an unclean promotion of its coordinator took where it has parts, and it was committed without them",
      make: (history) => {
        history.begin("t");
        history.send("a", 0, { transaction: "t" });
        history.sendOffsets("t", 3);
        history.lead("__transaction_state/4", true);
        history.end("t", true);
        history.poll({ 0: "a" });
        history.poll({}, { ...COMMITTED, next: 2 });
        history.offsets(null);
      },
    },
    {
      what: "an unclean promotion of its coordinator took that it is committed, and compaction took what was then aborted",
      make: (history) => {
        history.topic({ isCompacted: true });
        history.begin("t");
        history.send("a", 0, { transaction: "t", key: "k" });
        history.end("t", true);
        history.lead("__transaction_state/4", true);
        history.poll({}, { next: 2 });
      },
    },
    {
      what: "an identity was given before a coordinator was lost, and again afterwards, and the earlier answer came last",
      make: (history) => {
        history.init("a", 7, 0, null, () => {
          history.lead("__transaction_state/4", true);
          history.init("b", 7, 0);
        });
      },
    },
  ]);
});
