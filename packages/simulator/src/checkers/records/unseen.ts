/** When all is well again, everything that was acknowledged has been read. Jepsen: unseen. */
import type { PlaceName } from "../../history/place.ts";
import type { Checker } from "../checker.ts";
import {
  type JudgedHistory,
  listIn,
  type Poll,
  protectionOf,
  type Sent,
  topicOf,
} from "../facts/judged-history.ts";
import { sentWords } from "../facts/words.ts";

/** What was read of a partition after the faults. */
interface Read {
  readonly endOffset: number;
  /** When it was asked for the last time. */
  readonly lastOrder: number;
}

export const unseen: Checker<JudgedHistory> = {
  name: "unseen",
  promise: "once the faults are over, everything that was acknowledged is within what is read to the end",
  check(judged, judge) {
    const { quietFrom, losses } = judged;
    if (quietFrom === null) return;
    const finals = finalPolls(judged, quietFrom);
    for (const [place, acknowledged] of judged.acknowledged) {
      if (judged.gone.has(topicOf(place))) continue;
      const read = readOf(finals.get(place) ?? []);
      for (const [offset, sents] of acknowledged)
        for (const sent of sents) {
          const protection = protectionOf(sent);
          const span = { from: sent.send.order, to: Number.POSITIVE_INFINITY };
          if (protection === null || losses.excuse(place, protection, span) !== null) continue;
          if (isAsked(sent, read)) judge.asked();
          else continue;
          if (read === null || offset >= read.endOffset)
            judge.violated(
              `${sent.id} was acknowledged at ${place} offset ${offset}, and nobody comes to read it`,
              [
                sentWords(sent),
                read === null ? `${place} was not read` : `${place} was read to ${read.endOffset} in the end`,
              ],
            );
        }
    }
  },
};

function isAsked({ send }: Sent, read: Read | null): boolean {
  return read === null || (send.ended?.order ?? Number.POSITIVE_INFINITY) < read.lastOrder;
}

function finalPolls(judged: JudgedHistory, quietFrom: number): Map<PlaceName, Poll[]> {
  const finals = new Map<PlaceName, Poll[]>();
  for (const poll of judged.polls) if (poll.order > quietFrom) listIn(finals, poll.asked.place).push(poll);
  return finals;
}

function readOf(polls: readonly Poll[]): Read | null {
  if (polls.length === 0) return null;
  return {
    endOffset: Math.max(...polls.map(({ ended }) => ended.told.nextOffset)),
    lastOrder: Math.max(...polls.map(({ order }) => order)),
  };
}
