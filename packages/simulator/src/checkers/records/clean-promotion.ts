/** Nobody out of sync comes to lead, unless an operator allows it: it would lose records. */
import type { Checker } from "../checker.ts";
import type { JudgedHistory } from "../facts/judged-history.ts";
import { UncleanAllowed } from "../facts/losses.ts";

export const cleanPromotion: Checker<JudgedHistory> = {
  name: "clean-promotion",
  promise: "nobody leads who was out of sync, unless an operator has allowed it",
  check({ history }, judge) {
    const allowed = new UncleanAllowed(history.operations);
    for (const happening of history.happenings) {
      if (happening.kind !== "leader_changed" || happening.leaderId === null) continue;
      judge.asked();
      if (!happening.isUnclean || allowed.isAllowed(happening)) continue;
      const { place, leaderId, leaderEpoch, order, atMs } = happening;
      judge.violated(`broker ${leaderId} was out of sync, and leads ${place}`, [
        `it leads from epoch ${leaderEpoch} on (#${order}, ${atMs} ms), and nobody asked for that`,
      ]);
    }
  },
};
