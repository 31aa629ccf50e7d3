/** What a look for members whose time is over would find in what is in memory now (member-expiry.ts). Changes nothing. */
import type { ExpiredMember, ExpiryCause, Rebalanced } from "./group-events.ts";
import { currentGroup, type GroupKinds } from "./group-kinds.ts";
import { type GroupWorld, topicChange } from "./rebalance.ts";

export interface ForetoldMembers {
  /** As the step would tell them. */
  readonly expired: readonly ExpiredMember[];
  readonly rebalanced: readonly Rebalanced[];
}

export interface MemberDeadline {
  readonly groupId: string;
  readonly memberId: string;
  readonly cause: ExpiryCause;
  /** From now on. */
  readonly leftMs: number;
}

/** What was acknowledged says which groups are looked at, and the newest state of each what happens. */
export function foretoldMembers(kinds: GroupKinds, world: Pick<GroupWorld, "topicOf">): ForetoldMembers {
  const expired: ExpiredMember[] = [];
  const rebalanced: Rebalanced[] = [];
  const { sessions } = kinds.group;
  for (const committed of kinds.group.committedWithMembers()) {
    if (sessions.overdue(committed).length === 0 && topicChange(committed, world) === null) continue;
    const { groupId } = committed;
    const group = currentGroup(kinds, groupId);
    const overdue = sessions.overdue(group);
    const reason = group.members.size === 0 ? null : topicChange(group, world);
    for (const { memberId, cause } of overdue) expired.push({ groupId, memberId, cause });
    if (overdue.length === 0 && reason !== null) rebalanced.push({ groupId, reason });
  }
  return { expired, rebalanced };
}

export function memberDeadlines(kinds: GroupKinds): MemberDeadline[] {
  return [...kinds.group.committedWithMembers()].flatMap(({ groupId, members }) =>
    kinds.group.sessions
      .leftMs(currentGroup(kinds, groupId))
      .filter(({ memberId }) => members.has(memberId))
      .map((each) => ({ groupId, ...each })),
  );
}
