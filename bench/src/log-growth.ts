/**
 * Whether a log costs more as it grows: the same calls on logs of very different sizes. All of them are there at once, and
 * take turns in each round, so that they meet the same machine.
 */
import { join } from "node:path";
import type { BrokerCluster, PartitionLog } from "@minikafka/core";
import { frameOf, openCluster, openLogAlone } from "./kernel.ts";
import { showProgress } from "./progress.ts";
import { median } from "./statistics.ts";

const MB = 1_000_000;
const PLACE = { topic: "bench", partition: 0 };
const RECORDS = 16;
const VALUE_BYTES = 1_000;
const STEP_MS = 7;
const START_MS = 1_700_000_000_000;
const FETCHES = 300;
const LOOKUPS = 300;
/** About a megabyte, which is cut off again. */
const APPENDS = 62;
const FETCH_BYTES = 64 * 1024;

export interface GrowthPlan {
  readonly sizesBytes: readonly number[];
  /** Rounds that count; one more before them warms up and counts for nothing. */
  readonly rounds: number;
}

export const GROWTH_QUICK: GrowthPlan = { sizesBytes: [10 * MB, 100 * MB], rounds: 5 };
export const GROWTH: GrowthPlan = { sizesBytes: [10 * MB, 1_000 * MB], rounds: 15 };
export const GROWTH_LARGE: GrowthPlan = { sizesBytes: [10 * MB, 1_000 * MB, 5_000 * MB], rounds: 15 };

/** In the order in which a round measures them. Only those with an aim are promised to stay flat. */
export const OPERATIONS = [
  { name: "open after a clean close", hasAim: true },
  { name: "of that, the log itself", hasAim: false },
  { name: "first fetch", hasAim: false },
  { name: "fetch at a random offset", hasAim: true },
  { name: "look up a time", hasAim: true },
  { name: "append", hasAim: true },
  { name: "truncate the last megabyte", hasAim: true },
] as const;
export type Operation = (typeof OPERATIONS)[number]["name"];

/** Microseconds that one call takes. */
type Sample = Readonly<Record<Operation, number>>;

export interface GrowthRow {
  readonly operation: Operation;
  readonly hasAim: boolean;
  /** Medians over the rounds, in the order of the sizes. */
  readonly microseconds: readonly number[];
}

export interface GrowthResult {
  readonly rounds: number;
  readonly sizesBytes: readonly number[];
  readonly segments: readonly number[];
  readonly rows: readonly GrowthRow[];
}

/** What a plan leaves on the disk at most. */
export function growthBytes({ sizesBytes }: GrowthPlan): number {
  return sizesBytes.reduce((sum, each) => sum + each + 10 * MB, 0);
}

/** Throws when a log does not answer as it should: then no time says anything. */
export async function measureGrowth(plan: GrowthPlan, folder: string): Promise<GrowthResult> {
  const logs: FilledLog[] = [];
  for (const [index, sizeBytes] of plan.sizesBytes.entries())
    logs.push(await fill(join(folder, `log-${index}`), sizeBytes));
  const samples: Sample[][] = logs.map(() => []);
  for (let round = 0; round <= plan.rounds; round += 1) {
    showProgress(`round ${round} of ${plan.rounds}`);
    for (const [index, log] of logs.entries()) {
      const sample = await measureOnce(log);
      if (round > 0) samples[index]?.push(sample);
    }
  }
  showProgress("");
  const rows = OPERATIONS.map(({ name: operation, hasAim }) => ({
    operation,
    hasAim,
    microseconds: samples.map((ofSize) => median(ofSize.map((sample) => sample[operation]))),
  }));
  const { rounds, sizesBytes } = plan;
  return { rounds, sizesBytes, segments: logs.map(({ segments }) => segments), rows };
}

interface FilledLog {
  readonly dataFolder: string;
  readonly topicId: string;
  readonly segments: number;
}

