/** How a log's costs grow, for people. */
import { aligned } from "./aligned.ts";
import type { GrowthResult } from "./log-growth.ts";

export const RATIO_MAX = 1.5;

export function growthTable({ rounds, sizesBytes, rows }: GrowthResult): string {
  const heading = ["one call of", ...sizesBytes.map(size), "largest : smallest"];
  const cells = rows.map(({ operation, microseconds }) => [
    operation,
    ...microseconds.map((each) => `${each.toFixed(each < 100 ? 1 : 0)} us`),
    ((microseconds.at(-1) ?? 0) / (microseconds[0] ?? 1)).toFixed(2),
  ]);
  return [
    `medians of ${rounds} rounds; segments of 64 MiB, batches of 16 records of 1,000 bytes`,
    "",
    ...aligned([heading, ...cells]),
    "",
    `aim: no ratio above ${RATIO_MAX}, but for the first fetch, which reads the index of one segment`,
  ].join("\n");
}

function size(bytes: number): string {
  return bytes < 1_000_000_000 ? `${bytes / 1_000_000} MB` : `${bytes / 1_000_000_000} GB`;
}
