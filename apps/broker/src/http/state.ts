/** The state of everything, as one look finds it: what the operations tell of each thing, in their words. */
import type { BrokerCluster, CommittedOffset } from "@minikafka/core";
import type { BrokerContext } from "../broker-context.ts";
import { clusterFields } from "../json/cluster-fields.ts";
import { groupFields } from "../json/group-fields.ts";
import { partitionFields } from "../json/partition-fields.ts";
import { allPending } from "../json/pending/all-pending.ts";
import { transactionFields } from "../json/transaction-fields.ts";
import { lagOf } from "./lag.ts";

/** `wanted`: only these topics, of those that there are. */
export function stateOf(context: BrokerContext, wanted: ReadonlySet<string> | null): object {
  const { cluster, isLab, faults, seed } = context;
  const topics = cluster.listTopics().filter(({ topic }) => wanted === null || wanted.has(topic));
  return {
    cluster: { ...clusterFields(context), ...(seed !== null && { seed }) },
    topics: topics.map(({ topic, topicId, partitions, replicationFactor, isInternal, config }) => ({
      topic,
      topic_id: topicId,
      replication_factor: replicationFactor,
      internal: isInternal,
      config,
      partitions: Array.from({ length: partitions }, (_none, partition) =>
        partitionFields(cluster, { topic, partition }),
      ),
    })),
    groups: groupsOf(cluster),
    transactions: cluster.transactions.listNow().map(transactionFields),
    // Nothing is told of what these hold: a look brings nothing into memory.
    unloaded: { groups: cluster.groups.unloadedNow(), transactions: cluster.transactions.unloadedNow() },
    pending: isLab ? allPending(context) : null,
    faults: faults.rules(),
  };
}

function groupsOf(cluster: BrokerCluster): object[] {
  return cluster.groups.listNow().flatMap(({ groupId }) => {
    const { group, committed } = cluster.groups.describeNow(groupId);
    if (group === null) return [];
    return [{ ...groupFields(group), offsets: committed.map((each) => offsetFields(cluster, each)) }];
  });
}

/** As fetch_offsets has them, and how much is left to read. */
function offsetFields(
  cluster: BrokerCluster,
  { topic, partition, offset, metadata, committedMs }: CommittedOffset,
) {
  const committed = offset === null || offset < 0 ? null : offset;
  return {
    topic,
    partition,
    offset: committed,
    metadata,
    committed_ms: committedMs,
    lag: committed === null ? null : lagOf(cluster, { topic, partition }, committed),
  };
}
