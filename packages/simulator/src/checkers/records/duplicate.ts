/** One record, one offset: what was sent once, or as an idempotent producer sends, is there once. Jepsen: duplicate. */
import type { Checker } from "../checker.ts";
import { type JudgedHistory, protectionOf, type Sent } from "../facts/judged-history.ts";
import type { Protection, Span } from "../facts/losses.ts";
import { sentWords, sightWords } from "../facts/words.ts";

interface Place extends Span {
  readonly offset: number;
  readonly place: string;
  readonly protection: Protection;
  readonly words: () => string;
}

export const duplicate: Checker<JudgedHistory> = {
  name: "duplicate",
  promise: "no record is at two offsets, unless its producer sent it twice without a sequence",
  check(judged, judge) {
    for (const sent of judged.sent.values()) {
      const { send, id } = sent;
      const mayRepeat = send.asked.sequence === null && (send.ended?.attempts ?? 2) > 1;
      const places = placesOf(judged, sent);
      if (mayRepeat || places.length === 0) continue;
      judge.asked();
      for (const [index, later] of places.entries()) {
        const before = places[index - 1];
        if (before === undefined || (before.offset === later.offset && before.place === later.place))
          continue;
        const span = { from: send.order, to: Math.max(before.to, later.to) };
        if (judged.losses.excuse(sent.place, before.protection, span) !== null) continue;
        const problem = `${id} is at ${before.place} offset ${before.offset} and at ${later.place} offset ${later.offset}`;
        judge.violated(problem, [sentWords(sent), before.words(), later.words()]);
      }
    }
  },
};

/** Wherever it was said to be, in the order in which that was told. */
function placesOf(judged: JudgedHistory, sent: Sent): Place[] {
  const { offset, send, place } = sent;
  const protection = protectionOf(sent);
  const acknowledged: Place[] =
    offset === null || protection === null || send.ended === null
      ? []
      : [
          {
            offset,
            place,
            protection,
            from: send.order,
            to: send.ended.order,
            words: () => `told ${offset}`,
          },
        ];
  const seen = (judged.sights.get(sent.id) ?? []).map((sight): Place => {
    const { order: from, ended, asked } = sight.poll;
    const words = () => sightWords(sight);
    return { offset: sight.offset, place: asked.place, protection: "visible", from, to: ended.order, words };
  });
  return [...acknowledged, ...seen].sort((one, other) => one.to - other.to);
}
