/**
 * Members whose time is over, and groups whose topics are others than they were: found by a step, since the kernel has no timer.
 */
import type { CoordinatorShard } from "../coordinator/coordinator-shard.ts";
import { BrokerError } from "../errors.ts";
import type { GroupChanges } from "./group-changes.ts";
import type { Expiry, ExpiryCause } from "./group-events.ts";
import type { GroupKinds } from "./group-kinds.ts";
import type { Group } from "./group-state.ts";
import { topicChange } from "./rebalance.ts";

export interface ExpiredMember {
  readonly groupId: string;
  readonly memberId: string;
  readonly cause: ExpiryCause;
}

/**
 * Ends the membership of who is too late, and begins a generation where topics have changed; resolves with who was expired once
 * that is acknowledged. A partition of the internal topic that nobody leads has no sessions, and is passed over; another problem
 * of one is told after all were tried. Kafka: session expiry by the coordinator's timer.
 */
export async function expireMembers(changes: GroupChanges): Promise<ExpiredMember[]> {
  const expired: ExpiredMember[] = [];
  const problems: BrokerError[] = [];
  for (const shard of changes.parts.topic.shards()) {
    try {
      for (const groupId of await groupsToLookAt(changes, shard))
        expired.push(...(await expireIn(changes, shard, groupId)));
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
      if (problem.code !== "LEADER_NOT_AVAILABLE") problems.push(problem);
    }
  }
  if (problems[0] !== undefined) throw problems[0];
  return expired;
}

function groupsToLookAt({ parts }: GroupChanges, shard: CoordinatorShard<GroupKinds>): Promise<string[]> {
  return shard.read(({ group: keeper }) => {
    const isDue = (group: Group) =>
      keeper.sessions.overdue(group).length > 0 || topicChange(group, parts) !== null;
    return [...keeper.committedWithMembers()].filter(isDue).map(({ groupId }) => groupId);
  });
}

function expireIn(
  changes: GroupChanges,
  shard: CoordinatorShard<GroupKinds>,
  groupId: string,
): Promise<ExpiredMember[]> {
  // What was overdue when it was looked for may have been heard of since.
  let overdue: readonly Expiry[] = [];
  return changes.act(
    groupId,
    {
      event: (group, kinds) => {
        overdue = kinds.group.sessions.overdue(group);
        return overdue.length === 0 ? null : { kind: "expire", expired: overdue };
      },
      answer: () => overdue.map(({ memberId, cause }) => ({ groupId, memberId, cause })),
    },
    { at: shard },
  );
}
