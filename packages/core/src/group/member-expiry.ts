/**
 * Members whose time is over, and groups whose topics are others than they were: found by a step, since the kernel has no timer.
 */
import type { CoordinatorShard } from "../coordinator/coordinator-shard.ts";
import type { Wait } from "../coordinator/give-up.ts";
import { BrokerError } from "../errors.ts";
import type { ClassicChanges } from "./classic/classic-changes.ts";
import { duesIn, expireClassic } from "./classic/classic-expiry.ts";
import type { GroupChanges } from "./group-changes.ts";
import type { ExpiredMember, Expiry, Rebalanced } from "./group-events.ts";
import type { GroupKinds } from "./group-kinds.ts";
import type { Group } from "./group-state.ts";
import { topicChange } from "./rebalance.ts";

/** What a look for members whose time is over has done. */
export interface TendedMembers {
  readonly expired: readonly ExpiredMember[];
  /** Groups that lost nobody, and go on otherwise than before. */
  readonly rebalanced: readonly Rebalanced[];
}

/** By kind of group. */
export interface KindsOfChanges {
  readonly consumer: GroupChanges;
  readonly classic: ClassicChanges;
}

/**
 * Ends the membership of who is too late, and begins a generation where topics have changed; resolves with what it did once
 * that is acknowledged. A partition of the internal topic that nobody leads has no sessions, and is passed over; another problem
 * of one is told after all were tried. Kafka: session expiry by the coordinator's timer.
 */
export async function expireMembers(changes: KindsOfChanges, wait: Wait = {}): Promise<TendedMembers> {
  const { topic } = changes.consumer.parts;
  const results = await Promise.allSettled(
    topic.shards().map((shard) => expireInShard(changes, shard, wait)),
  );
  const problems = results.flatMap((result): unknown[] =>
    result.status === "rejected" ? [result.reason] : [],
  );
  const isNews = (problem: unknown) =>
    !(problem instanceof BrokerError && problem.code === "LEADER_NOT_AVAILABLE");
  const problem = problems.find(isNews);
  if (problem !== undefined) throw problem;
  return together(results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
}

function together(parts: readonly TendedMembers[]): TendedMembers {
  return {
    expired: parts.flatMap(({ expired }) => expired),
    rebalanced: parts.flatMap(({ rebalanced }) => rebalanced),
  };
}

/** Its groups are written to all at once, and wait for one another's disk and followers. */
async function expireInShard(
  { consumer, classic }: KindsOfChanges,
  shard: CoordinatorShard<GroupKinds>,
  wait: Wait,
): Promise<TendedMembers> {
  const { groupIds, classicIds } = await groupsToLookAt(consumer, shard, wait);
  const tended = [
    ...groupIds.map((groupId) => expireIn(consumer, { shard, groupId }, wait)),
    ...classicIds.map((groupId) => expireClassic(classic, { shard, groupId }, wait)),
  ];
  await Promise.allSettled(tended);
  return together(await Promise.all(tended));
}

function groupsToLookAt(
  { parts }: GroupChanges,
  shard: CoordinatorShard<GroupKinds>,
  wait: Wait,
): Promise<{ readonly groupIds: readonly string[]; readonly classicIds: readonly string[] }> {
  return shard.read((kinds) => {
    const { group: keeper } = kinds;
    const isDue = (group: Group) =>
      keeper.sessions.overdue(group).length > 0 || topicChange(group, parts) !== null;
    const groupIds = [...keeper.committedWithMembers()].filter(isDue).map(({ groupId }) => groupId);
    return { groupIds, classicIds: duesIn(kinds) };
  }, wait);
}

function expireIn(
  changes: GroupChanges,
  { shard, groupId }: { readonly shard: CoordinatorShard<GroupKinds>; readonly groupId: string },
  wait: Wait,
): Promise<TendedMembers> {
  // What was overdue when it was looked for may have been heard of since.
  let overdue: readonly Expiry[] = [];
  let before: Group | null = null;
  return changes.act(
    groupId,
    {
      event: (group, kinds) => {
        before ??= group;
        overdue = kinds.group.sessions.overdue(group);
        return overdue.length === 0 ? null : { kind: "expire", expired: overdue };
      },
      answer: (group) => ({
        expired: overdue.map(({ memberId, cause }) => ({ groupId, memberId, cause })),
        rebalanced: overdue.length > 0 ? [] : rebalancedFrom(before, group, changes),
      }),
      whileClassic: () => ({ expired: [], rebalanced: [] }),
    },
    { ...wait, at: shard },
  );
}

function rebalancedFrom(
  before: Group | null,
  { groupId, generation }: Group,
  { parts }: GroupChanges,
): Rebalanced[] {
  const reason = before === null || before.generation === generation ? null : topicChange(before, parts);
  return reason === null ? [] : [{ groupId, reason }];
}
