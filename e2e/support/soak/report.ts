/** What a soak has to say at its end, as a table. */
import type { DaemonLives } from "./daemon-lives.ts";
import type { Progress } from "./progress.ts";

export interface SoakFigures {
  readonly seed: number;
  readonly progress: Progress;
  readonly lives: DaemonLives;
  readonly seconds: number;
  readonly anomalies: number;
}

export function soakTable({ seed, progress, lives, seconds, anomalies }: SoakFigures): string {
  const rows: [string, number][] = [
    ["seed", seed],
    ["seconds", seconds],
    ...Object.entries(progress.counts).sort(([one], [other]) => (one < other ? -1 : 1)),
    ["slowest start until ready, ms", lives.slowestStartMs],
    ["slowest clean end, ms", lives.slowestCleanEndMs],
    ["anomalies", anomalies],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${Math.round(value)}`).join("\n");
}
