/** What partitions cost by being there: to make, to open, to close, and in memory. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { aligned } from "./aligned.ts";
import { startDaemon } from "./daemon.ts";
import { frameOf, openCluster } from "./kernel.ts";
import { showProgress } from "./progress.ts";
import { median } from "./statistics.ts";

const PARTITIONS_PER_TOPIC = 1_000;
const OPENINGS = 5;
/** Time for what a start leaves behind: garbage, the first ticks. */
const REST_MS = 1_500;

export const PARTITION_COUNTS: readonly number[] = [1_000, 5_000];
/** A folder, its entry, a segment and a manifest: four blocks, and as much again for what is being replaced. */
export const BYTES_PER_PARTITION = 8 * 4_096;

export interface PartitionsResult {
  readonly partitions: number;
  /** All topics, one after another. */
  readonly createMs: number;
  /** The longest time for which the kernel's thread did nothing else meanwhile. */
  readonly longestBlockMs: number;
  /** The kernel alone, in this process, after a clean close. */
  readonly openMs: number;
  readonly closeMs: number;
  /** A daemon, from the start of its process until clients can produce. */
  readonly daemonReadyMs: number;
  /** What such a daemon holds more than one without partitions, for each; `null` where the system does not say. */
  readonly residentBytesEach: number | null;
}

export async function measurePartitions(
  counts: readonly number[],
  folder: string,
): Promise<PartitionsResult[]> {
  mkdirSync(join(folder, "none"));
  const empty = await restingDaemon(join(folder, "none"));
  const results: PartitionsResult[] = [];
  for (const partitions of counts) {
    showProgress(`${partitions} partitions`);
    const data = join(folder, `partitions-${partitions}`);
    const created = await create(data, partitions);
    const openings: { openMs: number; closeMs: number }[] = [];
    for (let opening = 0; opening < OPENINGS; opening += 1) openings.push(await openAndClose(data));
    const daemon = await restingDaemon(data);
    const residentBytesEach =
      daemon.residentBytes === null || empty.residentBytes === null
        ? null
        : (daemon.residentBytes - empty.residentBytes) / partitions;
    results.push({
      partitions,
      ...created,
      openMs: median(openings.map(({ openMs }) => openMs)),
      closeMs: median(openings.map(({ closeMs }) => closeMs)),
      daemonReadyMs: daemon.readyMs,
      residentBytesEach,
    });
  }
  showProgress("");
  return results;
}

/** Makes the topics, as the daemon does, and puts a record into each partition. */
async function create(
  data: string,
  partitions: number,
): Promise<Pick<PartitionsResult, "createMs" | "longestBlockMs">> {
  const cluster = await openCluster(data);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startMs = performance.now();
  const topics = Array.from(
    { length: partitions / PARTITIONS_PER_TOPIC },
    (_none, index) => `topic-${index}`,
  );
  for (const topic of topics) await cluster.createTopicLater({ topic, partitions: PARTITIONS_PER_TOPIC });
  const createMs = performance.now() - startMs;
  // The last block is noticed by the next turn.
  await pause(1);
  delay.disable();
  for (const topic of topics) {
    for (let partition = 0; partition < PARTITIONS_PER_TOPIC; partition += 1)
      await cluster.appendBatch({ topic, partition }, frameOf(1, 100, Date.now()), { acks: 1 });
  }
  await cluster.close();
  return { createMs, longestBlockMs: delay.max / 1e6 };
}

async function openAndClose(data: string): Promise<{ openMs: number; closeMs: number }> {
  const startMs = performance.now();
  const cluster = await openCluster(data);
  const openedMs = performance.now();
  await cluster.close();
  return { openMs: openedMs - startMs, closeMs: performance.now() - openedMs };
}

async function restingDaemon(
  data: string,
): Promise<{ readonly readyMs: number; readonly residentBytes: number | null }> {
  const daemon = await startDaemon(data);
  await pause(REST_MS);
  const residentBytes = daemon.residentBytes();
  await daemon.stop();
  return { readyMs: daemon.readyMs, residentBytes };
}

export function partitionsTable(results: readonly PartitionsResult[]): string {
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  const rows = results.map((result) => [
    String(result.partitions),
    ms(result.createMs),
    ms(result.longestBlockMs),
    ms(result.openMs),
    ms(result.closeMs),
    ms(result.daemonReadyMs),
    result.residentBytesEach === null ? "?" : `${(result.residentBytesEach / 1_000).toFixed(1)} kB`,
  ]);
  const heading = ["partitions", "create", "longest block", "open", "close", "daemon ready", "memory each"];
  return [...aligned([heading, ...rows]), "", "aim: 1,000 partitions are open in less than 1,000 ms"].join(
    "\n",
  );
}
