/** How the leader's assignment comes to the members, and how members show that they live (Kafka: classicGroupSync, classicGroupHeartbeat). Pure. */
import type { ClassicEventOf, Outcome, Reply, Synced } from "./classic-events.ts";
import {
  illegalClassicGeneration,
  inconsistentProtocol,
  rebalancing,
  requireClassicMember,
} from "./classic-refusals.ts";
import { type ClassicGroup, type ClassicMember, NO_ASSIGNMENT } from "./classic-state.ts";
import { mapped, unchanged, withMember } from "./rebalancing.ts";

/** The leader's sync makes the group stable; others wait for it. Who is not in the leader's list has nothing. */
export function sync(group: ClassicGroup, event: ClassicEventOf<"sync">): Outcome {
  const member = requireInGeneration(group, event);
  requireSameProtocol(group, event);
  const { memberId, assignments } = event;
  const waiting = withMember(group, { ...member, waitsFor: "sync", hasSynced: true });
  if (memberId !== group.leaderId) return unchanged(waiting);
  const members = mapped(waiting, (each) => ({
    ...each,
    assignment: assignments.get(each.memberId) ?? NO_ASSIGNMENT,
    waitsFor: null,
  }));
  const stable = settled({ ...waiting, members, state: "stable" });
  const replies = [...waiting.members.values()].flatMap((each): Reply[] =>
    each.waitsFor === "sync" ? [syncReply(stable, each.memberId)] : [],
  );
  return { group: stable, replies, removed: [] };
}

/** A member that comes late, or asks again, has what the leader gave it. */
export function syncAgain(group: ClassicGroup, event: ClassicEventOf<"sync">): Outcome {
  const member = requireInGeneration(group, event);
  requireSameProtocol(group, event);
  const after = member.hasSynced ? group : settled(withMember(group, { ...member, hasSynced: true }));
  return { group: after, replies: [syncReply(group, member.memberId)], removed: [] };
}

/** Too early: members have to join first. */
export function syncTooEarly(group: ClassicGroup, event: ClassicEventOf<"sync">): never {
  requireInGeneration(group, event);
  requireSameProtocol(group, event);
  throw rebalancing(group);
}

export function heartbeat(group: ClassicGroup, event: ClassicEventOf<"heartbeat">): Outcome {
  requireInGeneration(group, event);
  return unchanged(group);
}

/** The answer says that the member is to join again; it lives all the same. */
export function heartbeatWhileJoining(group: ClassicGroup, event: ClassicEventOf<"heartbeat">): never {
  requireInGeneration(group, event);
  throw rebalancing(group);
}

/** Throws UNKNOWN_MEMBER, FENCED_INSTANCE_ID, ILLEGAL_GENERATION. */
export function requireInGeneration(
  group: ClassicGroup,
  asking: { readonly memberId: string; readonly instanceId: string | null; readonly generation: number },
): ClassicMember {
  const member = requireClassicMember(group, asking);
  if (asking.generation !== group.generation) throw illegalClassicGeneration(group, asking.generation);
  return member;
}

function requireSameProtocol(group: ClassicGroup, { protocolType, protocol }: ClassicEventOf<"sync">): void {
  const isOther = (said: string | null, is: string | null) => said !== null && is !== null && said !== is;
  if (!isOther(protocolType, group.protocolType) && !isOther(protocol, group.protocol)) return;
  const names = protocol === null ? [] : [protocol];
  throw inconsistentProtocol(group, { protocolType: protocolType ?? group.protocolType ?? "", names });
}

/** Nobody is waited for any more once everybody has asked for its assignment. */
function settled(group: ClassicGroup): ClassicGroup {
  for (const { hasSynced } of group.members.values()) if (!hasSynced) return group;
  return { ...group, phase: null };
}

function syncReply({ members, protocolType, protocol }: ClassicGroup, memberId: string): Reply {
  const synced: Synced = {
    protocolType: protocolType ?? "",
    protocolName: protocol ?? "",
    assignment: members.get(memberId)?.assignment ?? NO_ASSIGNMENT,
  };
  return { to: "sync", memberId, synced };
}
