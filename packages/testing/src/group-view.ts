/** A group as it is in this instant: who is in it, and how far it has read. */
import type { BrokerCluster, GroupDescription } from "@minikafka/core";

type Place = GroupDescription["members"][number]["assignment"][number];

/** A partition that the group has committed to, or that a member has or waits for. */
export interface GroupPartition extends Place {
  /** Where the group goes on reading; `null` when it has committed nothing. */
  readonly committedOffset: number | null;
  /** The end of what a consumer may read; `null` when nobody leads. */
  readonly endOffset: number | null;
  /** `null` when one of the two is, and when what is committed lies behind the end. */
  readonly lag: number | null;
  /** Who has it; `null` when nobody has. */
  readonly memberId: string | null;
}

/** A group as it is in this instant, with how far it is in each partition. */
export interface GroupView extends GroupDescription {
  /** By topic and number. */
  readonly partitions: readonly GroupPartition[];
}

/** `null` where there is no such group. */
export function groupView(cluster: BrokerCluster, groupId: string): GroupView | null {
  const { group, committed } = cluster.groups.describeNow(groupId);
  if (group === null) return null;
  const places = new Map<string, Place>();
  const add = ({ topic, partition }: Place) => places.set(keyOf({ topic, partition }), { topic, partition });
  const owners = new Map<string, string>();
  const offsets = new Map(committed.map((one) => [keyOf(one), one.offset]));
  committed.forEach(add);
  for (const { memberId, assignment, revoking, pending } of group.members) {
    for (const place of [...assignment, ...revoking, ...pending]) add(place);
    for (const place of [...assignment, ...revoking]) owners.set(keyOf(place), memberId);
  }
  const partitions = [...places.values()].sort(byPlace).map((place): GroupPartition => {
    const committedOffset = offsets.get(keyOf(place)) ?? null;
    const endOffset = endOf(cluster, place);
    const lag =
      committedOffset === null || endOffset === null || committedOffset > endOffset
        ? null
        : endOffset - committedOffset;
    return { ...place, committedOffset, endOffset, lag, memberId: owners.get(keyOf(place)) ?? null };
  });
  return { ...group, partitions };
}

function endOf(cluster: BrokerCluster, place: Place): number | null {
  if (!cluster.hasTopic(place.topic)) return null;
  const { partitions } = cluster.describeTopic(place.topic);
  if (place.partition >= partitions) return null;
  const set = cluster.replicaSet(place);
  return set.isOnline ? set.visibleEnd() : null;
}

function keyOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}

function byPlace(one: Place, other: Place): number {
  if (one.topic !== other.topic) return one.topic < other.topic ? -1 : 1;
  return one.partition - other.partition;
}
