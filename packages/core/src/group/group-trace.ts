/** A change of a group, told as events with the numbers that caused it. Pure. */
import type { TraceEvent } from "../env/trace.ts";
import type { MemberShare } from "../env/trace-groups.ts";
import { partitionName } from "../replica/topic-partition.ts";
import type { GroupEvent } from "./group-events.ts";
import { assignmentOf, type Group, pendingOf, revokingOf, stateOf } from "./group-state.ts";
import { difference, type Partitions } from "./partition-sets.ts";
import type { RebalanceDial } from "./rebalance.ts";

export interface GroupChange {
  readonly before: Group;
  readonly after: Group;
  readonly event: GroupEvent;
}

/** In the order in which they are to be told. */
export function eventsOf(change: GroupChange, rebalance: RebalanceDial): TraceEvent[] {
  const { before, after } = change;
  const events = ofMembers(change);
  if (before.generation === after.generation || after.lastRebalance === null) return events;
  const { groupId, generation, lastRebalance } = after;
  const { reason } = lastRebalance;
  const started = { kind: "generation_started", groupId, generation, reason, rebalance } as const;
  return [...events, { ...started, state: stateOf(after), members: sharesOf(after) }];
}

function ofMembers({ before, after, event }: GroupChange): TraceEvent[] {
  const { groupId, generation } = after;
  const members = after.members.size;
  switch (event.kind) {
    case "join":
    case "resubscribe": {
      const { memberId, topics, assignor } = event;
      return [{ kind: "member_joined", groupId, memberId, generation, topics, assignor, members }];
    }
    case "leave":
      return [{ kind: "member_left", groupId, memberId: event.memberId, generation, members }];
    case "expire":
      return event.expired.map((expiry) => ({
        kind: "member_expired",
        groupId,
        generation,
        members,
        ...expiry,
      }));
    case "release": {
      const { memberId } = event;
      const had = before.members.get(memberId)?.assigned ?? [];
      const released = names(difference(had, after.members.get(memberId)?.assigned ?? []));
      const shares = { state: stateOf(after), members: sharesOf(after) };
      return [{ kind: "partitions_released", groupId, memberId, generation, released, ...shares }];
    }
    case "delete":
      return [{ kind: "group_deleted", groupId, generation }];
    default:
      return [];
  }
}

function sharesOf({ members }: Group): MemberShare[] {
  return [...members.values()].map((member) => ({
    memberId: member.memberId,
    assignment: names(assignmentOf(member)),
    pending: names(pendingOf(member)),
    revoking: names(revokingOf(member)),
  }));
}

function names(partitions: Partitions): string[] {
  return partitions.map(partitionName);
}
