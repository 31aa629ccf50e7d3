/** The steps that auto mode takes by itself, and how often. */
import type { BrokerCluster, ResolvedConfig } from "@minikafka/core";
import type { Settings } from "./config.ts";
import { aTurnForOthers, type TickedStep } from "./ticker.ts";

type Intervals = Pick<
  Settings,
  "flush" | "flush_interval_ms" | "retention_interval_ms" | "compaction_interval_ms"
> &
  Pick<ResolvedConfig, "replicaLagTimeMs">;

/** Kafka: producer.id.expiration.check.interval.ms. */
const EXPIRE_PRODUCERS_MS = 10 * 60 * 1000;
/** Kafka: replica.fetch.backoff.ms is 1 s; a follower waits at its leader for replica.fetch.wait.max.ms, 500 ms. */
const RETRY_BEHIND_MS = 500;

/** With flush "os" nobody asks the disk but a roll and a close, as in Kafka. Replication itself follows what makes it due. */
export function tickedSteps(steps: BrokerCluster["steps"], intervals: Intervals): TickedStep[] {
  const flush = {
    name: "flush_logs",
    everyMs: intervals.flush_interval_ms,
    take: () => steps.flushLogs(),
  };
  const retry = { name: "replicate_once", everyMs: RETRY_BEHIND_MS, take: async () => steps.retryBehind() };
  // Kafka checks twice within replica.lag.time.max.ms.
  const refresh = {
    name: "refresh_isr",
    everyMs: Math.max(1, Math.floor(intervals.replicaLagTimeMs / 2)),
    take: async () => steps.refreshIsr(),
  };
  // Kafka: log.retention.check.interval.ms.
  const retention = {
    name: "apply_retention",
    everyMs: intervals.retention_interval_ms,
    take: () => steps.applyRetention(),
  };
  // Kafka: log.cleaner.backoff.ms.
  const compact = {
    name: "compact",
    everyMs: intervals.compaction_interval_ms,
    take: () => steps.compact(aTurnForOthers),
  };
  const expire = {
    name: "expire_producers",
    everyMs: EXPIRE_PRODUCERS_MS,
    take: async () => void steps.expireProducers(),
  };
  return [...(intervals.flush === "os" ? [] : [flush]), retention, compact, expire, retry, refresh];
}
