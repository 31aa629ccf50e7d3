/** What is printed: of a violation everything that is needed to see it again, of a campaign what it has really done. */
import type { Found, Tally } from "./run/campaign.ts";
import { MARKS } from "./run/marks.ts";
import type { Run } from "./run/simulation.ts";
import { entryWords, shapeWords } from "./script/words.ts";

/** `again`: what repeats it; its seed, when nothing is said. */
export function foundLines({ seed, atMs, violation }: Found, again = `--seed ${seed} --seeds 1`): string[] {
  return [
    `seed ${seed}, ${atMs === null ? "at no time that could be told" : `at ${atMs} ms`}: ${violation.what}`,
    ...violation.evidence.split("\n").map((line) => `  ${line}`),
    `  again: npm run simulate -- ${again}`,
  ];
}

export function shrunkLines(
  run: Run,
  { before, tried, file }: { before: number; tried: number; file: string | null },
): string[] {
  return [
    `shrunk to ${run.script.length} of ${before} acts by ${tried} runs:`,
    ...shapeWords(run.shape).map((line) => `  ${line}`),
    ...run.script.map((entry) => `  ${entryWords(entry)}`),
    ...(file === null ? [] : [`  again: npm run simulate -- --script ${file}`]),
  ];
}

/** From so many seeds on everything must have been reached. */
export const SEEDS_FOR_ALL = 500;

/**
 * What no run has reached, and no checker was asked: each is a failure. Nothing before `SEEDS_FOR_ALL` seeds, of which nobody
 * expects that they reach everything.
 */
export function neverReached({ marks, asked, seeds }: Tally): string[] {
  if (seeds < SEEDS_FOR_ALL) return [];
  return [
    ...MARKS.filter((mark) => (marks[mark] ?? 0) === 0).map((mark) => `never reached: ${mark}`),
    ...Object.entries(asked).flatMap(([name, times]) => (times === 0 ? [`never asked: ${name}`] : [])),
  ];
}

export function tallyLines(
  tally: Tally,
  { seconds, violations }: { seconds: number; violations: number },
): string[] {
  const { seeds, acts, operations, repeated } = tally;
  const rate = (seeds / seconds).toFixed(1);
  return [
    `${seeds} seeds in ${seconds.toFixed(1)} s (${rate} a second), ${violations} violations`,
    `${acts} acts, ${operations} operations of clients, ${repeated} runs repeated to the same trace`,
    ...columns("asked", tally.asked),
    ...columns("reached", tally.marks),
  ];
}

function columns(title: string, counts: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(counts);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return [
    `${title}:`,
    ...entries.map(([name, times]) => `  ${name.padEnd(width)} ${String(times).padStart(9)}`),
  ];
}
