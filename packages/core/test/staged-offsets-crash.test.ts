/** The world ends at every change of the disk: a transaction's offsets are all there or none, and its end goes on where it was. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { commit, committed, openOffsets } from "./offsets-world.ts";
import { markersOn } from "./replica-transactions-world.ts";
import { end, PLACE, PRODUCER, stage } from "./staged-offsets-world.ts";
import { memoryWorld, type World, worldOn } from "./world.ts";

/** How far the transactions had come when the world ended. */
interface Instant {
  readonly disk: MemoryDisk;
  readonly before: string;
  /** The end of so many was decided: all that they had sent was acknowledged. */
  readonly decided: number;
  /** The end of so many was answered. */
  readonly ended: number;
}

/** How each transaction ends; what it sends is its number. */
const FATES = ["commit", "abort", "commit", "commit", "abort"] as const;

const producerOf = (number: number) => ({ ...PRODUCER, producerEpoch: number });

async function livedThrough(): Promise<Instant[]> {
  const world = memoryWorld();
  const cluster = await openOffsets(world, { flush: "ack" });
  await commit(cluster, "one", "orders:0=0", "orders:1=0");
  await commit(cluster, "other", "orders:0=0");
  const instants: Instant[] = [];
  let [decided, ended] = [0, 0];
  const note = (before: string) => instants.push({ disk: world.disk.clone(), before, decided, ended });
  world.disk.beforeChange(({ kind, path }) => note(`${kind} of ${path}`));
  for (const [index, fate] of FATES.entries()) {
    await sendAll(cluster, index);
    decided = index + 1;
    await end(cluster, fate, producerOf(index));
    ended = index + 1;
    if (index !== 2) continue;
    cluster.steps.rollSegment(PLACE);
    await cluster.steps.flushLogs();
    await cluster.steps.compact(() => Promise.resolve());
  }
  await cluster.close();
  note("the end");
  return instants;
}

/** The number of the transaction as three offsets of two groups. */
async function sendAll(cluster: BrokerCluster, index: number): Promise<void> {
  const number = index + 1;
  await Promise.all([
    stage(cluster, "one", [`orders:0=${number}`, `orders:1=${number}`], producerOf(index)),
    stage(cluster, "other", [`orders:0=${number}`], producerOf(index)),
  ]);
}

/** The number that all three offsets have. */
async function found(cluster: BrokerCluster): Promise<number> {
  const offsets = [...(await committed(cluster, "one")), ...(await committed(cluster, "other"))];
  expect(offsets).toHaveLength(3);
  const numbers = new Set(offsets.map((text) => Number(text.split("=")[1])));
  expect(numbers.size, offsets.join(", ")).toBe(1);
  return [...numbers][0] ?? -1;
}

/** The last of the first `count` transactions that commits. */
const lastCommitted = (count: number) => FATES.slice(0, count).lastIndexOf("commit") + 1;

/** What the coordinator does after a crash: it ends what is open, without knowing how far it came. */
async function endAgain(cluster: BrokerCluster, { ended, decided }: Instant): Promise<void> {
  for (const [index, fate] of FATES.entries())
    if (index >= ended) await end(cluster, index < decided ? fate : "abort", producerOf(index));
}

async function afterCrash(world: World, instant: Instant, where: string): Promise<void> {
  const { decided, ended } = instant;
  const cluster = await openOffsets(world, { flush: "ack" });
  expect([lastCommitted(ended), lastCommitted(decided)], where).toContain(await found(cluster));
  await endAgain(cluster, instant);
  expect(await found(cluster), where).toBe(lastCommitted(decided));
  expect(cluster.replicaSet(PLACE).leaderLog.openTransactions, where).toEqual([]);
  const markers = markersOn(cluster, 1, PLACE).map((text) => text.split(" ")[2]);
  expect(new Set(markers).size, `${where}: each marker once`).toBe(markers.length);
  await cluster.close();
}

test("after a crash at any instant what was answered holds, and the end that is asked for again comes to the same", async () => {
  const instants = await livedThrough();
  expect(instants.length).toBeGreaterThan(30);
  for (const [seed, instant] of instants.entries()) {
    const random = new SeededRandom(seed);
    const crashes: Crash[] = [{ mode: "kept" }, { mode: "lost" }, { mode: "torn", random }];
    for (const crash of crashes) {
      const copy = instant.disk.clone();
      copy.crash(crash);
      await afterCrash(worldOn(copy), instant, `a crash (${crash.mode}) before ${instant.before}`);
    }
  }
}, 60_000);
