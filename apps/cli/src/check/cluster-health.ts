/** What a look at a cluster finds out about its brokers and partitions, by questions that change nothing. */
import type { ParsedResponse } from "@minikafka/protocol";
import { failureOf } from "../failure.ts";
import type { Session } from "../session.ts";

export interface PartitionHealth {
  readonly topic: string;
  readonly partition: number;
  readonly hasLeader: boolean;
  readonly replicas: number;
  readonly inSync: number;
  readonly minInSync: number;
  /** Why copies of it cannot be read. */
  readonly offline: readonly { readonly brokerId: number; readonly problem: string }[];
}

export interface ClusterHealth {
  readonly nowMs: number;
  readonly brokers: ParsedResponse<"describe_cluster">["brokers"];
  readonly partitions: readonly PartitionHealth[];
}

export async function clusterHealth(session: Session): Promise<ClusterHealth> {
  const [{ now_ms: nowMs, brokers }, { topics }] = await Promise.all([
    session.call("describe_cluster", {}),
    session.call("list_topics", {}),
  ]);
  const partitions = await Promise.all(topics.map(({ topic }) => whileThere(topicHealth(session, topic))));
  return { nowMs, brokers, partitions: partitions.flat() };
}

/** A topic may be deleted while others are looked at. */
async function whileThere(found: Promise<PartitionHealth[]>): Promise<PartitionHealth[]> {
  try {
    return await found;
  } catch (error) {
    if (failureOf(error).code === "UNKNOWN_TOPIC") return [];
    throw error;
  }
}

async function topicHealth(session: Session, topic: string): Promise<PartitionHealth[]> {
  const [{ partitions }, { config }] = await Promise.all([
    session.call("metadata", { topic }),
    session.call("describe_config", { topic }),
  ]);
  const minInSync = Number(config.find(({ name }) => name === "min_insync_replicas")?.value);
  return Promise.all(
    partitions.map(async ({ partition, leader_id, replicas, isr }): Promise<PartitionHealth> => {
      // A copy that cannot be read is not in sync, or it was the leader's: the others need no second look.
      const isWhole = leader_id !== null && isr.length === replicas.length;
      return {
        ...{ topic, partition, hasLeader: leader_id !== null, replicas: replicas.length },
        ...{ inSync: isr.length, minInSync },
        offline: isWhole ? [] : await offlineCopies(session, topic, partition),
      };
    }),
  );
}

async function offlineCopies(
  session: Session,
  topic: string,
  partition: number,
): Promise<PartitionHealth["offline"]> {
  const { replicas } = await session.call("describe_partition", { topic, partition });
  return replicas.flatMap(({ broker_id: brokerId, problem }) =>
    problem === null ? [] : [{ brokerId, problem }],
  );
}
