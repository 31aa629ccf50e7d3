/**
 * What is read of a group's offsets is what was committed last, plainly or by a transaction; of two, the one that stands later in the
 * log of offsets. What was refused is never read.
 */
import type { Operation } from "../../history/history.ts";
import type { PlaceName } from "../../history/place.ts";
import type { Checker, Judge } from "../checker.ts";
import {
  type Answered,
  isAnswered,
  type JudgedHistory,
  listIn,
  mapIn,
  topicOf,
} from "../facts/judged-history.ts";
import type { Transaction } from "../facts/transactions.ts";
import { when } from "../facts/words.ts";
import { mayEndTwice } from "../transactions/committed-reads.ts";
import { isGroupsLost } from "./told.ts";

/** One commit of one partition that was not refused for certain. */
interface Write {
  readonly offset: number | null;
  /** Where in the log: after what was asked before, and before what is asked after. */
  readonly from: number;
  readonly to: number;
  /** Nobody can have read it before. */
  readonly mayBeReadFrom: number;
  /** From then on it is there for certain, unless its transaction's coordinator was lost; Infinity when nobody was told so. */
  readonly certainFrom: number;
  /** `null`: committed plainly. */
  readonly transaction: Transaction | null;
  readonly generation: number | null;
  readonly words: string;
}

type Read = Answered<"read_offsets">;

export const committedOffset: Checker<JudgedHistory> = {
  name: "committed-offset",
  promise: "what is read of a group's offsets is what was committed last, and never what was refused",
  check(judged, judge) {
    const writes = writesOf(judged);
    const reads = new Map<string, Read[]>();
    for (const read of judged.of("read_offsets").filter(isAnswered))
      listIn(reads, read.asked.groupId).push(read);
    for (const [groupId, own] of reads) checkGroup(judged, judge, own, writes.get(groupId) ?? new Map());
  },
};

function checkGroup(
  judged: JudgedHistory,
  judge: Judge,
  reads: readonly Read[],
  writes: ReadonlyMap<PlaceName, readonly Write[]>,
): void {
  const registers = new Map<PlaceName, Register>();
  for (const read of reads)
    for (const { place, offset } of read.ended.told.offsets) {
      const register = registers.get(place) ?? new Register(judged, writes.get(place) ?? []);
      registers.set(place, register);
      const { last, candidates } = register.at(read);
      if (last !== null && isGroupsLost(judged, last.from, read.ended.order)) continue;
      // With its topic an offset goes.
      if (offset === null && judged.gone.has(topicOf(place))) continue;
      judge.asked();
      if (candidates.some((candidate) => candidate.offset === offset)) continue;
      if (last === null && offset === null) continue;
      const expected = candidates.map((candidate) => candidate.offset).join(" or ") || "none";
      judge.violated(`${read.asked.groupId} is at ${offset} in ${place}; expected ${expected}`, [
        ...candidates.slice(0, 5).map(({ words }) => words),
        `${read.client} read it (${when(read)})`,
      ]);
    }
}

/** The commits of one partition, as reads go on: those that were overwritten are dropped. */
class Register {
  readonly #judged: JudgedHistory;
  /** By when they were asked. */
  #alive: Write[];
  #last: Write | null = null;

  constructor(judged: JudgedHistory, writes: readonly Write[]) {
    this.#judged = judged;
    this.#alive = [...writes].sort((one, other) => one.from - other.from);
  }

  /** Reads in the order in which they were asked. */
  at({ order, ended }: Read): { readonly last: Write | null; readonly candidates: readonly Write[] } {
    for (const write of this.#alive)
      if (write.from > (this.#last?.from ?? -1) && this.#isCertain(write, order, ended.order))
        this.#last = write;
    const last = this.#last;
    if (last !== null)
      this.#alive = this.#alive.filter((write) => write === last || !isOverwritten(write, last));
    return { last, candidates: this.#alive.filter(({ mayBeReadFrom }) => mayBeReadFrom < ended.order) };
  }

  /** Whether a read that is asked at `order` and answered at `to` has to know of it. */
  #isCertain({ certainFrom, transaction }: Write, order: number, to: number): boolean {
    return certainFrom < order && (transaction === null || !mayEndTwice(this.#judged, transaction, to));
  }
}

function isOverwritten({ to, generation }: Write, last: Write): boolean {
  // One that is still under way is refused once a later generation has committed.
  return to < last.from || (generation !== null && last.generation !== null && generation < last.generation);
}

function writesOf(judged: JudgedHistory): Map<string, Map<PlaceName, Write[]>> {
  const writes = new Map<string, Map<PlaceName, Write[]>>();
  for (const commit of judged.of("commit")) {
    if (commit.ended?.outcome === "failed") continue;
    const isSure = commit.ended?.outcome === "ok";
    const to = isSure ? (commit.ended?.order ?? 0) : Number.POSITIVE_INFINITY;
    note(writes, commit, {
      from: commit.order,
      to,
      mayBeReadFrom: commit.order,
      certainFrom: to,
      transaction: null,
    });
  }
  for (const transaction of judged.transactions.values()) {
    const { visibleFrom, dueFrom } = transaction;
    if (visibleFrom === null) continue;
    for (const staged of transaction.offsets) {
      if (staged.ended?.outcome === "failed") continue;
      const isSure = staged.ended?.outcome === "ok";
      const to = isSure ? (staged.ended?.order ?? 0) : Number.POSITIVE_INFINITY;
      const certainFrom = isSure ? (dueFrom ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
      note(writes, staged, { from: staged.order, to, mayBeReadFrom: visibleFrom, certainFrom, transaction });
    }
  }
  return writes;
}

function note(
  writes: Map<string, Map<PlaceName, Write[]>>,
  operation: Operation<"commit"> | Operation<"send_offsets">,
  times: Pick<Write, "from" | "to" | "mayBeReadFrom" | "certainFrom" | "transaction">,
): void {
  const { groupId, member, offsets } = operation.asked;
  for (const { place, offset } of offsets) {
    const who = member === null ? operation.client : `${member.memberId} in generation ${member.generation}`;
    const words = `${who} committed ${offset} of ${place} by ${operation.kind} (${when(operation)})`;
    listIn(mapIn(writes, groupId), place).push({
      ...times,
      offset,
      generation: member?.generation ?? null,
      words,
    });
  }
}
