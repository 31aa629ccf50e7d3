/**
 * The two halves of a rebalance: members are to join again, and the next generation begins. Pure.
 *
 * A generation begins when everybody has joined, or when the time for that is over: who has not joined by then is no member any
 * more, but for static members, which keep their place (KIP-345).
 */
import type { BrokerError } from "../../errors.ts";
import type { Expiry } from "../group-events.ts";
import type { Joined, Outcome, Reply } from "./classic-events.ts";
import { rebalancing } from "./classic-refusals.ts";
import {
  type ClassicGroup,
  type ClassicMember,
  NO_ASSIGNMENT,
  type Phase,
  rebalanceTimeoutOf,
} from "./classic-state.ts";
import { chosenProtocol, metadataFor } from "./protocol-choice.ts";

/** What a change of a group depends on beside the group. */
export interface ClassicWorld {
  /** The time of day. */
  readonly nowMs: number;
  readonly monotonicMs: number;
  /** Kafka: group.initial.rebalance.delay.ms (KIP-134). */
  readonly initialDelayMs: number;
  /** Kafka: group.max.size. */
  readonly sizeMax: number;
}

export function unchanged(group: ClassicGroup): Outcome {
  return { group, replies: [], removed: [] };
}

export function adding(before: Outcome, after: Outcome): Outcome {
  const replies = [...before.replies, ...after.replies];
  return { group: after.group, replies, removed: [...before.removed, ...after.removed] };
}

/** The group with `member` as it is now, in its place or as the last one. */
export function withMember(group: ClassicGroup, member: ClassicMember): ClassicGroup {
  return { ...group, members: new Map(group.members).set(member.memberId, member) };
}

/** The group without those members and ids. The first of those who stay leads where the leader goes. */
export function without(group: ClassicGroup, gone: Iterable<string>): ClassicGroup {
  const [members, pendingIds] = [new Map(group.members), new Map(group.pendingIds)];
  for (const memberId of gone) {
    members.delete(memberId);
    pendingIds.delete(memberId);
  }
  const { leaderId } = group;
  const isLed = leaderId !== null && members.has(leaderId);
  return { ...group, members, pendingIds, leaderId: isLed ? leaderId : (firstOf(members)?.memberId ?? null) };
}

/** What is to be told to the member's request that waits, if one does. */
export function refusing({ memberId, waitsFor: to }: ClassicMember, refusal: BrokerError): Reply[] {
  return to === null ? [] : [{ to, memberId, refusal }];
}

/** Members that have not come in the time that a rebalance may take. */
export function late(members: readonly ClassicMember[]): Expiry[] {
  return members.map(({ memberId, rebalanceTimeoutMs: timeoutMs }) => {
    return { memberId, cause: "rebalance_timeout", timeoutMs };
  });
}

/** From here on everybody is to join, also who waits for an assignment. Kafka: prepareRebalance. */
export function prepare(group: ClassicGroup, reason: string, world: ClassicWorld): Outcome {
  const isInitial = group.state === "empty" || group.state === "dead";
  const replies = [...group.members.values()].flatMap((member) =>
    member.waitsFor === "sync" ? refusing(member, rebalancing(group)) : [],
  );
  const members = mapped(group, (member) => ({
    ...member,
    waitsFor: member.waitsFor === "sync" ? null : member.waitsFor,
    hasSynced: false,
  }));
  const preparing: ClassicGroup = {
    ...group,
    members,
    state: "preparing_rebalance",
    protocol: null,
    phase: phaseOf(group, { reason, isInitial }, world),
  };
  // Kafka: the first rebalance ends with its delay, whoever has been given an id and not come with it.
  const isOver = isInitial && world.initialDelayMs === 0;
  const after = isOver ? complete(preparing, world) : completeIfJoined(preparing, world);
  return adding({ group: preparing, replies, removed: [] }, after);
}

function phaseOf(
  group: ClassicGroup,
  { reason, isInitial }: { readonly reason: string; readonly isInitial: boolean },
  { nowMs: beganAtMs, monotonicMs, initialDelayMs }: ClassicWorld,
): Phase {
  const timeoutMs = rebalanceTimeoutOf(group);
  const began = { reason, beganAtMs };
  if (!isInitial || initialDelayMs === 0) return { ...began, dueMs: monotonicMs + timeoutMs, initial: null };
  const remainingMs = Math.max(timeoutMs - initialDelayMs, 0);
  return { ...began, dueMs: monotonicMs + initialDelayMs, initial: { remainingMs, hasNewMember: false } };
}

