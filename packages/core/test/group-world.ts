/** A cluster with a topic of four partitions, and its groups in short: `a@2 0,2 +1` is member a in generation 2, which waits for 1. */
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import type { JoinRequest, MemberView } from "../src/group/group-requests.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";
import { openCluster } from "./cluster-world.ts";
import type { World } from "./world.ts";

export const GROUP = "payments";

/** One partition of the internal topic, so that all groups lie in one log. */
export async function openGroups(world: World, config: Partial<ClusterConfig> = {}): Promise<BrokerCluster> {
  const cluster = await openCluster(world, { offsetsTopicPartitions: 1, ...config });
  if (!cluster.hasTopic("orders")) cluster.createTopic({ topic: "orders", partitions: 4 });
  return cluster;
}

/** Partitions of `orders`. */
export function orders(...partitions: number[]): TopicPartition[] {
  return partitions.map((partition) => ({ topic: "orders", partition }));
}

/** `0,2`; with the topic before the number where it is another than `orders`. */
export function places(partitions: readonly TopicPartition[]): string {
  return partitions
    .map(({ topic, partition }) => (topic === "orders" ? `${partition}` : `${topic}-${partition}`))
    .join(",");
}

/** `@2 0,2 +1` */
export function shown({ generation, assignment, pending }: MemberView): string {
  const waits = pending.length === 0 ? "" : ` +${places(pending)}`;
  return `@${generation} ${places(assignment)}${waits}`;
}

/** One member of the group, which asks in the generation that it was told last unless it is told otherwise. */
export class TestMember {
  readonly cluster: BrokerCluster;
  readonly memberId: string;
  readonly groupId: string;
  generation = 0;

  constructor(cluster: BrokerCluster, memberId: string, groupId = GROUP) {
    this.cluster = cluster;
    this.memberId = memberId;
    this.groupId = groupId;
  }

  async join(changes: Partial<JoinRequest> = {}): Promise<string> {
    const { groupId, memberId } = this;
    const request = { groupId, memberId, topics: ["orders"], assignor: "roundrobin", ...changes } as const;
    return this.#told(await this.cluster.groups.join(request));
  }

  /** `owned`: what it says that it has; left out, it does not say. */
  async beat(owned?: readonly TopicPartition[], generation = this.generation): Promise<string> {
    const { groupId, memberId } = this;
    return this.#told(await this.cluster.groups.heartbeat({ groupId, memberId, generation, owned }));
  }

  async assignment(): Promise<string> {
    const { groupId, memberId } = this;
    return this.#told(await this.cluster.groups.assignment({ groupId, memberId }));
  }

  async leave(): Promise<number> {
    const { groupId, memberId } = this;
    return (await this.cluster.groups.leave({ groupId, memberId })).generation;
  }

  /** `offsets`: by partition of `orders`. */
  async commit(offsets: { [partition: number]: number }, generation = this.generation): Promise<void> {
    const { groupId, memberId } = this;
    const list = Object.entries(offsets).map(([partition, offset]) => {
      return { topic: "orders", partition: Number(partition), offset, metadata: null };
    });
    await this.cluster.groups.commit({ groupId, member: { memberId, generation }, offsets: list });
  }

  #told(view: MemberView): string {
    this.generation = view.generation;
    return shown(view);
  }
}

/** `orders:0=5`, of all that is committed. */
export async function committedOf(cluster: BrokerCluster, groupId = GROUP): Promise<string[]> {
  const offsets = await cluster.groups.committed({ groupId });
  return offsets.map(({ topic, partition, offset }) => `${topic}:${partition}=${offset}`);
}

/** `stable@2`, and each member with what it has, waits for and is to let go: `a 0,2 -1`. */
export async function described(cluster: BrokerCluster, groupId = GROUP): Promise<string[]> {
  const { state, generation, members } = await cluster.groups.describe(groupId);
  const shares = members.map(({ memberId, assignment, pending, revoking }) =>
    [
      `${memberId} ${places(assignment)}`,
      ...(pending.length > 0 ? [`+${places(pending)}`] : []),
      ...(revoking.length > 0 ? [`-${places(revoking)}`] : []),
    ].join(" "),
  );
  return [`${state}@${generation}`, ...shares];
}
