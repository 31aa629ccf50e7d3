/** What a group refuses, in words. */
import { BrokerError } from "../errors.ts";
import { quoted } from "../quoted.ts";
import { partitionName, type TopicPartition } from "../replica/topic-partition.ts";
import type { Group } from "./group-state.ts";

/** A group of either kind. */
interface Peopled {
  readonly groupId: string;
  readonly members: { readonly size: number };
}

export function countedMembers(members: number): string {
  return members === 1 ? "1 member" : `${members} members`;
}

export function unknownGroup(groupId: string): BrokerError {
  return new BrokerError("UNKNOWN_GROUP", `there is no group ${quoted(groupId)}`);
}

export function unknownMember({ groupId, members }: Peopled, memberId: string): BrokerError {
  const message = `the group ${quoted(groupId)} has no member ${quoted(memberId)}; it may have left or be expired, and may join again`;
  return new BrokerError("UNKNOWN_MEMBER", message, { members: members.size });
}

/** Older or newer: a newer one was never given by this group. */
export function illegalGeneration({ groupId, generation }: Group, seen: number): BrokerError {
  const message = `generation ${seen} of the group ${quoted(groupId)}; expected its current one, ${generation}`;
  return new BrokerError("ILLEGAL_GENERATION", message, { generation });
}

/** The member's offsets are those of another topic than the one that is called so now. */
export function generationOver({ groupId, generation }: Group, topic: string): BrokerError {
  const message = `the topic ${quoted(topic)} was made anew, so that generation ${generation} of the group ${quoted(groupId)} is over; expected the next one`;
  return new BrokerError("ILLEGAL_GENERATION", message, { generation });
}

export function notPartitionOwner({ groupId }: Group, memberId: string, place: TopicPartition): BrokerError {
  const { topic, partition } = place;
  const message = `the member ${quoted(memberId)} of the group ${quoted(groupId)} does not own ${partitionName(place)}`;
  return new BrokerError("NOT_PARTITION_OWNER", message, { topic, partition });
}

export function otherAssignor({ groupId, assignor, members }: Group, asked: string): BrokerError {
  const message = `the assignor is ${asked}; expected ${assignor}, as the group ${quoted(groupId)} of ${members.size} uses it`;
  return new BrokerError("INCONSISTENT_GROUP_PROTOCOL", message, { assignor });
}

export function groupNotEmpty({ groupId, members }: Peopled): BrokerError {
  const message = `the group ${quoted(groupId)} has ${countedMembers(members.size)}; expected none`;
  return new BrokerError("GROUP_NOT_EMPTY", message, { members: members.size });
}

/** Its offsets would come back with the transaction's commit. */
export function groupInTransaction(groupId: string): BrokerError {
  const message = `a transaction that is open has offsets of the group ${quoted(groupId)}; expected none: try again when it has ended`;
  return new BrokerError("CONCURRENT_TRANSACTIONS", message);
}

/** Kafka answers the same (KIP-848); who commits without being a member would move the members' offsets. */
export function notAMember({ groupId, members }: Peopled): BrokerError {
  const message = `the group ${quoted(groupId)} has ${countedMembers(members.size)}, and none was named; expected a member of the group, with its generation, or a group without members`;
  return new BrokerError("UNKNOWN_MEMBER", message, { members: members.size });
}

export function groupTooLarge(message: string): BrokerError {
  return new BrokerError("GROUP_MAX_SIZE_REACHED", message);
}