/** A cluster with one log of that size, closed cleanly. */
async function fill(dataFolder: string, sizeBytes: number): Promise<FilledLog> {
  const cluster = await openCluster(dataFolder);
  const { topicId } = cluster.createTopic({ topic: PLACE.topic, partitions: 1 });
  const log = logOf(cluster);
  for (let bytes = 0, unflushed = 0; bytes < sizeBytes; ) {
    const frame = frameAt(log.logEndOffset);
    log.append(frame, 0);
    bytes += frame.length;
    unflushed += frame.length;
    if (unflushed < 16 * MB) continue;
    showProgress(`a log of ${sizeBytes / MB} MB: ${Math.floor((100 * bytes) / sizeBytes)} %`);
    await log.flush();
    unflushed = 0;
  }
  const segments = log.segments().length;
  await cluster.close();
  return { dataFolder, topicId, segments };
}

const logOf = (cluster: BrokerCluster) => cluster.replicaSet(PLACE).leaderLog;
const timeAt = (offset: number) => START_MS + Math.floor(offset / RECORDS) * STEP_MS;
/** A batch whose records are of a time that follows from their offset. */
const frameAt = (offset: number) => frameOf(RECORDS, VALUE_BYTES, timeAt(offset));

async function measureOnce({ dataFolder, topicId }: FilledLog): Promise<Sample> {
  const [alone, aloneUs] = timed(1, () => openLogAlone(dataFolder, PLACE.topic, topicId));
  alone.abandon();
  const [cluster, openUs] = await timedOnce(() => openCluster(dataFolder));
  const log = logOf(cluster);
  const [, firstFetchUs] = timed(1, () => fetchAt(log, randomOffset(log)));
  // One call in each segment brings its indexes into memory, as those of a consumer do that reads all of it.
  for (const { baseOffset } of log.segments().filter(({ sizeBytes }) => sizeBytes > 0)) {
    fetchAt(log, baseOffset);
    lookUp(log, baseOffset);
  }
  const [, fetchUs] = timed(FETCHES, () => fetchAt(log, randomOffset(log)));
  const [, lookUpUs] = timed(LOOKUPS, () => lookUp(log, randomOffset(log)));
  const end = log.logEndOffset;
  const frames = Array.from({ length: APPENDS }, (_none, index) => frameAt(end + index * RECORDS));
  const [, appendUs] = timed(APPENDS, (index) => log.append(frames[index] ?? Buffer.alloc(0), 0));
  await cluster.close();
  const truncateUs = await truncateAt(dataFolder, end);
  return {
    "open after a clean close": openUs,
    "of that, the log itself": aloneUs,
    "first fetch": firstFetchUs,
    "fetch at a random offset": fetchUs,
    "look up a time": lookUpUs,
    append: appendUs,
    "truncate the last megabyte": truncateUs,
  };
}

/** What is cut off is durable and counted in the manifest, as with a follower that has to follow another leader. */
async function truncateAt(dataFolder: string, end: number): Promise<number> {
  const cluster = await openCluster(dataFolder);
  const log = logOf(cluster);
  const [, truncateUs] = await timedOnce(() => log.truncateTo(end));
  if (log.logEndOffset !== end) throw new Error(`a log that was cut at ${end} ends at ${log.logEndOffset}`);
  await cluster.close();
  return truncateUs;
}

/** What the last of `times` calls of `act` returned, and how many microseconds the median of them took. */
function timed<Result>(times: number, act: (index: number) => Result): readonly [Result, number] {
  const microseconds: number[] = [];
  for (let index = 0; ; index += 1) {
    const startMs = performance.now();
    const result = act(index);
    microseconds.push((performance.now() - startMs) * 1_000);
    if (index >= times - 1) return [result, median(microseconds)];
  }
}

async function timedOnce<Result>(act: () => Promise<Result>): Promise<readonly [Result, number]> {
  const startMs = performance.now();
  const result = await act();
  return [result, (performance.now() - startMs) * 1_000];
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
