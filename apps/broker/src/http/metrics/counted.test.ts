/** What is counted off events, without a broker. */
import type { BrokerCluster } from "@minikafka/core";
import { expect, test } from "vitest";
import { Counted, TOPICS_MAX } from "./counted.ts";
import { MetricsPage } from "./metrics-page.ts";

const EMPTY = { listTopics: () => [] } as unknown as BrokerCluster;

function fetched(topic: string) {
  const at = { brokerId: 1, partition: 0, offset: 0, nextOffset: 1, highWatermark: 1 };
  return { kind: "fetched", topic, ...at, bytes: 10 } as const;
}

test("of more topics than are told of the sum is told, and how many are left out", () => {
  const counted = new Counted(EMPTY, null);
  for (let number = 0; number < TOPICS_MAX + 3; number += 1) counted.wants(fetched(`t${number}`));
  const page = new MetricsPage();
  counted.addTo(page);
  const samples = page.of("kafka_server_brokertopicmetrics_bytesout_total");
  expect(samples).toHaveLength(TOPICS_MAX + 1);
  const sum = samples.find(({ labels }) => labels.topic === undefined);
  expect(sum?.value).toBe((TOPICS_MAX + 3) * 10);
  expect(page.of("minikafka_metrics_left_out")).toEqual([{ suffix: "", labels: { of: "topics" }, value: 3 }]);
});

test("it never wants an event for itself, so that none is put into words for it", () => {
  const counted = new Counted(EMPTY, null);
  expect(counted.wants(fetched("orders"))).toBe(false);
  const asked = { request: 1, connection: 1, operation: "ping", id: null };
  expect(counted.wantsRequest({ kind: "request_taken", ...asked })).toBe(false);
});

test("a request that has ended is timed, and one that has not is not", () => {
  let nowMs = 0;
  const counted = new Counted(EMPTY, () => nowMs);
  for (const request of [1, 2]) {
    const taken = { request, connection: 1, operation: "kafka.Fetch", id: 7, brokerId: 1 };
    counted.wantsRequest({ kind: "request_taken", ...taken });
  }
  nowMs = 40;
  const done = { request: 1, connection: 1, operation: "kafka.Fetch", id: 7, brokerId: 1 };
  counted.wantsRequest({ kind: "request_done", ...done, outcome: "ok", answered: true });
  const page = new MetricsPage();
  counted.addTo(page);
  const request = "Fetch";
  expect(page.of("kafka_network_requestmetrics_requests_total")).toMatchObject([
    { labels: { request }, value: 2 },
  ]);
  expect(page.of("kafka_network_requestmetrics_errors_total")).toEqual([]);
  const times = page.of("kafka_network_requestmetrics_totaltimems");
  expect(times.find(({ suffix }) => suffix === "_count")?.value).toBe(1);
  expect(times.find(({ labels }) => labels.quantile === "0.99")?.value).toBe(40);
});