/** The next generation, if nobody is waited for any more. Kafka: maybeCompleteJoinPhase. */
export function completeIfJoined(group: ClassicGroup, world: ClassicWorld): Outcome {
  const { state, phase, members, pendingIds } = group;
  if (state !== "preparing_rebalance") return unchanged(group);
  if (members.size === 0) return complete(group, world);
  if (phase?.initial != null || pendingIds.size > 0) return unchanged(group);
  for (const { waitsFor } of members.values()) if (waitsFor !== "join") return unchanged(group);
  return complete(group, world);
}

/** The time for joining is over, or everybody has. Kafka: completeClassicGroupJoin. */
export function complete(group: ClassicGroup, world: ClassicWorld): Outcome {
  const isLate = ({ waitsFor, instanceId }: ClassicMember) => waitsFor !== "join" && instanceId === null;
  const removed = late([...group.members.values()].filter(isLate));
  const staying = without(
    group,
    removed.map(({ memberId }) => memberId),
  );
  const joined = [...staying.members.values()].filter(({ waitsFor }) => waitsFor === "join");
  if (staying.members.size > 0 && joined.length === 0) return { ...postponed(staying, world), removed };
  const isLed = joined.some(({ memberId }) => memberId === staying.leaderId);
  const leaderId = isLed ? staying.leaderId : (joined[0]?.memberId ?? null);
  const next = nextGeneration({ ...staying, leaderId }, world);
  const replies = joined.map(({ memberId }): Reply => {
    return { to: "join", memberId, joined: joinedView(next, memberId) };
  });
  return { group: next, replies, removed };
}

/** Static members alone are left, and none of them has come: their sessions decide. */
function postponed(group: ClassicGroup, { nowMs, monotonicMs }: ClassicWorld): Outcome {
  const { reason, beganAtMs } = group.phase ?? { reason: "nobody has joined", beganAtMs: nowMs };
  const phase = { reason, beganAtMs, dueMs: monotonicMs + rebalanceTimeoutOf(group), initial: null };
  return unchanged({ ...group, phase });
}

function nextGeneration(group: ClassicGroup, { nowMs, monotonicMs }: ClassicWorld): ClassicGroup {
  const generation = group.generation + 1;
  const reason = group.phase?.reason ?? "its members have joined";
  const lastRebalance = { generation, reason, atMs: nowMs };
  if (group.members.size === 0)
    return { ...group, generation, lastRebalance, state: "empty", protocol: null, phase: null };
  const members = mapped(group, (member) => ({
    ...member,
    assignment: NO_ASSIGNMENT,
    isNew: false,
    waitsFor: null,
    hasSynced: false,
  }));
  return {
    ...group,
    members,
    generation,
    lastRebalance,
    state: "completing_rebalance",
    protocol: chosenProtocol(group),
    phase: { reason, beganAtMs: nowMs, dueMs: monotonicMs + rebalanceTimeoutOf(group), initial: null },
  };
}

/** What `memberId` is told of the generation that it is in. */
export function joinedView(
  { generation, protocol, protocolType, leaderId, members }: ClassicGroup,
  memberId: string,
): Joined {
  const isLeader = memberId === leaderId;
  return {
    memberId,
    generation,
    protocolType: protocolType ?? "",
    protocolName: protocol ?? "",
    leader: leaderId ?? "",
    skipAssignment: false,
    members: isLeader
      ? Array.from(members.values(), (member) => ({
          memberId: member.memberId,
          groupInstanceId: member.instanceId,
          metadata: metadataFor(member, protocol),
        }))
      : [],
  };
}

export function mapped(
  { members }: ClassicGroup,
  change: (member: ClassicMember) => ClassicMember,
): ReadonlyMap<string, ClassicMember> {
  return new Map(Array.from(members, ([memberId, member]) => [memberId, change(member)]));
}

function firstOf(members: ReadonlyMap<string, ClassicMember>): ClassicMember | undefined {
  const [first] = members.values();
  return first;
}
