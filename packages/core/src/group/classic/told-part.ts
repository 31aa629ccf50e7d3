/**
 * What of a classic group its members, or anybody else, may have been told: that is what survives a crash. Who joins and waits for
 * the answer, ids that were given (KIP-394), sessions and time limits are memory, and begin anew.
 */
import type { LastRebalance } from "../group-state.ts";
import type { ClassicGroup, ClassicMember, ClassicState } from "./classic-state.ts";

export interface ToldGroup {
  readonly groupId: string;
  readonly state: Exclude<ClassicState, "dead">;
  readonly generation: number;
  readonly protocolType: string | null;
  readonly protocol: string | null;
  readonly leaderId: string | null;
  readonly members: readonly ClassicMember[];
  readonly emptySinceMs: number | null;
  readonly lastRebalance: LastRebalance | null;
}

/** `null`: nobody was ever told of such a group. */
export function toldPart(group: ClassicGroup): ToldGroup | null {
  const { groupId, state, generation, leaderId, protocol, protocolType, emptySinceMs, lastRebalance } = group;
  const members = [...group.members.values()].filter(({ isNew }) => !isNew);
  if (state === "dead" || (members.length === 0 && generation === 0)) return null;
  const isLed = members.some(({ memberId }) => memberId === leaderId);
  return {
    groupId,
    state: members.length === 0 ? "empty" : state,
    generation,
    protocolType,
    protocol,
    leaderId: isLed ? leaderId : null,
    members,
    emptySinceMs,
    lastRebalance,
  };
}

/**
 * Whether both say the same to who was told. What members that join again say meanwhile belongs to the next generation, and is
 * told with it.
 */
export function isSameTold(one: ToldGroup | null, other: ToldGroup | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.state === other.state &&
    one.generation === other.generation &&
    one.leaderId === other.leaderId &&
    one.members.length === other.members.length &&
    one.members.every((member, index) => {
      const its = other.members[index];
      return its?.memberId === member.memberId && its.assignment === member.assignment;
    })
  );
}
