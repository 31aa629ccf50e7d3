/**
 * Whether a log costs more as it grows: the same calls on logs of very different sizes. All of them are there at once, and
 * take turns in each round, so that they meet the same machine.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PartitionLog } from "@minikafka/core";
import { frameOf, openLog } from "./kernel.ts";
import { showProgress } from "./progress.ts";
import { median } from "./statistics.ts";

const MB = 1_000_000;
const RECORDS = 16;
const VALUE_BYTES = 1_000;
const STEP_MS = 7;
const START_MS = 1_700_000_000_000;
const FETCHES = 300;
const LOOKUPS = 100;
/** About a megabyte, the part of the log that is cut off again. */
const APPENDS = 62;
const FETCH_BYTES = 64 * 1024;

export interface GrowthPlan {
  readonly sizesBytes: readonly number[];
  readonly rounds: number;
}

export const GROWTH_QUICK: GrowthPlan = { sizesBytes: [10 * MB, 100 * MB], rounds: 5 };
export const GROWTH: GrowthPlan = { sizesBytes: [10 * MB, 1_000 * MB], rounds: 15 };
export const GROWTH_LARGE: GrowthPlan = { sizesBytes: [10 * MB, 1_000 * MB, 5_000 * MB], rounds: 15 };

export const OPERATIONS = [
  "open after a clean close",
  "first fetch after that",
  "fetch at a random offset",
  "look up a time",
  "append",
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Microseconds that one call takes. */
type Sample = Readonly<Record<Operation, number>>;

export interface GrowthResult {
  readonly rounds: number;
  readonly sizesBytes: readonly number[];
  /** Medians over the rounds, in the order of the sizes. */
  readonly rows: readonly { readonly operation: Operation; readonly microseconds: readonly number[] }[];
}

/** What a plan leaves on the disk at most. */
export function growthBytes({ sizesBytes, rounds }: GrowthPlan): number {
  const appended = sizesBytes.length * (rounds + 1) * APPENDS * RECORDS * (VALUE_BYTES + 10);
  return sizesBytes.reduce((sum, each) => sum + each, appended);
}

/** Throws when a log does not answer as it should: then no time says anything. */
export async function measureGrowth(plan: GrowthPlan, folder: string): Promise<GrowthResult> {
  const folders = plan.sizesBytes.map((_none, index) => join(folder, `log-${index}`));
  for (const [index, sizeBytes] of plan.sizesBytes.entries()) await fill(folders[index] ?? "", sizeBytes);
  const samples: Sample[][] = folders.map(() => []);
  for (let round = 0; round <= plan.rounds; round += 1) {
    showProgress(`round ${round} of ${plan.rounds}`);
    for (const [index, each] of folders.entries()) {
      const sample = await measureOnce(each);
      // The first warms up.
      if (round > 0) samples[index]?.push(sample);
    }
  }
  showProgress("");
  const rows = OPERATIONS.map((operation) => ({
    operation,
    microseconds: samples.map((ofSize) => median(ofSize.map((sample) => sample[operation]))),
  }));
  return { rounds: plan.rounds, sizesBytes: plan.sizesBytes, rows };
}

/** A log of that size, closed cleanly. */
async function fill(folder: string, sizeBytes: number): Promise<void> {
  const log = openLog(folder, !existsSync(folder));
  for (let bytes = 0, unflushed = 0; bytes < sizeBytes; ) {
    const frameBytes = appendNext(log);
    bytes += frameBytes;
    unflushed += frameBytes;
    if (unflushed < 16 * MB) continue;
    showProgress(`a log of ${sizeBytes / MB} MB: ${Math.floor((100 * bytes) / sizeBytes)} %`);
    await log.flush();
    unflushed = 0;
  }
  await log.close();
}

/** Appends a batch whose records are of a time that follows from their offset. Returns how long it is. */
function appendNext(log: PartitionLog): number {
  const frame = frameOf(RECORDS, VALUE_BYTES, timeAt(log.logEndOffset));
  log.append(frame, 0);
  return frame.length;
}

const timeAt = (offset: number) => START_MS + Math.floor(offset / RECORDS) * STEP_MS;

async function measureOnce(folder: string): Promise<Sample> {
  const [log, opening] = timed(1, () => openLog(folder));
  const [, firstFetch] = timed(1, () => fetchAt(log, randomOffset(log)));
  // One read of each segment brings its index into memory, as a consumer's reads do that go through all of it.
  for (const { baseOffset, nextOffset } of log.segments())
    if (nextOffset > baseOffset) fetchAt(log, baseOffset);
  const [, fetching] = timed(FETCHES, () => fetchAt(log, randomOffset(log)));
  const [, lookingUp] = timed(LOOKUPS, () => lookUp(log, randomOffset(log)));
  const end = log.logEndOffset;
  const frames = Array.from({ length: APPENDS }, (_none, index) =>
    frameOf(RECORDS, VALUE_BYTES, timeAt(end + index * RECORDS)),
  );
  const [, appending] = timed(APPENDS, (index) => log.append(frames[index] ?? Buffer.alloc(0), 0));
  await log.close();
  return {
    "open after a clean close": opening,
    "first fetch after that": firstFetch,
    "fetch at a random offset": fetching,
    "look up a time": lookingUp,
    append: appending,
  };
}

/** What the last call of `act` returned, and how many microseconds each of `times` calls took. */
function timed<Result>(times: number, act: (index: number) => Result): readonly [Result, number] {
  const startMs = performance.now();
  let result = act(0);
  for (let index = 1; index < times; index += 1) result = act(index);
  return [result, ((performance.now() - startMs) * 1_000) / times];
}

function randomOffset({ logStartOffset, logEndOffset }: PartitionLog): number {
  return logStartOffset + Math.floor(Math.random() * (logEndOffset - logStartOffset));
}

function fetchAt(log: PartitionLog, offset: number): void {
  const { batches, nextOffset } = log.read(offset, { bytesMax: FETCH_BYTES, endOffset: log.logEndOffset });
  if (batches.length > 0 && nextOffset > offset) return;
  throw new Error(`a fetch at ${offset} went on at ${nextOffset}`);
}

function lookUp(log: PartitionLog, offset: number): void {
  const found = log.offsetForTimestamp(timeAt(offset), log.logEndOffset)?.offset;
  const expected = offset - (offset % RECORDS);
  if (found !== expected)
    throw new Error(`the time of offset ${offset} led to ${found}, expected ${expected}`);
}
