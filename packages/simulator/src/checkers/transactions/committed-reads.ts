/** What a reader of committed records may see of transactions, and when. Jepsen: G1a, precommitted-read. */
import type { Checker } from "../checker.ts";
import type { JudgedHistory, Sight } from "../facts/judged-history.ts";
import type { Transaction } from "../facts/transactions.ts";
import { sightWords, when } from "../facts/words.ts";

export const abortedRead: Checker<JudgedHistory> = {
  name: "aborted-read",
  promise: "a reader of committed records never sees one of a transaction that was aborted",
  check(judged, judge) {
    for (const transaction of judged.transactions.values()) {
      if (transaction.fate !== "aborted") continue;
      judge.asked();
      const sight = firstCommittedSight(judged, transaction);
      if (sight !== null)
        judge.violated(`${sight.id} of ${transaction.name}, which was aborted, was read as committed`, [
          ...transactionWords(transaction),
          sightWords(sight),
        ]);
    }
  },
};

export const earlyRead: Checker<JudgedHistory> = {
  name: "early-read",
  promise: "a reader of committed records sees nothing of a transaction that nobody has asked to commit yet",
  check(judged, judge) {
    for (const transaction of judged.transactions.values()) {
      if (transaction.fate === "aborted" || transaction.sends.length === 0) continue;
      judge.asked();
      const sight = firstCommittedSight(judged, transaction);
      const { visibleFrom } = transaction;
      if (sight === null || (visibleFrom !== null && visibleFrom < sight.poll.ended.order)) continue;
      judge.violated(
        `${sight.id} of ${transaction.name} was read as committed before anybody had asked for that`,
        [...transactionWords(transaction), sightWords(sight)],
      );
    }
  },
};

function firstCommittedSight(judged: JudgedHistory, { sends }: Transaction): Sight | null {
  let first: Sight | null = null;
  for (const { asked } of sends)
    for (const { id } of asked.records) {
      const sight = judged.sights.get(id)?.find(({ poll }) => poll.asked.isolation === "read_committed");
      if (sight !== undefined && (first === null || sight.poll.ended.order < first.poll.ended.order))
        first = sight;
    }
  return first;
}

export function transactionWords({ name, begun, ends }: Transaction): string[] {
  const who =
    begun === null
      ? ""
      : `: ${begun.asked.transactionalId}, ${begun.asked.producerId}:${begun.asked.producerEpoch}`;
  const began = begun === null ? `${name} has no beginning` : `${name}${who}, begun ${when(begun)}`;
  const ended = ends.map(
    (end) => `${end.client} asked to ${end.asked.commit ? "commit" : "abort"} ${name} (${when(end)})`,
  );
  return [began, ...ended];
}

/**
 * Whether the coordinator may have lost by then how it had decided to end it, after a marker of that, and ended the rest otherwise; or where
 * the transaction has parts, so that one is aborted for having no end.
 */
export function mayEndTwice({ losses }: JudgedHistory, { begun, sends }: Transaction, to: number): boolean {
  const from = Math.min(begun?.order ?? to, ...sends.map(({ order }) => order));
  return losses.excuseOfTopic("__transaction_state", "all", { from, to }) !== null;
}

export const twoEnds: Checker<JudgedHistory> = {
  name: "two-ends",
  promise: "a transaction ends once: nobody is answered a commit where somebody was answered an abort",
  check(judged, judge) {
    for (const transaction of judged.transactions.values()) {
      const answered = transaction.ends.filter(({ ended }) => ended?.outcome === "ok");
      const to = Math.max(0, ...answered.map(({ ended }) => ended?.order ?? 0));
      if (answered.length === 0 || mayEndTwice(judged, transaction, to)) continue;
      judge.asked();
      if (answered.some(({ asked }) => asked.commit) && answered.some(({ asked }) => !asked.commit))
        judge.violated(`${transaction.name} was committed and aborted`, transactionWords(transaction));
    }
  },
};
