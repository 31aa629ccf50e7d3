/** A cluster with topics to commit offsets of, and what its groups have committed, as text. */
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import type { NewOffset } from "../src/offsets/commit-request.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";
import { openCluster } from "./cluster-world.ts";
import type { World } from "./world.ts";

export const OFFSETS_TOPIC = "__consumer_offsets";

/** One partition of the internal topic, so that all groups lie in one log. */
export async function openOffsets(world: World, config: Partial<ClusterConfig> = {}): Promise<BrokerCluster> {
  const cluster = await openCluster(world, { offsetsTopicPartitions: 1, ...config });
  if (!cluster.hasTopic("orders")) cluster.createTopic({ topic: "orders", partitions: 4 });
  return cluster;
}

/** `orders:2=17`: offset 17 of partition 2; with a note behind a blank. */
export function offsetOf(text: string): NewOffset {
  const [, topic = "", partition = "", offset = "", metadata] =
    /^([^:]+):(\d+)=(\d+)(?: (.*))?$/.exec(text) ?? [];
  return { topic, partition: Number(partition), offset: Number(offset), metadata: metadata ?? null };
}

/** Commits as a consumer that is no member. */
export function commit(cluster: BrokerCluster, groupId: string, ...offsets: string[]): Promise<void> {
  return cluster.groups.commit({ groupId, member: null, offsets: offsets.map(offsetOf) });
}

/** What the group has committed, in the same form; "-" for nothing. */
export async function committed(
  cluster: BrokerCluster,
  groupId: string,
  partitions?: TopicPartition[],
): Promise<string[]> {
  const offsets = await cluster.groups.committed({ groupId, ...(partitions && { partitions }) });
  return offsets.map(
    ({ topic, partition, offset, metadata }) =>
      `${topic}:${partition}=${offset ?? "-"}${metadata === null ? "" : ` ${metadata}`}`,
  );
}
