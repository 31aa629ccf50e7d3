/** What partitions and their replicas are, by the kernel's own state. */
import type { BrokerCluster, PartitionReplicaSet } from "@minikafka/core";
import { TOPICS_MAX } from "./counted.ts";
import type { MetricsPage } from "./metrics-page.ts";
import { setsOf } from "./partition-sets.ts";

/** Partitions that are told of, those of the first topics. */
const PARTITIONS_MAX = 2_000;

export function addPartitionMetrics(page: MetricsPage, cluster: BrokerCluster): void {
  for (const { topic, partitions } of cluster.listTopics().slice(0, TOPICS_MAX))
    page.add("kafka_topic_partitions", partitions, { topic });
  const sets = setsOf(cluster);
  for (const set of sets.slice(0, PARTITIONS_MAX)) {
    addPartition(page, set);
    addReplicas(page, set);
  }
  page.add("minikafka_metrics_left_out", Math.max(0, sets.length - PARTITIONS_MAX), { of: "partitions" });
}

/** What only a log can tell is left out where nobody leads. */
function addPartition(page: MetricsPage, set: PartitionReplicaSet): void {
  const { place, copies, inSyncReplicas, minInSyncReplicas } = set;
  const labels = { topic: place.topic, partition: place.partition };
  const inSync = inSyncReplicas.length;
  page.add("kafka_cluster_partition_replicascount", copies.length, labels);
  page.add("kafka_cluster_partition_insyncreplicascount", inSync, labels);
  page.add("kafka_cluster_partition_underreplicated", inSync < copies.length ? 1 : 0, labels);
  page.add("kafka_cluster_partition_underminisr", inSync < minInSyncReplicas ? 1 : 0, labels);
  if (!set.isOnline) return;
  const { highWatermark, lastStableOffset, leaderLog } = set;
  page.add("kafka_cluster_partition_laststableoffsetlag", highWatermark - lastStableOffset, labels);
  page.add("kafka_topic_partition_current_offset", highWatermark, labels);
  page.add("kafka_topic_partition_oldest_offset", leaderLog.logStartOffset, labels);
}

function addReplicas(page: MetricsPage, { place, copies }: PartitionReplicaSet): void {
  const { topic, partition } = place;
  for (const { brokerId: broker_id, isOnline, log } of copies.filter((copy) => copy.isOnline)) {
    if (!isOnline) continue;
    const labels = { topic, partition, broker_id };
    const segments = log.segments();
    const size = segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    page.add("kafka_log_log_size", size, labels);
    page.add("kafka_log_log_numlogsegments", segments.length, labels);
    page.add("kafka_log_log_logstartoffset", log.logStartOffset, labels);
    page.add("kafka_log_log_logendoffset", log.logEndOffset, labels);
  }
}
