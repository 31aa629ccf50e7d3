/**
 * Rounds over all workloads. Within a round the bound and what it bounds are measured right after each other, and a ratio is
 * made of just these two: what else the machine does meanwhile slows both.
 */
import { ftruncateSync } from "node:fs";
import type { Client } from "@minikafka/client";
import { bareWork } from "./bare-work.ts";
import { type Cost, costOf } from "./cost.ts";
import type { Daemon } from "./daemon.ts";
import { linesFor, recordsFor } from "./payload.ts";
import type { Plan, Workload } from "./plan.ts";
import { fetchAll, produceVolume } from "./sdk-work.ts";

const WAYS = ["produce", "produce, promise each", "fetch"] as const;
export type Way = (typeof WAYS)[number];

/** One measurement beside the bound's that was made just before it. */
export interface Sample {
  readonly workload: Workload;
  readonly way: Way;
  /** Its amount is in records. */
  readonly cost: Cost;
  /** Its amount is in bytes of values. */
  readonly bound: Cost;
}

export interface Rounds {
  readonly count: number;
  readonly samples: readonly Sample[];
}

/** Who takes part. */
export interface Scene {
  readonly daemon: Daemon;
  readonly client: Client;
  /** Where the bound writes: open, and on the disk on which the daemon writes too. */
  readonly file: number;
}

export async function runRounds(scene: Scene, plan: Plan): Promise<Rounds> {
  const measures = plan.workloads.map((workload, index) =>
    measureOf(scene, workload, { topic: `bench-${index}`, volumeBytes: plan.volumeBytes }),
  );
  const samples: Sample[] = [];
  const startMs = performance.now();
  let rounds = 0;
  for (; rounds <= plan.rounds; rounds += 1) {
    const elapsedMs = performance.now() - startMs;
    if (rounds > 1 && elapsedMs + elapsedMs / rounds > plan.timeMsMax) break;
    for (const measure of measures) {
      const found = await measure();
      if (rounds > 0) samples.push(...found);
    }
  }
  return { count: rounds - 1, samples };
}

/** How one workload is measured once. Its topic lives as long as that takes, so that the disk holds one at a time. */
function measureOf(
  { daemon, client, file }: Scene,
  workload: Workload,
  { topic, volumeBytes }: { topic: string; volumeBytes: number },
): () => Promise<Sample[]> {
  const records = recordsFor(workload, topic);
  const lines = linesFor(workload);
  const admin = client.admin();
  const beside = async (way: Way, act: () => Promise<number>): Promise<Sample> => {
    ftruncateSync(file, 0);
    const bound = await costOf(daemon, () => bareWork(lines, volumeBytes, file));
    return { workload, way, bound, cost: await costOf(daemon, act) };
  };
  const produce = (sendBy: "send" | "sendMany") => () =>
    produceVolume(client, records, workload, { volumeBytes, sendBy });
  return async () => {
    await admin.createTopic({ topic, partitions: 1 });
    const produced = await beside("produce", produce("sendMany"));
    const fetched = await beside("fetch", () => fetchAll(client, topic, produced.cost.amount));
    const each = await beside("produce, promise each", produce("send"));
    await admin.deleteTopic(topic);
    return [produced, fetched, each];
  };
}

export function samplesOf({ samples }: Rounds, workload: Workload, way: Way): readonly Sample[] {
  return samples.filter((sample) => sample.workload === workload && sample.way === way);
}

export { WAYS };
