/** How a log's costs grow, for people. */
import { aligned } from "./aligned.ts";
import type { GrowthResult } from "./log-growth.ts";

const RATIO_MAX = 1.5;

export function growthTable({ rounds, sizesBytes, segments, rows }: GrowthResult): string {
  const heading = ["one call of", ...sizesBytes.map(size), "largest : smallest", "aim"];
  const cells = rows.map(({ operation, hasAim, microseconds }) => [
    operation,
    ...microseconds.map(time),
    ((microseconds.at(-1) ?? 0) / (microseconds[0] ?? 1)).toFixed(2),
    hasAim ? `below ${RATIO_MAX}` : "-",
  ]);
  const sizes = sizesBytes.map((bytes, index) => `${size(bytes)} in ${segments[index]}`);
  return [
    `medians of ${rounds} rounds; segments of 64 MiB (${sizes.join(", ")}), batches of 16 records of 1,000 bytes`,
    "",
    ...aligned([heading, ...cells]),
  ].join("\n");
}

function size(bytes: number): string {
  return bytes < 1_000_000_000 ? `${bytes / 1_000_000} MB` : `${bytes / 1_000_000_000} GB`;
}

function time(microseconds: number): string {
  if (microseconds >= 10_000) return `${(microseconds / 1_000).toFixed(1)} ms`;
  return `${microseconds.toFixed(microseconds < 100 ? 1 : 0)} us`;
}
