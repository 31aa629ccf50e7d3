/** What a piece of work costs: the time that goes by, and the time that processors work for it. */
import type { Daemon } from "./daemon.ts";

export interface Cost {
  readonly tookMs: number;
  /** Of this process, all its threads. */
  readonly ownCpuMs: number;
  /** Of the daemon; `null` where the system does not say. */
  readonly daemonCpuMs: number | null;
  /** Whatever `act` counts. */
  readonly amount: number;
}

export async function costOf(daemon: Daemon, act: () => number | Promise<number>): Promise<Cost> {
  const daemonBeforeMs = daemon.cpuMs();
  const before = process.cpuUsage();
  const startMs = performance.now();
  const amount = await act();
  const tookMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(before);
  const daemonAfterMs = daemon.cpuMs();
  const daemonCpuMs =
    daemonBeforeMs === null || daemonAfterMs === null ? null : daemonAfterMs - daemonBeforeMs;
  return { tookMs, ownCpuMs: (user + system) / 1_000, daemonCpuMs, amount };
}
