/**
 * What one client sends to one partition stands there in the order in which it was sent. Jepsen: nonmonotonic-send.
 *
 * Of a producer without sequences that holds for what it sent after it had the answer to what was before.
 */
import type { Checker, Judge } from "../checker.ts";
import { type JudgedHistory, listIn, protectionOf, type Sent } from "../facts/judged-history.ts";
import type { Protection } from "../facts/losses.ts";
import { sentWords, sightWords } from "../facts/words.ts";

/** The last word on where a record is. */
interface Placed {
  readonly sent: Sent;
  readonly offset: number;
  readonly protection: Protection;
  /** When that was told. */
  readonly toldAt: number;
}

export const sendOrder: Checker<JudgedHistory> = {
  name: "send-order",
  promise: "the records of one client stand in a partition in the order in which it sent them",
  check(judged, judge) {
    const rows = new Map<string, Placed[]>();
    for (const sent of judged.sent.values()) {
      const placed = placedOf(judged, sent);
      if (placed === null) continue;
      const { client, asked } = sent.send;
      const { sequence, place } = asked;
      const who = sequence === null ? client : `producer ${sequence.producerId}`;
      listIn(rows, `${who} ${place}`).push(placed);
    }
    for (const row of rows.values())
      if (row[0]?.sent.send.asked.sequence === null) checkPlain(judged, judge, row);
      else checkSequenced(judged, judge, row);
  },
};

function placedOf(judged: JudgedHistory, sent: Sent): Placed | null {
  const protection = protectionOf(sent);
  if (sent.offset !== null && protection !== null)
    return { sent, offset: sent.offset, protection, toldAt: sent.send.ended?.order ?? sent.send.order };
  const sight = judged.sights.get(sent.id)?.at(-1);
  if (sight === undefined) return null;
  return { sent, offset: sight.offset, protection: "visible", toldAt: sight.poll.ended.order };
}

/** Rows are in the order of the sends; of those that had their answer before, the highest counts. */
function checkPlain(judged: JudgedHistory, judge: Judge, row: readonly Placed[]): void {
  const answered = [...row].sort((one, other) => endOf(one) - endOf(other));
  let highest: Placed | null = null;
  let next = 0;
  for (const placed of row) {
    for (let before = answered[next]; before !== undefined; before = answered[++next]) {
      if (endOf(before) >= placed.sent.send.order) break;
      if (highest === null || before.offset > highest.offset || isExcused(judged, highest, before))
        highest = before;
    }
    if (highest !== null) compare(judged, judge, highest, placed);
  }
}

/** What was never answered may arrive at any time. */
function endOf({ sent }: Placed): number {
  const { ended } = sent.send;
  return ended?.outcome === "ok" ? ended.order : Number.POSITIVE_INFINITY;
}

/** By sequence: the order of the sends within an epoch, and epochs one after another. */
function checkSequenced(judged: JudgedHistory, judge: Judge, row: readonly Placed[]): void {
  const ordered = [...row].sort((one, other) => bySequence(one.sent, other.sent));
  let before: Placed | null = null;
  for (const placed of ordered) {
    if (before !== null) compare(judged, judge, before, placed);
    before = placed;
  }
}

function bySequence(one: Sent, other: Sent): number {
  const [a, b] = [one.send.asked.sequence, other.send.asked.sequence];
  if (a === null || b === null) return 0;
  return a.producerEpoch - b.producerEpoch || a.baseSequence - b.baseSequence || one.index - other.index;
}

/**
 * Where one of the two was lost, its offset may have been given to what came before it. Where its coordinator was lost, what is of an older
 * epoch may have been sent behind it.
 */
function isExcused({ losses }: JudgedHistory, before: Placed, later: Placed): boolean {
  const from = Math.min(before.sent.send.order, later.sent.send.order);
  const span = { from, to: Math.max(before.toldAt, later.toldAt) };
  return [before, later].some(({ sent, protection }) => losses.excuse(sent.place, protection, span) !== null);
}

function compare(judged: JudgedHistory, judge: Judge, before: Placed, later: Placed): void {
  judge.asked();
  if (later.offset > before.offset || isExcused(judged, before, later)) return;
  const problem = `${later.sent.id} was sent after ${before.sent.id} and stands before it in ${before.sent.place}: ${later.offset}, ${before.offset}`;
  const words = [before, later].flatMap(({ sent }) => {
    const sight = judged.sights.get(sent.id)?.at(-1);
    return sight === undefined ? [sentWords(sent)] : [sentWords(sent), sightWords(sight)];
  });
  judge.violated(problem, words);
}
