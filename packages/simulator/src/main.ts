/** `npm run simulate`: runs of the simulator. Exits with 1 when a promise was broken, or when many runs never reached what they should; 2 for what cannot be meant. */
import { readFileSync, writeFileSync } from "node:fs";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { HELP, type Settings, settingsOf } from "./command-line.ts";
import { foundLines, neverReached, shrunkLines, tallyLines } from "./report.ts";
import { addTally, type Found, judged, newTally, runOf, type Tally } from "./run/campaign.ts";
import { inThread, type Share, takeShare } from "./run/share.ts";
import { shrink } from "./run/shrink.ts";
import type { Run } from "./run/simulation.ts";
import { readScript, scriptText } from "./script/script-file.ts";

const SHRINK_TRIES_MAX = 400;

function say(lines: readonly string[]): void {
  console.log(lines.join("\n"));
}

/** Makes a run smaller that breaks `what`, and says how. */
async function tellShrunk(run: Run, what: string, file: string | null): Promise<void> {
  const stillBreaks = async (smaller: Run) => (await judged(smaller)).violation?.what === what;
  const { run: smallest, tried } = await shrink(run, stillBreaks, SHRINK_TRIES_MAX);
  if (file !== null) writeFileSync(file, scriptText(smallest));
  say(shrunkLines(smallest, { before: run.script.length, tried, file }));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : message;
    const next = "npm run simulate -- --save FILE keeps the smallest run that breaks a promise in one";
    throw new Error(`--script ${file}: ${why}; ${next}`, { cause: error });
  }
}

async function replay(file: string): Promise<number> {
  const run = readScript(file, textOf(file));
  const { violation, world } = await judged(run);
  if (violation === null) say([`${file}: no promise is broken`]);
  else say(foundLines({ seed: run.seed, atMs: world.timeline.nowMs, violation }, `--script ${file}`));
  return violation === null ? 0 : 1;
}

async function campaign({ seed: first, seeds, minutes, workers, save, shrinks }: Settings): Promise<number> {
  const beganMs = Date.now();
  const untilMs = minutes === null ? null : beganMs + minutes * 60_000;
  const sum = newTally();
  const all: Found[] = [];
  const heard = (found: Found | null, tally: Tally) => {
    addTally(sum, tally);
    if (found === null) return;
    all.push(found);
    say(foundLines(found));
  };
  const here = new URL(import.meta.url);
  const shares = Array.from({ length: workers }, (_, index) => ({
    first: first + index,
    step: workers,
    count: Math.ceil((seeds - index) / workers),
    untilMs,
  }));
  await Promise.all(shares.map((share) => inThread(here, share, heard)));
  // What never ends would end this process with it.
  const example = all.find(({ atMs }) => atMs !== null);
  if (example !== undefined && shrinks) await tellShrunk(runOf(example.seed), example.violation.what, save);
  say(tallyLines(sum, { seconds: (Date.now() - beganMs) / 1000, violations: all.length }));
  const missing = neverReached(sum);
  say(missing);
  return all.length > 0 || missing.length > 0 ? 1 : 0;
}

async function main(): Promise<number> {
  const asked = settingsOf(process.argv.slice(2));
  if (asked === "help") {
    say([HELP]);
    return 0;
  }
  if (typeof asked === "string") {
    console.error(`${asked}\n\n${HELP}`);
    return 2;
  }
  // Before hours of work, not behind them.
  if (asked.save !== null) writeFileSync(asked.save, "", { flag: "a" });
  return asked.script === null ? campaign(asked) : replay(asked.script);
}

// Refusals are answers here, by the thousand: where each was made nobody asks.
Error.stackTraceLimit = 4;
if (!isMainThread) await takeShare(workerData as Share, (message) => parentPort?.postMessage(message));
else
  process.exitCode = await main().catch((error: Error) => {
    // A file that is not there or not to be written, or no script.
    console.error(error.message);
    return 2;
  });
