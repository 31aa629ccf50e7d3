/**
 * A search through all instants of a life and all ends of the world at each of them: what is opened afterwards must have whole
 * transactions or none of them, before and after their time is over, and after a second crash.
 */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { MemoryDisk } from "../src/env/memory-disk.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import type { FlushPolicy } from "../src/replica/acknowledgement.ts";
import { crashesOf, instantsOf, interruptedAt, saying } from "./crash-instants.ts";
import { problemsOf } from "./transaction-judge.ts";
import {
  driven,
  type Hosting,
  type Instant,
  openedOn,
  reopened,
  TIMEOUT_MS,
  TransactionLife,
} from "./transaction-life.ts";
import { type Observation, observationOf } from "./transaction-observation.ts";
import type { Workload } from "./transaction-workloads.ts";
import { A, TransactionalProducer } from "./transactional-producer.ts";

export interface Exploration {
  readonly workload: Workload;
  readonly brokers: number;
  /** Whether the crash in the mode (or the second crash) is tried at this instant. */
  readonly isTried: (crash: Crash, random: SeededRandom) => boolean;
  /** Whether recoveries are interrupted as well; default false. */
  readonly isTwice?: boolean;
  readonly seed: number;
  /** Default "ack". */
  readonly flush?: FlushPolicy;
}

/** What was done, in numbers. */
export interface Explored {
  instants: number;
  crashes: number;
  secondCrashes: number;
}

/** What a crash left, when it came, and in words where. */
interface Left {
  readonly disk: MemoryDisk;
  readonly instant: Instant;
  readonly hosting: Hosting;
}

async function instantsOfLife({ live }: Workload, hosting: Hosting): Promise<readonly Instant[]> {
  const life = new TransactionLife(new MemoryDisk(), hosting);
  await life.open();
  await live(life);
  life.note("the end");
  return life.instants;
}

export async function explore(exploration: Exploration): Promise<Explored> {
  const { workload, brokers, isTried, isTwice = false, seed, flush = "ack" } = exploration;
  const hosting = { brokers, flush };
  const random = new SeededRandom(seed);
  const instants = await instantsOfLife(workload, hosting);
  const explored: Explored = { instants: instants.length, crashes: 0, secondCrashes: 0 };
  for (const instant of instants) {
    for (const crash of crashesOf(random)) {
      if (!isTried(crash, random)) continue;
      const disk = instant.disk.clone();
      disk.crash(crash);
      const where = `${workload.name} on ${brokers}, seed ${seed}: a crash (${crash.mode}) before ${instant.before}`;
      const left = { disk, instant, hosting };
      const second = isTwice ? disk.clone() : null;
      await saying(where, () => expectWhole(left));
      explored.crashes++;
      if (second === null) continue;
      explored.secondCrashes += await interrupted({ ...left, disk: second }, where, { isTried, random });
    }
  }
  return explored;
}

/** The same crash, and another one at each instant of what comes after it. */
async function interrupted(
  left: Left,
  where: string,
  { isTried, random }: { readonly isTried: Exploration["isTried"]; readonly random: SeededRandom },
): Promise<number> {
  const recovering = await instantsOf(left.disk, async () => {
    const cluster = await recovered(left);
    await over(cluster, left);
  });
  let count = 0;
  for (const { disk, crash } of interruptedAt(recovering, crashesOf, random)) {
    if (!isTried(crash, random)) continue;
    await saying(`${where}, and a second (${crash.mode})`, () => expectWhole({ ...left, disk }));
    count++;
  }
  return count;
}

/** Ends that were decided are completed. */
async function recovered({ disk, instant, hosting }: Left): Promise<BrokerCluster> {
  const cluster = await reopened(openedOn(disk, instant.nowMs), hosting);
  await driven(cluster, cluster.transactions.settled());
  return cluster;
}

/** The time of every transaction is over. */
async function over(cluster: BrokerCluster, { disk, instant, hosting }: Left): Promise<BrokerCluster> {
  await cluster.crash();
  disk.crash({ mode: "kept" });
  const later = await reopened(openedOn(disk, instant.nowMs + 10 * TIMEOUT_MS), hosting);
  await driven(later, later.transactions.settled());
  const { failed } = await driven(later, later.transactions.expire());
  assert.deepEqual(failed, []);
  if (hosting.brokers > 1) for (let round = 0; round < 3; round++) await later.replicateOnce();
  return later;
}

async function expectWhole(left: Left): Promise<void> {
  const cluster = await recovered(left);
  expectNoProblems(left.instant, await observationOf(cluster), false);
  const later = await over(cluster, left);
  const seen = await observationOf(later);
  expectNoProblems(left.instant, seen, true);
  await expectNothingMore(later, left, seen);
}

function expectNoProblems({ witnessed }: Instant, seen: Observation, isOver: boolean): void {
  const problems = problemsOf(witnessed, seen, { isOver });
  const when = isOver ? "when all is over" : "when it is opened";
  assert.equal(problems.join("; "), "", `${when}: ${JSON.stringify({ witnessed, seen })}`);
}

/** Another crash, even one that loses all that was not synced, and another recovery change nothing; and the id goes on. */
async function expectNothingMore(cluster: BrokerCluster, left: Left, seen: Observation): Promise<void> {
  const { disk, instant, hosting } = left;
  await cluster.crash();
  disk.crash({ mode: "lost" });
  const again = await reopened(openedOn(disk, instant.nowMs + 10 * TIMEOUT_MS), hosting);
  await driven(again, again.transactions.settled());
  await driven(again, again.transactions.expire());
  assert.deepEqual(await observationOf(again), seen, "a second recovery changes nothing");
  const producer = new TransactionalProducer(again);
  await driven(again, producer.init());
  await driven(again, producer.begin());
  await driven(again, producer.send(A, "afterwards"));
  await driven(again, producer.commit());
  if (hosting.brokers > 1) for (let round = 0; round < 2; round++) await again.replicateOnce();
  const [a] = (await observationOf(again)).partitions;
  assert.equal(a?.read.at(-1), "afterwards", "the id goes on");
  await again.crash();
}
