/** What is asked of `npm run simulate`. Nothing that cannot be meant is taken for something else: a typing error must not look like a run without findings. */
import { parseArgs } from "node:util";

export interface Settings {
  /** The first; the others follow it. */
  readonly seed: number;
  readonly seeds: number;
  /** No seed is begun after so many; `null`: whatever time it takes. */
  readonly minutes: number | null;
  readonly workers: number;
  /** The run of this file in place of seeds. */
  readonly script: string | null;
  /** Where the smallest run that breaks a promise is kept. */
  readonly save: string | null;
  readonly shrinks: boolean;
}

export const HELP = `npm run simulate -- [options]

Runs whole clusters with their clients over a simulated network and disk, each drawn from a seed, and judges what they promise.

  --seed N       the first seed (default 1)
  --seeds N      how many (default 100; without end with --minutes)
  --minutes N    begin no seed after so many minutes
  --workers N    threads side by side (default 1)
  --no-shrink    don't make the first run that breaks a promise smaller
  --save FILE    keep that smallest run in a file
  --script FILE  run such a file

  npm run simulate
  npm run simulate -- --seed 1000 --minutes 30 --workers 2
  npm run simulate -- --seed 42 --seeds 1 --save small.json
  npm run simulate -- --script small.json`;

const OPTIONS = {
  seed: { type: "string" },
  seeds: { type: "string" },
  minutes: { type: "string" },
  workers: { type: "string" },
  script: { type: "string" },
  save: { type: "string" },
  "no-shrink": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Of the words behind the program's name; a sentence where they cannot be meant. */
export function settingsOf(words: readonly string[]): Settings | "help" | string {
  try {
    const { values } = parseArgs({ args: withNegatives(words), options: OPTIONS });
    if (values.help === true) return "help";
    const { script = null, save = null } = values;
    const minutes = values.minutes === undefined ? null : numberOf("minutes", values.minutes, 0.01);
    const endless = minutes === null ? 100 : Number.MAX_SAFE_INTEGER;
    const seeds = values.seeds === undefined ? endless : wholeOf("seeds", values.seeds, 1);
    const workers = Math.min(values.workers === undefined ? 1 : wholeOf("workers", values.workers, 1), seeds);
    const seed = values.seed === undefined ? 1 : wholeOf("seed", values.seed, 0);
    return { seed, seeds, minutes, workers, script, save, shrinks: values["no-shrink"] !== true };
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}

/** `--seed -5` as `--seed=-5`: it is refused for what it is, and not for looking like another option. */
function withNegatives(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const option = joined.at(-1);
    if (/^-\d/.test(word) && option !== undefined && /^--[a-z-]+$/.test(option))
      joined[joined.length - 1] = `${option}=${word}`;
    else joined.push(word);
  }
  return joined;
}

function wholeOf(name: string, text: string, min: number): number {
  const value = numberOf(name, text, min);
  if (Number.isSafeInteger(value)) return value;
  throw new Error(`--${name} is ${text}; expected a whole number`);
}

function numberOf(name: string, text: string, min: number): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= min) return value;
  throw new Error(`--${name} is ${text}; expected a number of at least ${min}`);
}
