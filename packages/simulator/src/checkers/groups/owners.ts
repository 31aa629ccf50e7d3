/** One partition, one owner: by what members are told, by what they believe, and by whose offsets are taken. */
import type { Happening } from "../../history/happenings.ts";
import type { Checker, Judge } from "../checker.ts";
import { type JudgedHistory, mapIn } from "../facts/judged-history.ts";
import { askedWords, inGenerationOf, isGroupsLost, type Told, toldOf, toldWords } from "./told.ts";

/** A partition in one generation of a group. */
function shareOf(groupId: string, generation: number, place: string): string {
  return `${groupId} ${generation} ${place}`;
}

export const twoOwners: Checker<JudgedHistory> = {
  name: "two-owners",
  promise: "within a generation a partition is given to one member",
  check(judged, judge) {
    const owners = new Map<string, Told>();
    for (const told of toldOf(judged)) {
      const { groupId, memberId } = told.asked;
      const { generation, assignment } = told.ended.told;
      for (const place of assignment) {
        const share = shareOf(groupId, generation, place);
        const other = owners.get(share);
        owners.set(share, told);
        if (other === undefined) continue;
        if (isGroupsLost(judged, Math.min(other.order, told.order), told.ended.order)) continue;
        judge.asked();
        if (other.asked.memberId !== memberId)
          judge.violated(
            `${place} is that of ${other.asked.memberId} and of ${memberId} in generation ${generation} of ${groupId}`,
            [toldWords(other), toldWords(told)],
          );
      }
    }
  },
};

export const commitOfAnother: Checker<JudgedHistory> = {
  name: "commit-of-another",
  promise:
    "no offset of a partition is taken from a member once another was told that it has it, in the same generation",
  check(judged, judge) {
    const told = toldOf(judged);
    const owners = new Map<string, Told>();
    let next = 0;
    for (const { operation, memberId, generation } of inGenerationOf(judged)) {
      for (let before = told[next]; before !== undefined; before = told[++next]) {
        if (before.ended.order >= operation.order) break;
        const { groupId } = before.asked;
        for (const place of before.ended.told.assignment)
          owners.set(shareOf(groupId, before.ended.told.generation, place), before);
      }
      if (operation.kind === "heartbeat") continue;
      for (const { place } of operation.asked.offsets) {
        const owner = owners.get(shareOf(operation.asked.groupId, generation, place));
        if (
          owner === undefined ||
          isGroupsLost(judged, owner.order, operation.ended?.order ?? operation.order)
        )
          continue;
        judge.asked();
        if (owner.asked.memberId !== memberId && operation.ended?.outcome === "ok")
          judge.violated(`${memberId} committed ${place}, which ${owner.asked.memberId} owns`, [
            toldWords(owner),
            askedWords(operation, memberId, generation),
          ]);
      }
    }
  },
};

type Believes = Extract<Happening, { kind: "believes" }>;

export const overlappingOwners: Checker<JudgedHistory> = {
  name: "overlapping-owners",
  promise: "under barrier no two members believe in one partition at a time",
  check(judged, judge) {
    if (judged.losses.isEverImmediate) return;
    const beliefs = new Map<string, Map<string, Believes>>();
    for (const happening of judged.history.happenings)
      if (happening.kind === "believes") checkBelief(judged, judge, beliefs, happening);
  },
};

/** `beliefs`: by group and partition, and by member. */
function checkBelief(
  judged: JudgedHistory,
  judge: Judge,
  beliefs: Map<string, Map<string, Believes>>,
  belief: Believes,
): void {
  const { groupId, memberId, places, atMs, order, askedOrder } = belief;
  for (const [key, members] of beliefs)
    if (key.startsWith(`${groupId} `) && !places.includes(key.slice(groupId.length + 1)))
      members.delete(memberId);
  for (const place of places) {
    const members = mapIn(beliefs, `${groupId} ${place}`);
    members.set(memberId, belief);
    judge.asked();
    for (const [other, theirs] of members) {
      if (other === memberId || theirs.untilMs <= atMs) continue;
      if (isGroupsLost(judged, Math.min(theirs.askedOrder, askedOrder), order)) continue;
      judge.violated(`${memberId} and ${other} of ${groupId} both believe in ${place}`, [
        beliefWords(theirs),
        beliefWords(belief),
      ]);
    }
  }
}

function beliefWords({ memberId, generation, memberSince, places, untilMs, order, atMs }: Believes): string {
  const what = `${places.join(", ")} until ${untilMs} ms, in generation ${generation}, a member since ${memberSince}`;
  return `${memberId} believes in ${what} (#${order}, ${atMs} ms)`;
}
