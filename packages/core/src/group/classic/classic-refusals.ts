/** What a classic group refuses, in words. */
import { BrokerError } from "../../errors.ts";
import { quoted } from "../../quoted.ts";
import { countedMembers, unknownMember } from "../group-refusals.ts";
import { type ClassicGroup, type ClassicMember, instanceIn } from "./classic-state.ts";

type Named = Pick<ClassicGroup, "groupId">;

export function memberIdRequired({ groupId }: Named, memberId: string): BrokerError {
  const message = `a member of the group ${quoted(groupId)} has no id yet; expected the one that it is given now, ${quoted(memberId)}`;
  return new BrokerError("MEMBER_ID_REQUIRED", message, { member_id: memberId });
}

export function fencedInstance({ groupId }: Named, memberId: string, instanceId: string): BrokerError {
  const message = `the instance ${quoted(instanceId)} of the group ${quoted(groupId)} is another member than ${quoted(memberId)} by now`;
  return new BrokerError("FENCED_INSTANCE_ID", message);
}

export function rebalancing({ groupId, generation }: ClassicGroup): BrokerError {
  const message = `the group ${quoted(groupId)} is rebalancing after generation ${generation}; expected its members to join again`;
  return new BrokerError("REBALANCE_IN_PROGRESS", message, { generation });
}

export function illegalClassicGeneration({ groupId, generation }: ClassicGroup, seen: number): BrokerError {
  const message = `generation ${seen} of the group ${quoted(groupId)}; expected its current one, ${generation}`;
  return new BrokerError("ILLEGAL_GENERATION", message, { generation });
}

export function inconsistentProtocol(
  group: ClassicGroup,
  { protocolType, names }: { readonly protocolType: string; readonly names: readonly string[] },
): BrokerError {
  const asked = `protocol type ${quoted(protocolType)} with ${names.map((name) => quoted(name)).join(", ") || "no protocol"}`;
  const expected =
    group.members.size === 0
      ? "a protocol type and a protocol"
      : `type ${quoted(group.protocolType ?? "")} and a protocol of all of its ${countedMembers(group.members.size)}`;
  const message = `a member of the group ${quoted(group.groupId)} asks for ${asked}; expected ${expected}`;
  return new BrokerError("INCONSISTENT_GROUP_PROTOCOL", message);
}

/** It is of the other kind, and has members. */
export function otherKind(groupId: string, kind: "classic" | "consumer"): BrokerError {
  const other = kind === "classic" ? "consumer" : "classic";
  const message = `the group ${quoted(groupId)} is a ${kind} group with members; expected none, or a ${other} group`;
  return new BrokerError("INCONSISTENT_GROUP_PROTOCOL", message, { type: kind });
}

export function groupFull({ groupId, members }: ClassicGroup, sizeMax: number): BrokerError {
  const message = `the group ${quoted(groupId)} has ${countedMembers(members.size)}; expected at most ${sizeMax}`;
  return new BrokerError("GROUP_MAX_SIZE_REACHED", message, { members: members.size });
}

/**
 * The member of that id. Throws UNKNOWN_MEMBER, and FENCED_INSTANCE_ID when its instance is another member by now (KIP-345).
 * Kafka: ClassicGroup.validateMember.
 */
export function requireClassicMember(
  group: ClassicGroup,
  { memberId, instanceId }: { readonly memberId: string; readonly instanceId: string | null },
): ClassicMember {
  if (instanceId !== null) {
    const now = instanceIn(group, instanceId);
    if (now === undefined) throw unknownMember(group, memberId);
    if (now.memberId !== memberId) throw fencedInstance(group, memberId, instanceId);
  }
  const member = group.members.get(memberId);
  if (member === undefined) throw unknownMember(group, memberId);
  return member;
}
