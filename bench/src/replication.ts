/**
 * What acks=all over three replicas costs beside acks=1 over one: the same batches, in the same run, in this process alone, with
 * rounds taken as the daemon takes them.
 */
import { join } from "node:path";
import {
  BrokerCluster,
  FaultPoints,
  NodeDisk,
  SystemClock,
  SystemRandom,
  type TraceEvent,
} from "@minikafka/core";
import { aligned } from "./aligned.ts";
import { frameOf } from "./kernel.ts";
import { showProgress } from "./progress.ts";
import { median } from "./statistics.ts";

const RECORD_BYTES = 1_024;
const RECORDS_PER_BATCH = 16;
/** As many batches wait for their acknowledgement at a time. */
const IN_FLIGHT = 64;
const PLACE = { topic: "bench", partition: 0 };

export interface ReplicationPlan {
  readonly batches: number;
  readonly rounds: number;
}

export const REPLICATION: ReplicationPlan = { batches: 4_000, rounds: 5 };
export const REPLICATION_QUICK: ReplicationPlan = { batches: 1_000, rounds: 3 };

interface Way {
  readonly name: string;
  readonly replicas: number;
  readonly acks: 1 | "all";
}

const WAYS: readonly Way[] = [
  { name: "acks 1, one replica", replicas: 1, acks: 1 },
  { name: "acks all, one replica", replicas: 1, acks: "all" },
  { name: "acks all, three replicas", replicas: 3, acks: "all" },
];

export interface ReplicationRow {
  readonly name: string;
  readonly batchesPerSecond: number;
  readonly valueBytesPerSecond: number;
  /** Of all disks together; a flush may sync a folder's names besides. */
  readonly flushesPerSecond: number;
  /** How many batches one flush of one disk covered; `null` when nothing waited for one. */
  readonly batchesPerFlush: number | null;
}

export async function measureReplication(
  { batches, rounds }: ReplicationPlan,
  folder: string,
): Promise<ReplicationRow[]> {
  const measured = WAYS.map(() => [] as { ms: number; flushes: number }[]);
  // The first round warms up, and counts for nothing.
  for (let round = 0; round <= rounds; round += 1) {
    showProgress(`round ${round} of ${rounds}`);
    for (const [index, way] of WAYS.entries()) {
      const result = await run(way, batches, join(folder, `${round}-${index}`));
      if (round > 0) measured[index]?.push(result);
    }
  }
  return WAYS.map(({ name, replicas, acks }, index) => {
    const results = measured[index] ?? [];
    const seconds = median(results.map(({ ms }) => ms)) / 1_000;
    const flushes = median(results.map((result) => result.flushes));
    return {
      name,
      batchesPerSecond: batches / seconds,
      valueBytesPerSecond: (batches * RECORDS_PER_BATCH * RECORD_BYTES) / seconds,
      flushesPerSecond: flushes / seconds,
      batchesPerFlush: acks === 1 || flushes === 0 ? null : (batches * replicas) / flushes,
    };
  });
}

async function run(way: Way, batches: number, dataFolder: string): Promise<{ ms: number; flushes: number }> {
  let flushes = 0;
  const trace = (event: TraceEvent) => {
    if (event.kind === "flushed") flushes += 1;
  };
  const brokerIds = Array.from({ length: way.replicas }, (_none, index) => index + 1);
  const cluster = await BrokerCluster.open(
    { dataFolder, brokerIds, segmentBytes: 64 * 1024 * 1024 },
    {
      clock: new SystemClock(),
      disk: new NodeDisk(),
      random: new SystemRandom(),
      trace,
      faults: new FaultPoints(),
    },
  );
  cluster.createTopic({ topic: PLACE.topic, partitions: 1, replicationFactor: way.replicas });
  const frames = Array.from({ length: batches }, () => frameOf(RECORDS_PER_BATCH, RECORD_BYTES, 1));
  const stop = replicating(cluster);
  flushes = 0;
  const startMs = performance.now();
  let next = 0;
  const lane = async () => {
    for (let frame = frames[next++]; frame !== undefined; frame = frames[next++]) {
      await cluster.appendBatch(PLACE, frame, { acks: way.acks });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  const ms = performance.now() - startMs;
  const counted = flushes;
  await stop();
  await cluster.close();
  return { ms, flushes: counted };
}

/** Rounds in the next turn of the event loop whenever a follower is behind, as the daemon's replicator takes them. */
function replicating(cluster: BrokerCluster): () => Promise<void> {
  let underWay: Promise<void> = Promise.resolve();
  let isAsked = false;
  let isStopped = false;
  const ask = () => {
    if (isAsked || isStopped) return;
    isAsked = true;
    setImmediate(() => {
      underWay = round();
    });
  };
  const round = async () => {
    const left = await cluster.steps.replicateBehind();
    isAsked = false;
    if (left > 0) ask();
  };
  cluster.steps.onBehind(ask);
  return async () => {
    isStopped = true;
    await underWay;
  };
}

export function replicationTable(rows: readonly ReplicationRow[]): string {
  const base = rows[0]?.batchesPerSecond ?? 1;
  const heading = ["way", "batches/s", "MiB/s", "of the first", "flushes/s", "batches per flush"];
  const cells = rows.map((row) => [
    row.name,
    row.batchesPerSecond.toFixed(0),
    (row.valueBytesPerSecond / 1024 / 1024).toFixed(1),
    `${((100 * row.batchesPerSecond) / base).toFixed(0)} %`,
    row.flushesPerSecond.toFixed(0),
    row.batchesPerFlush?.toFixed(1) ?? "-",
  ]);
  const records = `batches of ${RECORDS_PER_BATCH} records of ${RECORD_BYTES} bytes`;
  return [`${records}, ${IN_FLIGHT} waiting at a time; medians`, "", ...aligned([heading, ...cells])].join(
    "\n",
  );
}
