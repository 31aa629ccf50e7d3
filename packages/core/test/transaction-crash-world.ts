/**
 * What the crash tests of transactions share: a life of several transactions with a witness beside it, and what may be left of
 * them when the world ends at one of its instants.
 */
import { expect } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { append } from "./cluster-world.ts";
import { committed, OFFSETS_TOPIC } from "./offsets-world.ts";
import { replicatedUntil } from "./replicated-until.ts";
import {
  A,
  B,
  committedIn,
  logOf,
  openTransactions,
  TRANSACTIONS_TOPIC,
  TransactionalProducer,
} from "./transactional-producer.ts";
import { type World, worldOn } from "./world.ts";

/** How the transactions stand, each by its number, which is its records' value and its offset. */
export interface Fates {
  /** Answered. */
  readonly committed: ReadonlySet<number>;
  /** May be committed: its commit was asked for. */
  readonly asked: ReadonlySet<number>;
}

/** What readers of committed records see. */
export interface Seen {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly offsets: readonly string[];
}

interface Instant {
  readonly disk: MemoryDisk;
  readonly before: string;
  readonly fates: Fates;
}

export class TransactionsLife {
  readonly world: World;
  readonly cluster: BrokerCluster;
  readonly producer: TransactionalProducer;
  readonly instants: Instant[] = [];
  readonly #committed = new Set<number>();
  readonly #asked = new Set<number>();

  constructor(world: World, cluster: BrokerCluster) {
    this.world = world;
    this.cluster = cluster;
    this.producer = new TransactionalProducer(cluster);
    world.disk.beforeChange(({ kind, path }) => this.note(`${kind} of ${path}`));
  }

  note(before: string): void {
    const fates = { committed: new Set(this.#committed), asked: new Set(this.#asked) };
    this.instants.push({ disk: this.world.disk.clone(), before, fates });
  }

  /** A new instance, which ends what the one before has open. */
  async init(): Promise<void> {
    await replicatedUntil(this.cluster, this.producer.init());
  }

  async open(number: number): Promise<void> {
    const { producer, cluster } = this;
    await replicatedUntil(cluster, producer.begin());
    const writes = [
      producer.send(A, `${number}`),
      producer.send(B, `${number}`, `${number}`),
      producer.sendOffsets("readers", `a:0=${number}`),
    ];
    await replicatedUntil(cluster, Promise.all(writes));
  }

  async commit(number: number): Promise<void> {
    this.#asked.add(number);
    await replicatedUntil(this.cluster, this.producer.commit());
    this.#committed.add(number);
  }

  async abort(): Promise<void> {
    await replicatedUntil(this.cluster, this.producer.abort());
  }

  async close(): Promise<void> {
    await this.cluster.close();
    this.note("the end");
  }
}

/**
 * One instant in so many, which falls to each way of ending in turn; all of them when MINIKAFKA_HISTORIES asks for more than the
 * usual.
 */
export function* sampled<Item>(items: readonly Item[], stride: number): Generator<readonly [number, Item]> {
  const step = process.env.MINIKAFKA_HISTORIES ? 1 : stride;
  for (const [index, item] of items.entries()) if (index % step === 0) yield [index, item];
}

/** One of the four ways in which a world ends. */
export function crashOf(seed: number): Crash {
  const random = new SeededRandom(seed);
  const modes: Crash[] = [
    { mode: "kept" },
    { mode: "lost" },
    { mode: "torn", random },
    { mode: "scattered", random },
  ];
  const crash = modes[seed % modes.length];
  if (crash === undefined) throw new Error("there are four");
  return crash;
}

/** What is left on `disk`, once what was decided is complete; the cluster is still open. */
export async function seenOn(
  disk: MemoryDisk,
  brokers = 1,
): Promise<{ seen: Seen; cluster: BrokerCluster; world: World }> {
  const world = worldOn(disk);
  const cluster = await openTransactions(world, { brokers });
  await leadEverywhere(cluster);
  const { failed } = await replicatedUntil(cluster, cluster.transactions.expire());
  expect(failed).toEqual([]);
  await replicatedUntil(cluster, cluster.transactions.settled());
  const a = committedIn(cluster, A);
  const b = committedIn(cluster, B);
  return { seen: { a, b, offsets: await committed(cluster, "readers") }, cluster, world };
}

/** A leader that lost what a replica in sync still holds leads no more, and somebody has to say who does. */
async function leadEverywhere(cluster: BrokerCluster): Promise<void> {
  for (const place of [
    A,
    B,
    { topic: TRANSACTIONS_TOPIC, partition: 0 },
    { topic: OFFSETS_TOPIC, partition: 0 },
  ]) {
    if (!cluster.hasTopic(place.topic)) continue;
    const { leaderId, inSyncReplicas } = cluster.replicaSet(place);
    const [heir] = inSyncReplicas;
    if (leaderId === null && heir !== undefined) await cluster.promote(place, heir);
  }
  for (let round = 0; round < 3; round += 1) await cluster.replicateOnce();
}

export function expectWhole(
  { a, b, offsets }: Seen,
  { committed: answered, asked }: Fates,
  where: string,
): void {
  const numbers = a.map(Number);
  expect(b, where).toEqual(a.flatMap((value) => [value, value]));
  expect(offsets, where).toEqual(a.slice(-1).map((value) => `a:0=${value}`));
  for (const number of answered) expect(numbers, where).toContain(number);
  for (const number of numbers) expect([...asked], where).toContain(number);
}

/** Nothing of a life before holds readers back, or comes to light. */
export async function expectGoesOn(cluster: BrokerCluster, seen: Seen, where: string): Promise<void> {
  const producer = new TransactionalProducer(cluster);
  await replicatedUntil(cluster, producer.init());
  await replicatedUntil(cluster, append(cluster, A, "plain", "all"));
  expect(committedIn(cluster, A), where).toEqual([...seen.a, "plain"]);
  await replicatedUntil(cluster, producer.begin());
  await replicatedUntil(cluster, producer.send(B, "more"));
  await replicatedUntil(cluster, producer.commit());
  expect(committedIn(cluster, B), where).toEqual([...seen.b, "more"]);
  expect(await committed(cluster, "readers"), where).toEqual(seen.offsets);
  for (const place of [A, B]) expectOneMarkerEach(logOf(cluster, place), where);
}

/** What one producer wrote is followed by one marker, whatever it is. */
function expectOneMarkerEach(log: readonly string[], where: string): void {
  const shape = log.map((entry) => (entry === "commit" || entry === "abort" ? "marker" : entry));
  shape.forEach((entry, index) => {
    if (entry === "marker") expect(["marker", "plain", undefined], where).not.toContain(shape[index - 1]);
  });
}
