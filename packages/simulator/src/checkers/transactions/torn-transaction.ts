/** All of a transaction or nothing: once a committed read has shown a part of it, every later one shows the rest. */
import type { Checker } from "../checker.ts";
import { Compaction } from "../facts/compaction.ts";
import { forEachPassed } from "../facts/coverage.ts";
import { type JudgedHistory, protectionOf } from "../facts/judged-history.ts";
import { pollWords, sentWords } from "../facts/words.ts";
import { mayEndTwice, transactionWords } from "./committed-reads.ts";

export const tornTransaction: Checker<JudgedHistory> = {
  name: "torn-transaction",
  promise:
    "once a part of a transaction was read as committed, whoever reads over the rest of it gets that too",
  check(judged, judge) {
    const compaction = new Compaction(judged);
    forEachPassed(judged, ({ poll, offset, seenId, acknowledged }) => {
      if (poll.asked.isolation !== "read_committed") return;
      for (const sent of acknowledged) {
        const { transaction, place, send, id } = sent;
        const witnessedAt = transaction?.witnessedAt ?? Number.POSITIVE_INFINITY;
        if (transaction === null || witnessedAt >= poll.order || protectionOf(sent) === null) continue;
        if (seenId !== id && compaction.mayTake(sent, offset)) continue;
        const to = poll.ended.order;
        if (judged.losses.excuse(place, "all", { from: send.order, to }) !== null) continue;
        if (mayEndTwice(judged, transaction, to)) continue;
        judge.asked();
        if (seenId === id) continue;
        judge.violated(
          `${transaction.name} is torn: a part of it was read, and ${id} at ${place} offset ${offset} is not there`,
          [...transactionWords(transaction), sentWords(sent), pollWords(poll)],
        );
      }
    });
  },
};
