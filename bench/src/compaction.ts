/**
 * What it costs to compact a log: two passes over a log in which each key is written several times in random order, in the
 * kernel of this process. The first pass finds everything dirty, the second a tenth more of it on top of what the first has left.
 */
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type CompactionResult, LIMITS, type PartitionLog } from "@minikafka/core";
import { encodeBatch } from "@minikafka/record";
import { aligned } from "./aligned.ts";
import { makeLog } from "./kernel.ts";
import { showProgress } from "./progress.ts";

const MB = 1_000_000;
const VALUE_BYTES = 100;
const RECORDS = 128;
/** Of one record with its key, about. */
const RECORD_BYTES = VALUE_BYTES + 20;

export interface CompactionPlan {
  readonly sizeBytes: number;
  readonly keys: number;
}

export const COMPACTION: CompactionPlan = { sizeBytes: 1_000 * MB, keys: 1_000_000 };
export const COMPACTION_QUICK: CompactionPlan = { sizeBytes: 100 * MB, keys: 100_000 };

export interface PassResult {
  readonly result: CompactionResult;
  readonly tookMs: number;
  readonly cpuMs: number;
  /** The most that this process held while the pass ran, beyond what it held before. */
  readonly peakBytes: number;
  /** How long the longest piece of work between two pauses took: so long anybody else had to wait. */
  readonly longestTurnMs: number;
}

export interface CompactionBench {
  readonly plan: CompactionPlan;
  readonly passes: readonly PassResult[];
}

/** What a plan leaves on the disk at most: the log, what is added to it, and a pass's result beside both. */
export function compactionBytes({ sizeBytes }: CompactionPlan): number {
  return 2.5 * sizeBytes;
}

/** Throws when a pass does not leave one record of each key. */
export async function measureCompaction(plan: CompactionPlan, folder: string): Promise<CompactionBench> {
  const segmentBytes = Math.min(LIMITS.segmentBytesDefault, plan.sizeBytes / 15);
  const config = { segmentBytes, compacts: true, deletes: false, minCleanableDirtyRatio: 0 };
  const log = makeLog(join(folder, "log"), config);
  await fill(log, plan, plan.sizeBytes);
  const passes = [await pass(log, "first pass")];
  await fill(log, plan, plan.sizeBytes / 10);
  passes.push(await pass(log, "second pass"));
  const { recordsKept, keys } = passes[0]?.result ?? {};
  if (recordsKept !== keys || recordsKept === undefined)
    throw new Error(`${recordsKept} records are left of ${keys} keys`);
  await log.close();
  return { plan, passes };
}

async function fill(log: PartitionLog, { keys }: CompactionPlan, sizeBytes: number): Promise<void> {
  for (let bytes = 0, unflushed = 0; bytes < sizeBytes; ) {
    const frame = frameOfKeys(keys);
    log.append(frame, 0);
    bytes += frame.length;
    unflushed += frame.length;
    if (unflushed < 16 * MB) continue;
    showProgress(`appended ${Math.floor(bytes / MB)} of ${sizeBytes / MB} MB`);
    await log.flush();
    unflushed = 0;
  }
  await log.flush();
  showProgress("");
}

function frameOfKeys(keys: number): Buffer {
  const timestampMs = 1_700_000_000_000;
  const records = Array.from({ length: RECORDS }, () => {
    const key = Buffer.from(`user-${Math.floor(Math.random() * keys)}`);
    return { key, value: Buffer.alloc(VALUE_BYTES, key[key.length - 1]), timestampMs, headers: [] };
  });
  return encodeBatch({ records });
}

async function pass(log: PartitionLog, name: string): Promise<PassResult> {
  showProgress(name);
  globalThis.gc?.();
  const residentBefore = process.memoryUsage.rss();
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  let [peakBytes, longestTurnMs, turnMs] = [0, 0, startMs];
  const pause = async () => {
    longestTurnMs = Math.max(longestTurnMs, performance.now() - turnMs);
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss() - residentBefore);
    await nextTurn();
    turnMs = performance.now();
  };
  const result = await log.compact({
    nowMs: Date.now(),
    cleanEnd: log.logEndOffset,
    copiedEnd: log.logEndOffset,
    bufferBytes: LIMITS.compactionBufferBytesDefault,
    pause,
  });
  const tookMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  showProgress("");
  if (result === null || "gaveWayTo" in result) throw new Error(`the ${name} found nothing to do`);
  return { result, tookMs, cpuMs: (user + system) / 1_000, peakBytes, longestTurnMs };
}

export function compactionTable({ plan, passes }: CompactionBench): string {
  const mega = (bytes: number) => `${(bytes / MB).toFixed(0)} MB`;
  const rows = passes.map(({ result, tookMs, cpuMs, peakBytes, longestTurnMs }, index) => [
    index === 0 ? "first pass" : "second pass",
    mega(result.bytesBefore),
    mega(result.bytesAfter),
    `${((result.recordsKept + result.recordsDropped) / 1_000_000).toFixed(2)} M`,
    `${(result.keys / 1_000_000).toFixed(2)} M`,
    `${(tookMs / 1_000).toFixed(1)} s`,
    `${(cpuMs / 1_000).toFixed(1)} s`,
    ((result.bytesBefore / MB / tookMs) * 1_000).toFixed(0),
    mega(peakBytes),
    `${longestTurnMs.toFixed(0)} ms`,
  ]);
  const heading = ["", "before", "after", "records", "keys", "took", "CPU", "MB/s", "memory", "longest turn"];
  return [
    `a log of ${mega(plan.sizeBytes)} with ${plan.keys} keys, records of ${RECORD_BYTES} bytes, ${RECORDS} in a batch; keys' memory 128 MiB`,
    "",
    ...aligned([heading, ...rows]),
  ].join("\n");
}
