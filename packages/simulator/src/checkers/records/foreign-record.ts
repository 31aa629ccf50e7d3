/** Nobody reads what nobody has written, or reads it otherwise than it was written. Jepsen: G1a for sends that have failed. */
import type { Checker } from "../checker.ts";
import type { JudgedHistory, Sent, Sight } from "../facts/judged-history.ts";
import { sentWords, sightWords } from "../facts/words.ts";

export const foreignRecord: Checker<JudgedHistory> = {
  name: "foreign-record",
  promise: "what a reader is given was sent before, to that partition, with that key and that value",
  check(judged, judge) {
    for (const [id, sights] of judged.sights) {
      const sent = judged.sent.get(id);
      for (const sight of sights) {
        judge.asked();
        const problem = problemOf(sent, sight);
        if (problem === null) continue;
        const evidence = sent === undefined ? [] : [sentWords(sent)];
        judge.violated(`${id} at ${sight.poll.asked.place} offset ${sight.offset} ${problem}`, [
          ...evidence,
          sightWords(sight),
        ]);
      }
    }
  },
};

function problemOf(sent: Sent | undefined, { key, isTombstone, poll }: Sight): string | null {
  if (sent === undefined) return "was sent by nobody";
  if (sent.place !== poll.asked.place) return `was sent to ${sent.place}`;
  if (sent.key !== key) return `has the key ${key}; it was sent with ${sent.key}`;
  if (sent.isTombstone !== isTombstone)
    return isTombstone ? "has lost its value" : "has a value; it had none";
  return sent.send.order < poll.ended.order ? null : "was read before it was sent";
}

export const failedWriteSeen: Checker<JudgedHistory> = {
  name: "failed-write-seen",
  promise: "what was refused for certain is read by nobody",
  check(judged, judge) {
    for (const sent of judged.sent.values()) {
      if (sent.send.ended?.outcome !== "failed") continue;
      judge.asked();
      const [sight] = judged.sights.get(sent.id) ?? [];
      if (sight !== undefined)
        judge.violated(`${sent.id} was refused, and a reader got it`, [sentWords(sent), sightWords(sight)]);
    }
  },
};
