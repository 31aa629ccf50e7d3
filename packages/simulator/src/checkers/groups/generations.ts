/** Generations only grow, and nothing is taken of one that is over. */
import type { Checker } from "../checker.ts";
import type { JudgedHistory } from "../facts/judged-history.ts";
import { askedWords, inGenerationOf, isGroupsLost, type Told, toldOf, toldWords } from "./told.ts";

export const generationGoesBack: Checker<JudgedHistory> = {
  name: "generation-goes-back",
  promise: "nobody is told an older generation than was told before it asked",
  check(judged, judge) {
    const latest = new Latest(toldOf(judged));
    for (const told of [...toldOf(judged)].sort((one, other) => one.order - other.order)) {
      const { generation, memberSince } = told.ended.told;
      if (memberSince > generation)
        judge.violated("a member is one since a later generation than it was told", [toldWords(told)]);
      const before = latest.before(told.order, told.asked.groupId);
      if (before === undefined || isGroupsLost(judged, before.order, told.ended.order)) continue;
      judge.asked();
      if (generation < before.ended.told.generation)
        judge.violated(
          `generation ${generation} of ${told.asked.groupId} follows ${before.ended.told.generation}`,
          [toldWords(before), toldWords(told)],
        );
    }
  },
};

export const staleGeneration: Checker<JudgedHistory> = {
  name: "stale-generation",
  promise: "no heartbeat and no offsets are taken in a generation that is over",
  check(judged, judge) {
    const latest = new Latest(toldOf(judged));
    for (const { operation, memberId, generation } of inGenerationOf(judged)) {
      const before = latest.before(operation.order, operation.asked.groupId);
      if (before === undefined || before.ended.told.generation <= generation) continue;
      if (isGroupsLost(judged, before.order, operation.ended?.order ?? operation.order)) continue;
      judge.asked();
      if (operation.ended?.outcome === "ok")
        judge.violated(
          `a ${operation.kind} of generation ${generation} was taken in ${before.ended.told.generation}`,
          [toldWords(before), askedWords(operation, memberId, generation)],
        );
    }
  },
};

/** What was told last of each group, as time goes on. */
class Latest {
  readonly #told: readonly Told[];
  readonly #latest = new Map<string, Told>();
  #next = 0;

  /** `told`: in the order of the answers. */
  constructor(told: readonly Told[]) {
    this.#told = told;
  }

  /** Of the highest generation among what was told before that moment; moments must rise. */
  before(order: number, groupId: string): Told | undefined {
    for (let told = this.#told[this.#next]; told !== undefined; told = this.#told[++this.#next]) {
      if (told.ended.order >= order) break;
      const known = this.#latest.get(told.asked.groupId);
      if (known === undefined || told.ended.told.generation >= known.ended.told.generation)
        this.#latest.set(told.asked.groupId, told);
    }
    return this.#latest.get(groupId);
  }
}
