/** The steps that auto mode takes by itself, and how often. */
import type { BrokerCluster } from "@minikafka/core";
import type { Settings } from "./config.ts";
import type { TickedStep } from "./ticker.ts";

type Intervals = Pick<Settings, "flush" | "flush_interval_ms">;

/** With flush "os" nobody asks the disk but a roll and a close, as in Kafka. */
export function tickedSteps(steps: BrokerCluster["steps"], settings: Intervals): TickedStep[] {
  const flush = { name: "flush_logs", everyMs: settings.flush_interval_ms, take: () => steps.flushLogs() };
  return settings.flush === "os" ? [] : [flush];
}
