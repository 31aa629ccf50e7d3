/** What no Kafka has: the clock, steps, faults, and those who look on. */
import { ManualClock } from "@minikafka/core";
import { VERSION } from "../../version.ts";
import type { HttpSite } from "../endpoint.ts";
import type { MetricsPage } from "./metrics-page.ts";

export function addOwnMetrics(page: MetricsPage, { context, connections, streams }: HttpSite): void {
  const { clock, cluster, faults, events, isLab } = context;
  page.add("minikafka_build_info", 1, { version: VERSION });
  page.add("minikafka_clock_manual", clock instanceof ManualClock ? 1 : 0);
  page.add("minikafka_clock_seconds", clock.nowMs() / 1_000);
  page.add("minikafka_connections", connections());
  page.add("minikafka_event_streams", streams.size);
  page.add("minikafka_events_dropped_total", events.dropped);
  page.add("minikafka_armed_faults", faults.rules().length);
  if (!isLab) return;
  const pending = new Map<string, number>();
  for (const { operation } of cluster.foresight.steps())
    pending.set(operation, (pending.get(operation) ?? 0) + 1);
  for (const [operation, count] of pending) page.add("minikafka_pending_steps", count, { operation });
}
