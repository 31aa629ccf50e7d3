/** How far groups have read, and what becomes of transactions, as far as it is in memory: looking loads nothing. */
import { type BrokerCluster, OFFSETS_TOPIC, TRANSACTIONS_TOPIC } from "@minikafka/core";
import { lagOf } from "../lag.ts";
import type { MetricsPage } from "./metrics-page.ts";

/** Committed offsets that are told of. */
const OFFSETS_MAX = 2_000;

export function addGroupMetrics(page: MetricsPage, cluster: BrokerCluster): void {
  const groups = cluster.groups.listNow();
  let told = 0;
  let leftOut = 0;
  page.add("kafka_coordinator_group_groupmetadatamanager_numgroups", groups.length);
  for (const { groupId: consumergroup, members } of groups.slice(0, OFFSETS_MAX)) {
    page.add("kafka_consumergroup_members", members, { consumergroup });
    for (const { topic, partition, offset } of cluster.groups.describeNow(consumergroup).committed) {
      if (offset === null || offset < 0) continue;
      told += 1;
      if (told > OFFSETS_MAX) {
        leftOut += 1;
        continue;
      }
      const labels = { consumergroup, topic, partition };
      page.add("kafka_consumergroup_current_offset", offset, labels);
      const lag = lagOf(cluster, { topic, partition }, offset);
      if (lag !== null) page.add("kafka_consumergroup_lag", lag, labels);
    }
  }
  page.add("minikafka_metrics_left_out", leftOut, { of: "committed_offsets" });
  page.add("minikafka_metrics_left_out", Math.max(0, groups.length - OFFSETS_MAX), { of: "groups" });
  addTransactions(page, cluster);
  const unloaded = { [OFFSETS_TOPIC]: cluster.groups, [TRANSACTIONS_TOPIC]: cluster.transactions };
  for (const [topic, room] of Object.entries(unloaded))
    page.add("minikafka_unloaded_coordinator_partitions", room.unloadedNow().length, { topic });
}

function addTransactions(page: MetricsPage, cluster: BrokerCluster): void {
  const byState = new Map<string, number>();
  for (const { state } of cluster.transactions.listNow()) byState.set(state, (byState.get(state) ?? 0) + 1);
  for (const [state, count] of byState) page.add("minikafka_transactions", count, { state });
}
