/** What was acknowledged is there, for everybody who reads over its offset afterwards. Jepsen: lost-write. */
import type { Checker, Judge } from "../checker.ts";
import { Compaction } from "../facts/compaction.ts";
import { forEachPassed, type Passed } from "../facts/coverage.ts";
import { type JudgedHistory, type Poll, protectionOf, type Sent } from "../facts/judged-history.ts";
import { pollWords, sentWords } from "../facts/words.ts";
import { mayEndTwice } from "../transactions/committed-reads.ts";

export const lostWrite: Checker<JudgedHistory> = {
  name: "lost-write",
  promise: "a record that was acknowledged is given to whoever reads over its offset afterwards",
  check(judged, judge) {
    const compaction = new Compaction(judged);
    forEachPassed(judged, (passed) => {
      for (const sent of passed.acknowledged)
        if (isDue(sent, passed)) checkOne({ judged, judge, compaction }, sent, passed);
    });
  },
};

/** Whether this poll has to give it: it was acknowledged before, and is for this reader to see. */
export function isDue({ send, transaction }: Sent, { poll }: Passed): boolean {
  const answeredAt = send.ended?.order ?? Number.POSITIVE_INFINITY;
  if (answeredAt > poll.order) return false;
  if (transaction === null || poll.asked.isolation === "read_uncommitted") return true;
  const { committedAt } = transaction;
  return committedAt !== null && committedAt < poll.order;
}

interface Room {
  readonly judged: JudgedHistory;
  readonly judge: Judge;
  readonly compaction: Compaction;
}

function checkOne({ judged, judge, compaction }: Room, sent: Sent, { poll, offset, seenId }: Passed): void {
  const { transaction, place, send, id } = sent;
  // Compaction drops what was aborted, and what is open is not due to a reader of committed records.
  const mayBeDropped = transaction !== null && transaction.fate !== "committed" && judged.isCompacted(place);
  if (seenId !== id && (mayBeDropped || compaction.mayTake(sent, offset))) return;
  if (seenId === null && mayBeAborted(judged, sent, poll)) return;
  const protection = protectionOf(sent);
  const span = { from: send.order, to: poll.ended.order };
  if (protection === null || judged.losses.excuse(place, protection, span) !== null) return;
  judge.asked();
  if (seenId === id) return;
  const instead = seenId === null ? "nothing" : seenId;
  judge.violated(`${id} was acknowledged at ${place} offset ${offset}, and a reader got ${instead} there`, [
    sentWords(sent),
    pollWords(poll),
  ]);
}

/** Its coordinator may have lost that it is committed, or that it has a part there: who then passes over it is right, or took it out. */
function mayBeAborted(judged: JudgedHistory, { transaction, place }: Sent, poll: Poll): boolean {
  if (transaction === null || !mayEndTwice(judged, transaction, poll.ended.order)) return false;
  return poll.asked.isolation === "read_committed" || judged.isCompacted(place);
}
