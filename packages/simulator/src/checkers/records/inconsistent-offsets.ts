/** One offset, one record: whoever is told of it, by an acknowledgement or by reading, is told of the same. Jepsen: inconsistent-offsets. */
import type { PlaceName } from "../../history/place.ts";
import type { Checker, Judge } from "../checker.ts";
import { type JudgedHistory, listIn, mapIn, protectionOf, type Sent } from "../facts/judged-history.ts";
import type { Protection, Span } from "../facts/losses.ts";
import { pollWords, sentWords } from "../facts/words.ts";

/** Somebody was told that a record is there. */
interface Claim extends Span {
  readonly id: string;
  readonly protection: Protection;
  readonly words: () => string;
}

export const inconsistentOffsets: Checker<JudgedHistory> = {
  name: "inconsistent-offsets",
  promise: "no offset is given to two records, unless the first was lost by what it is not safe from",
  check(judged, judge) {
    for (const [place, claims] of claimsOf(judged))
      for (const [offset, told] of claims) checkOffset(judged, judge, { place, offset, told });
  },
};

function claimsOf(judged: JudgedHistory): Map<PlaceName, Map<number, Claim[]>> {
  const claims = new Map<PlaceName, Map<number, Claim[]>>();
  for (const [place, byOffset] of judged.acknowledged)
    for (const [offset, sents] of byOffset)
      for (const sent of sents) {
        const protection = protectionOf(sent);
        if (protection !== null) listIn(mapIn(claims, place), offset).push(claimOf(sent, protection));
      }
  for (const poll of judged.polls)
    for (const { id, offset } of poll.ended.told.records)
      listIn(mapIn(claims, poll.asked.place), offset).push({
        id,
        protection: "visible",
        from: poll.order,
        to: poll.ended.order,
        words: () => `${id} was given by this: ${pollWords(poll)}`,
      });
  return claims;
}

function claimOf(sent: Sent, protection: Protection): Claim {
  const { send, id } = sent;
  const to = send.ended?.order ?? send.order;
  return { id, protection, from: send.order, to, words: () => sentWords(sent) };
}

function checkOffset(
  { losses }: JudgedHistory,
  judge: Judge,
  { place, offset, told }: { place: PlaceName; offset: number; told: Claim[] },
): void {
  if (told.length < 2) return;
  told.sort((one, other) => one.to - other.to);
  let before: Claim | null = null;
  for (const claim of told) {
    if (before !== null) {
      judge.asked();
      const span = { from: Math.min(before.from, claim.from), to: Math.max(before.to, claim.to) };
      const isOne = before.id === claim.id;
      // Whose answer was under way for long may have been there before the other.
      const overlaps = claim.from < before.to;
      const excuses = [losses.excuse(place, before.protection, span)];
      if (overlaps) excuses.push(losses.excuse(place, claim.protection, span));
      if (!isOne && excuses.every((excuse) => excuse === null))
        judge.violated(`${place} offset ${offset} is that of ${before.id} and of ${claim.id}`, [
          before.words(),
          claim.words(),
        ]);
    }
    before = claim;
  }
}
