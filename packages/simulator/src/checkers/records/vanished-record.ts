/** What somebody has seen stays there, for everybody who reads over its offset afterwards. */
import type { PlaceName } from "../../history/place.ts";
import type { Checker } from "../checker.ts";
import { Compaction } from "../facts/compaction.ts";
import { forEachPassed } from "../facts/coverage.ts";
import { type JudgedHistory, mapIn, type Poll } from "../facts/judged-history.ts";
import { pollWords } from "../facts/words.ts";

interface Seen {
  readonly id: string;
  readonly poll: Poll;
}

export const vanishedRecord: Checker<JudgedHistory> = {
  name: "vanished-record",
  promise: "a record that a reader was given is given to whoever reads over its offset afterwards",
  check(judged, judge) {
    const compaction = new Compaction(judged);
    const first = new Map<PlaceName, Map<number, Seen>>();
    forEachPassed(judged, ({ poll, offset, seenId }) => {
      const { place, isolation } = poll.asked;
      const at = mapIn(first, place);
      const seen = at.get(offset);
      if (seen === undefined) {
        if (seenId !== null) at.set(offset, { id: seenId, poll });
        return;
      }
      const span = { from: seen.poll.order, to: poll.ended.order };
      if (seen.poll.ended.order > poll.order) return;
      if (judged.losses.excuse(place, "visible", span) !== null) {
        if (seenId !== null) at.set(offset, { id: seenId, poll });
        return;
      }
      const sent = judged.sent.get(seen.id);
      if (sent === undefined) return;
      const { transaction } = sent;
      const isCommitted = transaction === null || seen.poll.asked.isolation === "read_committed";
      if (!isCommitted && (isolation === "read_committed" || judged.isCompacted(place))) return;
      if (seenId === null && compaction.mayTake(sent, offset)) return;
      judge.asked();
      if (seenId === seen.id) return;
      const instead = seenId === null ? "nothing" : seenId;
      judge.violated(
        `${seen.id} was seen at ${place} offset ${offset}, and a later reader got ${instead} there`,
        [pollWords(seen.poll), pollWords(poll)],
      );
    });
  },
};
