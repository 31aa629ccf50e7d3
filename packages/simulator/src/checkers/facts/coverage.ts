/** Every offset that a poll has passed over, with what was there and what ought to have been. */
import type { JudgedHistory, Poll, Sent } from "./judged-history.ts";

export interface Passed {
  readonly poll: Poll;
  readonly offset: number;
  /** The id of the record that the poll gave for it; `null` when it gave none. */
  readonly seenId: string | null;
  /** What was acknowledged at that offset, at whatever time. */
  readonly acknowledged: readonly Sent[];
}

const NOTHING: readonly Sent[] = [];

export function forEachPassed(judged: JudgedHistory, visit: (passed: Passed) => void): void {
  for (const poll of judged.polls) {
    const { fromOffset, place } = poll.asked;
    const { records, nextOffset, logStartOffset } = poll.ended.told;
    const acknowledged = judged.acknowledged.get(place);
    let next = 0;
    for (let offset = Math.max(fromOffset, logStartOffset); offset < nextOffset; offset++) {
      while ((records[next]?.offset ?? Number.POSITIVE_INFINITY) < offset) next++;
      const seen = records[next];
      const seenId = seen?.offset === offset ? seen.id : null;
      visit({ poll, offset, seenId, acknowledged: acknowledged?.get(offset) ?? NOTHING });
    }
  }
}
