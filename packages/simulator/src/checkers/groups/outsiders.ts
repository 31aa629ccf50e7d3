/** While a group has members, nobody else commits its offsets (KIP-447 for those of transactions). */
import type { Operation } from "../../history/history.ts";
import type { Checker } from "../checker.ts";
import { type JudgedHistory, listIn } from "../facts/judged-history.ts";
import { when } from "../facts/words.ts";
import { isGroupsLost, type Told, toldOf, toldWords } from "./told.ts";

/**
 * A member was one for certain from what it was told first to when it asked what it was told last, as the same member. It is another
 * one when the group may have been lost in between, which begins to count its generations anew.
 */
interface Membership {
  readonly first: Told;
  last: Told;
}

export const outsiderCommit: Checker<JudgedHistory> = {
  name: "outsider-commit",
  promise: "no offsets of a group are taken from outside while it has members",
  check(judged, judge) {
    const memberships = membershipsOf(judged);
    const outside: (Operation<"commit"> | Operation<"send_offsets">)[] = [
      ...judged.of("commit"),
      ...judged.of("send_offsets"),
    ].filter(({ asked }) => asked.member === null);
    for (const operation of outside) {
      const { order, ended, asked } = operation;
      const endedAt = ended?.order ?? Number.POSITIVE_INFINITY;
      const member = memberships
        .get(asked.groupId)
        ?.find(({ first, last }) => first.ended.order < order && last.order > endedAt);
      if (member === undefined) continue;
      judge.asked();
      if (ended?.outcome === "ok")
        judge.violated(`offsets of ${asked.groupId} were taken from outside while it had a member`, [
          toldWords(member.first),
          toldWords(member.last),
          `${operation.client} asked for ${operation.kind} (${when(operation)})`,
        ]);
    }
  },
};

function membershipsOf(judged: JudgedHistory): Map<string, Membership[]> {
  const byMember = new Map<string, Membership>();
  const byGroup = new Map<string, Membership[]>();
  for (const told of toldOf(judged)) {
    const { groupId, memberId } = told.asked;
    const key = `${groupId} ${memberId} ${told.ended.told.memberSince}`;
    const known = byMember.get(key);
    if (known === undefined || isLostBetween(judged, known.last, told)) {
      const membership = { first: told, last: told };
      byMember.set(key, membership);
      listIn(byGroup, groupId).push(membership);
    } else if (told.order > known.last.order) known.last = told;
  }
  return byGroup;
}

function isLostBetween(judged: JudgedHistory, known: Told, told: Told): boolean {
  return isGroupsLost(judged, Math.min(known.order, told.order), told.ended.order);
}
