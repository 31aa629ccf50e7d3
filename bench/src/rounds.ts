/**
 * Rounds over all workloads. Within a round the bound is measured right before and right after what it bounds, and a ratio is
 * made of just these three: what else the machine does meanwhile slows all.
 */
import type { Client } from "@minikafka/client";
import type { Bound, WorkCost } from "./bound.ts";
import { type Cost, costOf } from "./cost.ts";
import type { Daemon } from "./daemon.ts";
import { recordsFor } from "./payload.ts";
import type { Plan, Workload } from "./plan.ts";
import { fetchAll, produceVolume } from "./sdk-work.ts";

const WAYS = ["produce", "produce, promise each", "fetch"] as const;
export type Way = (typeof WAYS)[number];

/** One measurement beside the bound, which is the mean of the one just before it and the one just after it. */
export interface Sample {
  readonly workload: Workload;
  readonly way: Way;
  /** Its amount is in records. */
  readonly cost: Cost;
  /** Its amount is in bytes of values. */
  readonly bound: WorkCost;
}

export interface Rounds {
  readonly count: number;
  readonly samples: readonly Sample[];
}

/** Who takes part. */
export interface Scene {
  readonly daemon: Daemon;
  readonly client: Client;
  readonly bound: Bound;
}

export async function runRounds(scene: Scene, plan: Plan): Promise<Rounds> {
  const measures = plan.workloads.map((workload, index) =>
    measureOf(scene, workload, { topic: `bench-${index}`, volumeBytes: plan.volumeBytes }),
  );
  const samples: Sample[] = [];
  const startMs = performance.now();
  let rounds = 0;
  const { warmUpRounds } = plan;
  for (; rounds < warmUpRounds + plan.rounds; rounds += 1) {
    const elapsedMs = performance.now() - startMs;
    if (rounds > warmUpRounds && elapsedMs + elapsedMs / rounds > plan.timeMsMax) break;
    for (const measure of measures) {
      const found = await measure();
      if (rounds >= warmUpRounds) samples.push(...found);
    }
  }
  return { count: rounds - warmUpRounds, samples };
}

/** How one workload is measured once. Its topic lives as long as that takes, so that the disk holds one at a time. */
function measureOf(
  { daemon, client, bound }: Scene,
  workload: Workload,
  { topic, volumeBytes }: { topic: string; volumeBytes: number },
): () => Promise<Sample[]> {
  const records = recordsFor(workload, topic);
  const admin = client.admin();
  let before: WorkCost;
  const beside = async (way: Way, act: () => Promise<number>): Promise<Sample> => {
    const cost = await costOf(daemon, act);
    const after = await bound.measure({ workload, volumeBytes });
    const sample = { workload, way, cost, bound: mean(before, after) };
    before = after;
    return sample;
  };
  const produce = (sendBy: "send" | "sendMany") => () =>
    produceVolume(client, records, workload, { volumeBytes, sendBy });
  return async () => {
    await admin.createTopic({ topic, partitions: 1 });
    before = await bound.measure({ workload, volumeBytes });
    const produced = await beside("produce", produce("sendMany"));
    const fetched = await beside("fetch", () => fetchAll(client, topic, produced.cost.amount));
    const each = await beside("produce, promise each", produce("send"));
    await admin.deleteTopic(topic);
    return [produced, fetched, each];
  };
}

function mean(one: WorkCost, other: WorkCost): WorkCost {
  return {
    tookMs: (one.tookMs + other.tookMs) / 2,
    ownCpuMs: (one.ownCpuMs + other.ownCpuMs) / 2,
    amount: one.amount,
  };
}

export function samplesOf({ samples }: Rounds, workload: Workload, way: Way): readonly Sample[] {
  return samples.filter((sample) => sample.workload === workload && sample.way === way);
}

export { WAYS };
