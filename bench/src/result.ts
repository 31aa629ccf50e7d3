/** From samples to the numbers of a report. */
import type { AtRest } from "./at-rest.ts";
import type { Plan, Workload } from "./plan.ts";
import { type Rounds, type Sample, samplesOf, WAYS, type Way } from "./rounds.ts";
import { median, quartiles } from "./statistics.ts";

/** One row: medians over the rounds. Rates are of values, without what records and lines add. */
export interface WorkloadResult extends Workload {
  readonly way: Way;
  readonly recordsPerSecond: number;
  readonly bytesPerSecond: number;
  readonly boundBytesPerSecond: number;
  /** The bound's time through this way's. */
  readonly ratio: number;
  /** A quarter of the rounds was below, a quarter above. */
  readonly ratioQuartiles: readonly [number, number];
  /** The bound's processor time through that of the busier process; `null` where the system does not say. */
  readonly cpuRatio: number | null;
  readonly clientCpuMs: number;
  readonly daemonCpuMs: number | null;
  readonly boundCpuMs: number;
}

export interface BenchResult {
  readonly machine: string;
  readonly rounds: number;
  readonly volumeBytes: number;
  readonly workloads: readonly WorkloadResult[];
  readonly atRest: AtRest;
  /** The daemon that carried all the load, a moment after it; `null` where the system does not say. */
  readonly residentBytesAfterLoad: number | null;
}

export function workloadResults(plan: Plan, rounds: Rounds): WorkloadResult[] {
  return WAYS.flatMap((way) =>
    plan.workloads.map((workload) => resultOf(workload, way, samplesOf(rounds, workload, way))),
  );
}

function resultOf(workload: Workload, way: Way, samples: readonly Sample[]): WorkloadResult {
  const middle = (of: (sample: Sample) => number) => median(samples.map(of));
  const daemonKnown = samples.every(({ cost }) => cost.daemonCpuMs !== null);
  return {
    ...workload,
    way,
    recordsPerSecond: middle(({ cost }) => (cost.amount * 1_000) / cost.tookMs),
    bytesPerSecond: middle(({ cost }) => (cost.amount * workload.recordBytes * 1_000) / cost.tookMs),
    boundBytesPerSecond: middle(({ bound }) => (bound.amount * 1_000) / bound.tookMs),
    ratio: middle(ratioOf),
    ratioQuartiles: quartiles(samples.map(ratioOf)),
    cpuRatio: daemonKnown ? middle(({ bound, cost }) => bound.ownCpuMs / busier(cost)) : null,
    clientCpuMs: middle(({ cost }) => cost.ownCpuMs),
    daemonCpuMs: daemonKnown ? middle(({ cost }) => cost.daemonCpuMs ?? 0) : null,
    boundCpuMs: middle(({ bound }) => bound.ownCpuMs),
  };
}

function ratioOf({ bound, cost }: Sample): number {
  return bound.tookMs / cost.tookMs;
}

function busier({ ownCpuMs, daemonCpuMs }: Sample["cost"]): number {
  return Math.max(ownCpuMs, daemonCpuMs ?? 0);
}
