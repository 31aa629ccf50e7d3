/** What is shown of classic groups: what is acknowledged, and who waits beside it. */
import type { ClassicMemberFacts, GroupDescription, MemberDescription } from "../group-description.ts";
import type { GroupKinds } from "../group-kinds.ts";
import type { LastRebalance } from "../group-state.ts";
import { NO_PARTITIONS } from "../partition-sets.ts";
import type { ClassicRoom } from "./classic-keeper.ts";
import type { ClassicGroup, ClassicMember, ClassicState } from "./classic-state.ts";
import { assignedPartitions, CONSUMER_PROTOCOL_TYPE, subscribedTopics } from "./consumer-protocol.ts";
import { metadataFor } from "./protocol-choice.ts";

/** The classic group of that name as it may be shown, where there is one. */
export function shownClassic({ group: keeper }: GroupKinds, groupId: string): ShownClassic | null {
  const room = keeper.classic.room(groupId);
  if (room === undefined || !isShown(room)) return null;
  const { shown: group } = room;
  // A group without members may be of the other kind by now.
  if (group === null || (!room.isRecorded && group.members.size === 0)) return null;
  const state = group.state === "dead" ? "empty" : group.state;
  return { ...group, state, room };
}

export interface ShownClassic extends ClassicGroup {
  readonly state: Exclude<ClassicState, "dead">;
  readonly room: ClassicRoom;
}

function isShown({ isRecorded, shown }: ClassicRoom): boolean {
  return isRecorded || (shown !== null && shown.members.size > 0);
}

/** What a classic group's description has of its own. */
export function describeClassic(
  group: ShownClassic,
): Pick<GroupDescription, "state" | "generation" | "lastRebalance" | "classic" | "members"> {
  const { state, generation, protocol, protocolType, leaderId } = group;
  return {
    state,
    generation,
    lastRebalance: rebalanceOf(group),
    classic: { protocolType, protocol, leaderId },
    members: Array.from(group.members.values(), (member) => describeMember(group, member)),
  };
}

/** The one that is under way, before the one that is over: its generation is still to come. */
function rebalanceOf({ state, generation, phase, lastRebalance }: ShownClassic): LastRebalance | null {
  if (state !== "preparing_rebalance" || phase === null) return lastRebalance;
  return { generation: generation + 1, reason: phase.reason, atMs: phase.beganAtMs };
}

/** While a rebalance is prepared nobody has chosen, and what a member likes best is shown. */
function describeMember(group: ShownClassic, member: ClassicMember): MemberDescription {
  const { memberId, sessionTimeoutMs, rebalanceTimeoutMs, assignment, instanceId, clientId, clientHost } =
    member;
  const metadata = metadataFor(member, group.protocol ?? member.protocols[0]?.name ?? null);
  const isConsumer = group.protocolType === CONSUMER_PROTOCOL_TYPE;
  const classic: ClassicMemberFacts = { instanceId, clientId, clientHost, metadata, assignment };
  return {
    memberId,
    topics: (isConsumer ? subscribedTopics(metadata) : null) ?? [],
    sessionTimeoutMs,
    rebalanceTimeoutMs,
    heartbeatAgeMs: group.room.sessions.silenceMs(memberId),
    assignment: (isConsumer ? assignedPartitions(assignment) : null) ?? NO_PARTITIONS,
    pending: NO_PARTITIONS,
    revoking: NO_PARTITIONS,
    classic,
  };
}
