/**
 * A classic group as a value: the members assign among themselves, and the coordinator holds them together (Kafka: ClassicGroup,
 * ClassicGroupMember). It is never changed: a change is another value (transitions.ts).
 *
 * What holds of every one (classicProblem() says what does not):
 * - a group without members has no protocol and no leader, and one with members has a protocol type;
 * - who leads is a member, each instance id is one member's, and nobody waits for what its state does not answer;
 * - while a generation is being completed or lasts, all members support its protocol.
 */
import type { LastRebalance } from "../group-state.ts";

/** Kafka's ClassicGroupState: Dead, Empty, PreparingRebalance, CompletingRebalance, Stable. */
export const CLASSIC_STATES = [
  "dead",
  "empty",
  "preparing_rebalance",
  "completing_rebalance",
  "stable",
] as const;
export type ClassicState = (typeof CLASSIC_STATES)[number];

/** A way to share partitions out, and what the member says for it: bytes that only members understand. */
export interface MemberProtocol {
  readonly name: string;
  readonly metadata: Buffer;
}

export interface ClassicMember {
  readonly memberId: string;
  /** Of a static member (KIP-345). */
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** In the order in which the member likes them best. */
  readonly protocols: readonly MemberProtocol[];
  /** Of the generation; empty before the leader has assigned. While the next one is prepared, that of the one before. */
  readonly assignment: Buffer;
  /** Nobody has told it that it is a member. */
  readonly isNew: boolean;
  /** Which answer its parked request waits for. */
  readonly waitsFor: "join" | "sync" | null;
  /** It has asked for its assignment in this generation. */
  readonly hasSynced: boolean;
}

/** An id that was given and not yet joined with (KIP-394). */
export interface PendingId {
  readonly sessionTimeoutMs: number;
  /** On the monotonic clock. */
  readonly dueMs: number;
}

/** What has a time limit for all: that members join, or that they ask for what they were assigned. */
export interface Phase {
  /** Why the rebalance began, in plain words. */
  readonly reason: string;
  /** Since when, on the clock of the day. */
  readonly beganAtMs: number;
  /** On the monotonic clock. */
  readonly dueMs: number;
  /** The first rebalance of a group that had no members waits for more of them (KIP-134). */
  readonly initial: { readonly remainingMs: number; readonly hasNewMember: boolean } | null;
}

export interface ClassicGroup {
  readonly groupId: string;
  readonly state: ClassicState;
  /** 0 before the first. It never goes back, also not when the group is deleted or was of the other kind in between. */
  readonly generation: number;
  readonly protocolType: string | null;
  /** The one that the members of this generation go by. */
  readonly protocol: string | null;
  readonly leaderId: string | null;
  /** In the order in which they came. */
  readonly members: ReadonlyMap<string, ClassicMember>;
  readonly pendingIds: ReadonlyMap<string, PendingId>;
  readonly phase: Phase | null;
  /** Since when there is no member that was told so, on the clock of the day. */
  readonly emptySinceMs: number | null;
  readonly lastRebalance: LastRebalance | null;
}

export const NO_ASSIGNMENT = Buffer.alloc(0);

/** What nobody has heard of yet, or not since generation `generation`. */
export function deadClassicGroup(groupId: string, generation = 0): ClassicGroup {
  return {
    groupId,
    state: "dead",
    generation,
    protocolType: null,
    protocol: null,
    leaderId: null,
    members: new Map(),
    pendingIds: new Map(),
    phase: null,
    emptySinceMs: 0,
    lastRebalance: null,
  };
}

/** The static member of that instance. */
export function instanceIn({ members }: ClassicGroup, instanceId: string): ClassicMember | undefined {
  for (const member of members.values()) if (member.instanceId === instanceId) return member;
  return undefined;
}

/** How long members may take to join, and to ask for what they were assigned: as long as the slowest. */
export function rebalanceTimeoutOf({ members }: ClassicGroup): number {
  return Math.max(0, ...Array.from(members.values(), ({ rebalanceTimeoutMs }) => rebalanceTimeoutMs));
}

export function isAnyoneTold({ members }: ClassicGroup): boolean {
  for (const { isNew } of members.values()) if (!isNew) return true;
  return false;
}

/** The sentence that says which rule of the head of this file is broken, or `null`. */
export function classicProblem(group: ClassicGroup): string | null {
  const { state, members, protocol, protocolType, leaderId } = group;
  const isRunning = state === "completing_rebalance" || state === "stable";
  if ((state === "dead" || state === "empty") && members.size > 0) return `it is ${state} and has members`;
  if (isRunning && members.size === 0) return `it is ${state} and has no members`;
  if (members.size > 0 && protocolType === null) return "it has members and no protocol type";
  if (isRunning !== (protocol !== null)) return `it is ${state} with the protocol ${protocol}`;
  if (leaderId !== null && !members.has(leaderId)) return `its leader ${leaderId} is no member`;
  if (isRunning && leaderId === null) return "it has no leader";
  const instances = new Set<string>();
  for (const member of members.values()) {
    const problem = memberProblem(group, member);
    if (problem !== null) return `the member ${member.memberId} ${problem}`;
    if (member.instanceId === null) continue;
    if (instances.has(member.instanceId)) return `the instance ${member.instanceId} is two members`;
    instances.add(member.instanceId);
  }
  return null;
}

function memberProblem(
  { state, protocol }: ClassicGroup,
  { protocols, waitsFor, assignment }: ClassicMember,
): string | null {
  if (protocols.length === 0) return "supports no protocol";
  if (protocol !== null && !protocols.some(({ name }) => name === protocol))
    return `does not support ${protocol}`;
  const answered = { preparing_rebalance: "join", completing_rebalance: "sync" } as const;
  const possible =
    state === "preparing_rebalance" || state === "completing_rebalance" ? answered[state] : null;
  if (waitsFor !== null && waitsFor !== possible)
    return `waits for a ${waitsFor} while the group is ${state}`;
  if (assignment.length > 0 && state === "completing_rebalance")
    return "has an assignment before it is given one";
  return null;
}
