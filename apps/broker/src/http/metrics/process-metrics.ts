/** What the system says of this process, by the names that Prometheus's own clients use. */
import { readdirSync } from "node:fs";
import { SystemClock } from "@minikafka/core";
import type { MetricsPage } from "./metrics-page.ts";

const STARTED_SECONDS = new SystemClock().nowMs() / 1_000 - process.uptime();

export function addProcessMetrics(page: MetricsPage): void {
  const { user, system } = process.cpuUsage();
  page.add("process_cpu_seconds_total", (user + system) / 1_000_000);
  page.add("process_resident_memory_bytes", process.memoryUsage.rss());
  page.add("process_start_time_seconds", STARTED_SECONDS);
  const open = openDescriptors();
  if (open !== null) page.add("process_open_fds", open);
}

/** Linux tells it by a folder, which takes one itself while it is read. */
function openDescriptors(): number | null {
  try {
    return readdirSync("/proc/self/fd").length - 1;
  } catch {
    return null;
  }
}
