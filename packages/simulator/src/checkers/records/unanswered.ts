/** When all is well again, everybody gets an answer. */
import type { Checker } from "../checker.ts";
import type { JudgedHistory } from "../facts/judged-history.ts";
import { when } from "../facts/words.ts";

export const unanswered: Checker<JudgedHistory> = {
  name: "unanswered",
  promise: "what is asked once the faults are over is answered",
  check(judged, judge) {
    const { quietFrom, history } = judged;
    if (quietFrom === null) return;
    for (const operation of history.operations) {
      if (operation.order < quietFrom) continue;
      judge.asked();
      if (operation.ended === null)
        judge.violated(`${operation.client} asked for ${operation.kind}, and is never answered`, [
          `${JSON.stringify(operation.asked)} (${when(operation)})`,
        ]);
    }
  },
};
