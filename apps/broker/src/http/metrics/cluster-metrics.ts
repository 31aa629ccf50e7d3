/** What brokers and topics are, by the kernel's own state. */
import type { BrokerCluster } from "@minikafka/core";
import type { MetricsPage } from "./metrics-page.ts";
import { setsOf } from "./partition-sets.ts";

export function addClusterMetrics(page: MetricsPage, cluster: BrokerCluster): void {
  const { brokers, topics, partitions } = cluster.describeCluster();
  const sets = setsOf(cluster);
  page.add("kafka_brokers", brokers.length);
  page.add(
    "kafka_controller_kafkacontroller_activebrokercount",
    brokers.filter(({ state }) => state === "running").length,
  );
  page.add("kafka_controller_kafkacontroller_globaltopiccount", topics);
  page.add("kafka_controller_kafkacontroller_globalpartitioncount", partitions);
  page.add(
    "kafka_controller_kafkacontroller_offlinepartitionscount",
    sets.filter(({ isOnline }) => !isOnline).length,
  );
  for (const { brokerId: broker_id, partitions: led, replicas } of brokers) {
    const own = sets.filter(({ assignedLeaderId }) => assignedLeaderId === broker_id);
    const copies = sets.flatMap((set) => set.copies.filter(({ brokerId }) => brokerId === broker_id));
    const count = (isSo: (set: (typeof own)[number]) => boolean) => own.filter(isSo).length;
    page.add("kafka_server_replicamanager_partitioncount", replicas, { broker_id });
    page.add("kafka_server_replicamanager_leadercount", led, { broker_id });
    page.add(
      "kafka_server_replicamanager_underreplicatedpartitions",
      count(({ inSyncReplicas, copies: all }) => inSyncReplicas.length < all.length),
      { broker_id },
    );
    page.add(
      "kafka_server_replicamanager_underminisrpartitioncount",
      count(({ inSyncReplicas, minInSyncReplicas }) => inSyncReplicas.length < minInSyncReplicas),
      { broker_id },
    );
    page.add(
      "kafka_server_replicamanager_offlinereplicacount",
      copies.filter(({ isOnline }) => !isOnline).length,
      { broker_id },
    );
  }
}
