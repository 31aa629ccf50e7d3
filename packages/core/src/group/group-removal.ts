/**
 * Groups that go: because somebody deletes them, or because nothing is left of them. A group that is gone is a dead one for a
 * while, whose record has its generation: should it begin again, no member of its former life can commit in it.
 */
import type { CoordinatorShard } from "../coordinator/coordinator-shard.ts";
import type { Wait } from "../coordinator/give-up.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { tombstonesOf } from "../offsets/offset-forgetting.ts";
import type { GroupAct, GroupChanges } from "./group-changes.ts";
import { currentGroup, type GroupKinds } from "./group-kinds.ts";
import { groupTombstone } from "./group-record.ts";
import { groupInTransaction, groupNotEmpty, unknownGroup } from "./group-refusals.ts";
import { requireGroupId } from "./group-requests.ts";
import { type Group, stateOf } from "./group-state.ts";

/**
 * Forgets a group without members, and all that it has committed. Rejects with UNKNOWN_GROUP, GROUP_NOT_EMPTY, and
 * CONCURRENT_TRANSACTIONS while an open transaction has offsets of it. Many offsets take
 * several batches: a crash between them leaves the group with the rest. Kafka: DeleteGroups (KIP-229).
 */
export async function deleteGroup(changes: GroupChanges, groupId: string, wait: Wait = {}): Promise<void> {
  requireGroupId(groupId);
  let isFirst = true;
  for (;;) {
    const isDone = await changes.act(
      groupId,
      {
        event: (group, kinds) => {
          if (kinds.offset.staged.hasGroup(groupId)) throw groupInTransaction(groupId);
          if (stateOf(group) === "dead" && isFirst) throw unknownGroup(groupId);
          if (group.members.size > 0) throw groupNotEmpty(group);
          return hasMoreOffsets(kinds, groupId) || group.isDead ? null : { kind: "delete" };
        },
        records: (_group, { offset }) => tombstonesOf(offset, groupId),
        answer: (_group, kinds) => !hasMoreOffsets(kinds, groupId),
        whileClassic: (group) => {
          throw groupNotEmpty(group);
        },
      },
      wait,
    );
    if (isDone) return;
    isFirst = false;
  }
}

/** More than one batch forgets. */
function hasMoreOffsets({ offset }: GroupKinds, groupId: string): boolean {
  return tombstonesOf(offset, groupId).length < offset.newest(groupId).length;
}

/** Which groups went. */
export interface ForgottenGroups {
  /** Of which nothing was left. */
  readonly dying: readonly string[];
  /** Of which nothing was left for long enough. */
  readonly forgotten: readonly string[];
}

/**
 * Groups that have neither members nor offsets die; those that are dead for `retentionMs` are forgotten. A partition of the
 * internal topic that cannot be read or written stops no other.
 */
export async function forgetGroups(
  changes: GroupChanges,
  { retentionMs }: { readonly retentionMs: number },
  env: Env,
): Promise<ForgottenGroups> {
  const gone: ForgottenGroups[] = [];
  const problems: BrokerError[] = [];
  for (const shard of changes.parts.topic.shards()) {
    try {
      gone.push(await forgetIn(changes, shard, { retentionMs }, env));
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
      problems.push(problem);
    }
  }
  if (problems[0] !== undefined) throw problems[0];
  return { dying: gone.flatMap((each) => each.dying), forgotten: gone.flatMap((each) => each.forgotten) };
}

async function forgetIn(
  changes: GroupChanges,
  shard: CoordinatorShard<GroupKinds>,
  { retentionMs }: { readonly retentionMs: number },
  { clock }: Env,
): Promise<ForgottenGroups> {
  const isOld = (group: Group) => isOldDead(group, { retentionMs, nowMs: clock.nowMs() });
  const [dying, forgotten] = await shard.read((kinds) => {
    // Counting is quick; what is open besides is looked at when each is judged.
    const gone = [...kinds.group.allCommitted()].filter(
      ({ groupId, members }) => members.size === 0 && kinds.offset.countOf(groupId) === 0,
    );
    return [gone.filter(({ isDead }) => !isDead), gone.filter(isOld)];
  });
  // Who has died already, or has something again, is not told.
  const died = new Set<string>();
  const wasForgotten = new Set<string>();
  const act: GroupAct<null> = {
    event: (group, kinds) => {
      if (group.isDead || isLeft(group, kinds)) return null;
      died.add(group.groupId);
      return { kind: "delete" };
    },
    answer: () => null,
    whileClassic: () => null,
  };
  const forget = (groupId: string) => (kinds: GroupKinds) => {
    const group = currentGroup(kinds, groupId);
    const isGone = isOld(group) && kinds.group.occupied(groupId) === null && !isLeft(group, kinds);
    if (isGone) wasForgotten.add(groupId);
    return { records: isGone ? [groupTombstone(groupId)] : [], answer: null };
  };
  // All are written before anybody waits, so that they share what they wait for.
  await Promise.all([
    ...dying.map(({ groupId }) => changes.act(groupId, act, { at: shard })),
    ...forgotten.map(({ groupId }) => shard.write(forget(groupId))),
  ]);
  return { dying: [...died], forgotten: [...wasForgotten] };
}

function isLeft({ groupId, members }: Group, { offset }: GroupKinds): boolean {
  return members.size > 0 || offset.newest(groupId).length > 0 || offset.staged.hasGroup(groupId);
}

function isOldDead({ isDead, emptySinceMs }: Group, { retentionMs, nowMs }: ForgettingTime): boolean {
  return isDead && nowMs - (emptySinceMs ?? 0) >= retentionMs;
}

interface ForgettingTime {
  readonly retentionMs: number;
  readonly nowMs: number;
}

/** What forgetGroups() would do once `forgotten` offsets, by group, are gone: which die, and which are forgotten. */
export function foretoldForgetting(
  kinds: GroupKinds,
  forgotten: ReadonlyMap<string, number>,
  time: ForgettingTime,
): ForgottenGroups {
  const left = (groupId: string, count: number) => count - (forgotten.get(groupId) ?? 0);
  const [dying, gone]: [string[], string[]] = [[], []];
  for (const { groupId, members, isDead } of kinds.group.allCommitted()) {
    if (members.size > 0 || left(groupId, kinds.offset.countOf(groupId)) > 0) continue;
    const now = kinds.group.current(groupId);
    const hasOffsets = left(groupId, kinds.offset.newest(groupId).length) > 0;
    if (now.members.size > 0 || hasOffsets || kinds.offset.staged.hasGroup(groupId)) continue;
    if (!isDead && !now.isDead) dying.push(groupId);
    else if (isDead && isOldDead(now, time)) gone.push(groupId);
  }
  return { dying, forgotten: gone };
}

/** When time alone will have a dead group forgotten. */
export function forgettingTimes(
  kinds: GroupKinds,
  { retentionMs }: Pick<ForgettingTime, "retentionMs">,
): { readonly groupId: string; readonly dueMs: number }[] {
  return [...kinds.group.allCommitted()]
    .filter((group) => group.isDead && !isLeft(group, kinds))
    .map(({ groupId, emptySinceMs }) => ({ groupId, dueMs: (emptySinceMs ?? 0) + retentionMs }));
}
