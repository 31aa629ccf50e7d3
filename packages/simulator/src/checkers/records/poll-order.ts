/** Whoever reads on gets offsets that rise, and misses none in between. Jepsen: nonmonotonic-poll, poll-skip, and both within a poll. */
import type { Checker, Judge } from "../checker.ts";
import type { JudgedHistory, Poll } from "../facts/judged-history.ts";
import { pollWords } from "../facts/words.ts";

export const pollOrder: Checker<JudgedHistory> = {
  name: "poll-order",
  promise:
    "the offsets of a poll rise and lie in what it says that it has read, and the next poll goes on where it ended",
  check(judged, judge) {
    const last = new Map<string, Poll>();
    for (const poll of judged.polls) {
      checkWithin(poll, judge);
      const { reader, fromOffset, place } = poll.asked;
      const name = `${reader} ${place}`;
      const before = last.get(name);
      last.set(name, poll);
      if (before === undefined) continue;
      judge.asked();
      if (before.ended.told.nextOffset !== fromOffset)
        judge.violated(
          `${reader} goes on at ${fromOffset} in ${place}, and was sent to ${before.ended.told.nextOffset}`,
          [pollWords(before), pollWords(poll)],
        );
    }
  },
};

function checkWithin(poll: Poll, judge: Judge): void {
  const { fromOffset, place } = poll.asked;
  const { records, nextOffset } = poll.ended.told;
  judge.asked();
  if (nextOffset < fromOffset)
    judge.violated(`a poll of ${place} from ${fromOffset} leads back to ${nextOffset}`, [pollWords(poll)]);
  let next = fromOffset;
  for (const { id, offset } of records) {
    if (offset < next || offset >= nextOffset) {
      const expected = `expected one from ${next}, below ${nextOffset}`;
      judge.violated(`${id} has the offset ${offset} in ${place}; ${expected}`, [pollWords(poll)]);
      return;
    }
    next = offset + 1;
  }
}
