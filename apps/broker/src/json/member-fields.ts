/** What the members of groups are told. */
import type { BrokerCluster } from "@minikafka/core";

type MemberView = Awaited<ReturnType<BrokerCluster["groups"]["heartbeat"]>>;

export interface PlaceFields {
  readonly topic: string;
  readonly partition: number;
}

export function placeFields(places: readonly PlaceFields[]): PlaceFields[] {
  return places.map(({ topic, partition }) => ({ topic, partition }));
}

function assignedFields(places: MemberView["assignment"]) {
  return places.map(({ topic, partition, topicId }) => ({ topic, partition, topic_id: topicId }));
}

/** Every answer to a member. */
export function memberFields({ generation, memberSince, assignment, pending }: MemberView) {
  const shares = { assignment: assignedFields(assignment), pending: assignedFields(pending) };
  return { generation, member_since: memberSince, ...shares };
}
