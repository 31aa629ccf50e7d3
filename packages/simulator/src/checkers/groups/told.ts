/** What members of groups were told, and asked, in which generation. */

import type { Operation } from "../../history/history.ts";
import { type Answered, byAnswer, isAnswered, type JudgedHistory } from "../facts/judged-history.ts";
import { when } from "../facts/words.ts";

export type Told = Answered<"join"> | Answered<"heartbeat">;

/** Everything that was told, in the order of the answers. */
export function toldOf(judged: JudgedHistory): Told[] {
  const joins = byAnswer(judged.of("join").filter(isAnswered));
  const heartbeats = byAnswer(judged.of("heartbeat").filter(isAnswered));
  return [...joins, ...heartbeats].sort((one, other) => one.ended.order - other.ended.order);
}

/** Something that is taken in the present generation alone. */
export type InGeneration = Operation<"heartbeat"> | Operation<"commit"> | Operation<"send_offsets">;

/** With the member that asks, and in which generation; those of nobody in particular are left out. */
export function inGenerationOf(
  judged: JudgedHistory,
): { readonly operation: InGeneration; readonly memberId: string; readonly generation: number }[] {
  const heartbeats = judged.of("heartbeat").map((operation) => ({ operation, ...operation.asked }));
  const commits = [...judged.of("commit"), ...judged.of("send_offsets")].flatMap((operation) =>
    operation.asked.member === null ? [] : [{ operation, ...operation.asked.member }],
  );
  return [...heartbeats, ...commits].sort((one, other) => one.operation.order - other.operation.order);
}

export function toldWords(told: Told): string {
  const { groupId, memberId } = told.asked;
  const { generation, memberSince, assignment } = told.ended.told;
  const what = `generation ${generation}, a member since ${memberSince}, owner of ${assignment.join(", ") || "nothing"}`;
  return `${memberId} of ${groupId} was told by its ${told.kind}: ${what} (${when(told)})`;
}

export function askedWords(operation: InGeneration, memberId: string, generation: number): string {
  return `${memberId} of ${operation.asked.groupId} asked for ${operation.kind} in generation ${generation} (${when(operation)})`;
}

/**
 * Whether what the coordinator knew may have been lost in that time. What it answered it knew when it was asked or later: of two
 * answers, a time that may lie between them begins when the first of the two was asked, whichever came first.
 */
export function isGroupsLost({ losses }: JudgedHistory, from: number, to: number): boolean {
  return losses.excuseOfTopic("__consumer_offsets", "all", { from, to }) !== null;
}
