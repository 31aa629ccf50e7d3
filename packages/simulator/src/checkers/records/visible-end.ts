/** How far a reader sees: never past what it is told is visible to it, and never less far than somebody before. */
import type { PlaceName } from "../../history/place.ts";
import type { Checker, Judge } from "../checker.ts";
import {
  type Answered,
  byAnswer,
  isAnswered,
  type JudgedHistory,
  listIn,
  type Poll,
} from "../facts/judged-history.ts";
import { pollWords } from "../facts/words.ts";

export const visibleEnd: Checker<JudgedHistory> = {
  name: "visible-end",
  promise:
    "nobody is given a record at or above the high watermark, or above the last stable offset where only committed ones are read",
  check(judged, judge) {
    for (const poll of judged.polls) {
      const { isolation, place } = poll.asked;
      const { records, logStartOffset, highWatermark, lastStableOffset } = poll.ended.told;
      const end = isolation === "read_committed" ? lastStableOffset : highWatermark;
      judge.asked();
      if (logStartOffset > highWatermark || lastStableOffset > highWatermark)
        judge.violated(`the marks of ${place} are out of order`, [pollWords(poll)]);
      const last = records.at(-1);
      if (last !== undefined && last.offset >= end)
        judge.violated(`${last.id} at ${last.offset} in ${place} is not below ${end}`, [pollWords(poll)]);
    }
  },
};

type Mark = "highWatermark" | "lastStableOffset";

export const visibleEndGoesBack: Checker<JudgedHistory> = {
  name: "visible-end-goes-back",
  promise: "how far can be read never goes back, unless what it rested on was lost",
  check(judged, judge) {
    const asked = new Map<PlaceName, Poll[]>();
    for (const poll of judged.polls) listIn(asked, poll.asked.place).push(poll);
    for (const answered of asked.values()) {
      checkMark(judged, judge, answered, "highWatermark");
      checkMark(judged, judge, answered, "lastStableOffset");
    }
  },
};

/** `answered`: in the order of the answers. */
function checkMark(judged: JudgedHistory, judge: Judge, answered: readonly Poll[], mark: Mark): void {
  let highest: Poll | null = null;
  let next = 0;
  for (const poll of [...answered].sort((one, other) => one.order - other.order)) {
    for (let before = answered[next]; before !== undefined; before = answered[++next]) {
      if (before.ended.order >= poll.order) break;
      if (
        highest === null ||
        before.ended.told[mark] >= highest.ended.told[mark] ||
        isExcused(judged, highest, before)
      )
        highest = before;
    }
    if (highest === null) continue;
    judge.asked();
    if (poll.ended.told[mark] >= highest.ended.told[mark] || isExcused(judged, highest, poll)) continue;
    const name = mark === "highWatermark" ? "high watermark" : "last stable offset";
    const { place } = poll.asked;
    judge.violated(
      `the ${name} of ${place} was ${highest.ended.told[mark]}, and is ${poll.ended.told[mark]}`,
      [pollWords(highest), pollWords(poll)],
    );
  }
}

function isExcused({ losses }: JudgedHistory, before: Poll, later: Poll): boolean {
  const span = { from: before.order, to: later.ended.order };
  return losses.excuse(before.asked.place, "visible", span) !== null || losses.mayShowLess(span);
}

export const deletedRecordsSeen: Checker<JudgedHistory> = {
  name: "deleted-records-seen",
  promise: "once a deletion of records is answered, nobody is given one of them any more",
  check(judged, judge) {
    const deletions = byAnswer(judged.of("delete_records").filter(isAnswered));
    const begun = new Map<PlaceName, Deletion[]>();
    let next = 0;
    for (const poll of [...judged.polls].sort((one, other) => one.order - other.order)) {
      for (let done = deletions[next]; done !== undefined; done = deletions[++next]) {
        if (done.ended.order >= poll.order) break;
        listIn(begun, done.asked.place).push(done);
      }
      for (const deletion of begun.get(poll.asked.place) ?? []) {
        judge.asked();
        if (!showsAgain(judged, deletion, poll)) continue;
        const { place } = deletion.asked;
        const words = `${deletion.client} deleted the records of ${place} below ${deletion.ended.told.logStartOffset} (#${deletion.order} to #${deletion.ended.order})`;
        judge.violated(`what was deleted in ${place} is there again`, [words, pollWords(poll)]);
        break;
      }
    }
  },
};

type Deletion = Answered<"delete_records">;

/**
 * Whether `poll` shows what is deleted. Where somebody may lead meanwhile whose log ended below, it goes on there with what is written
 * next: only what is known to have stood at its offset before, and was sent no more, is the same again.
 */
function showsAgain(
  { losses, sent, sights }: JudgedHistory,
  { asked, ended }: Deletion,
  poll: Poll,
): boolean {
  const { records, logStartOffset } = poll.ended.told;
  const before = ended.told.logStartOffset;
  const shown = records.filter(({ offset }) => offset < before);
  if (!losses.mayBeginShorter(asked.place, { from: ended.order, to: poll.ended.order }))
    return shown.length > 0 || logStartOffset < before;
  return shown.some(({ id, offset }) => {
    const { offset: told = null, send } = sent.get(id) ?? {};
    if ((send?.ended?.order ?? Number.POSITIVE_INFINITY) > ended.order) return false;
    const seen = (sights.get(id) ?? []).filter((sight) => sight.poll.ended.order < ended.order);
    return told === offset || seen.some((sight) => sight.offset === offset);
  });
}
