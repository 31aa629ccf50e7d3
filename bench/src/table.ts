/** What was measured, for people. */
import type { BenchResult, WorkloadResult } from "./result.ts";

const MIB = 1024 * 1024;
const HEADING = [
  ...["way", "record", "batch", "records/s", "MiB/s", "bound MiB/s", "of the bound", "half of them"],
  ...["client CPU ms", "daemon CPU ms", "bound CPU ms", "by CPU"],
];

export function table(result: BenchResult): string {
  const { atRest, residentBytesAfterLoad, rounds, machine, volumeBytes } = result;
  const rows = [HEADING, ...result.workloads.map(cells)];
  const widths = HEADING.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    ),
  );
  return [
    `${machine}; medians of ${rounds} rounds of ${size(volumeBytes)} each, and of ${atRest.starts} starts`,
    "",
    ...lines.map((line) => line.join("  ")),
    "",
    `start to ready          ${atRest.startMs.toFixed(0)} ms (aim: under 300 on an idle machine)`,
    `memory at rest          ${megabytes(atRest.residentBytes)} (aim: under 90)`,
    `memory after all this   ${megabytes(residentBytesAfterLoad)}`,
  ].join("\n");
}

function cells(row: WorkloadResult): string[] {
  return [
    row.way,
    size(row.recordBytes),
    size(row.batchBytes),
    `${(row.recordsPerSecond / 1_000).toFixed(0)} k`,
    (row.bytesPerSecond / MIB).toFixed(0),
    (row.boundBytesPerSecond / MIB).toFixed(0),
    percent(row.ratio),
    row.ratioQuartiles.map((ratio) => (ratio * 100).toFixed(0)).join(" to "),
    row.clientCpuMs.toFixed(0),
    row.daemonCpuMs?.toFixed(0) ?? "?",
    row.boundCpuMs.toFixed(0),
    percent(row.cpuRatio),
  ];
}

function percent(ratio: number | null): string {
  return ratio === null ? "?" : `${(ratio * 100).toFixed(0)} %`;
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`;
}

function megabytes(bytes: number | null): string {
  return bytes === null ? "not known on this system" : `${(bytes / 1_000_000).toFixed(0)} MB`;
}
