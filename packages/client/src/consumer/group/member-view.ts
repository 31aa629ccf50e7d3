/** What a coordinator says to a member, in the SDK's terms. */
import type { ResponseFields } from "@minikafka/protocol";
import type { TopicPartition } from "../../topic-partition.ts";

/** A partition, and which topic of that name it is of: one that was made anew has other records. */
export interface AssignedPlace extends TopicPartition {
  readonly topicId: string;
}

/** What the coordinator says to a member. */
export interface MemberView {
  readonly generation: number;
  /** The generation that began with this membership. */
  readonly memberSince: number;
  /** What the member may own now. */
  readonly assignment: readonly AssignedPlace[];
  /** What it gets when others have let go. */
  readonly pending: readonly AssignedPlace[];
}

export type MemberFields = ResponseFields<"heartbeat">;

export function memberView(answer: MemberFields): MemberView {
  const { generation, member_since: memberSince, assignment, pending } = answer;
  return {
    generation,
    memberSince,
    assignment: assignment.map(assignedPlace),
    pending: pending.map(assignedPlace),
  };
}

function assignedPlace({ topic, partition, topic_id: topicId }: MemberFields["pending"][number]) {
  return { topic, partition, topicId };
}
