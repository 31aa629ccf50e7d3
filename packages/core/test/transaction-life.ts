/**
 * Transactions that are lived through, and a witness beside them that knows at every instant what was asked and what was answered.
 *
 * Owns: the disk, the clock, the cluster of the moment, and what the producers have asked.
 */
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { ManualClock } from "../src/env/clock.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { FlushPolicy } from "../src/replica/acknowledgement.ts";
import { partitionName, type TopicPartition } from "../src/replica/topic-partition.ts";
import { commit } from "./offsets-world.ts";
import { settle } from "./replica-world.ts";
import type { Asked, Witnessed } from "./transaction-judge.ts";
import { GROUP, OFFSETS, placesOf } from "./transaction-observation.ts";
import { openTransactions, TRANSACTIONS_TOPIC, TransactionalProducer } from "./transactional-producer.ts";
import { START_MS, type World, worldOn } from "./world.ts";

/** An instant at which the world may end. */
export interface Instant {
  readonly disk: MemoryDisk;
  readonly before: string;
  readonly nowMs: number;
  readonly witnessed: Witnessed;
}

export interface Hosting {
  readonly brokers: number;
  /** What an acknowledgement waits for. */
  readonly flush: FlushPolicy;
}

export const TIMEOUT_MS = 1000;
const STATES: TopicPartition = { topic: TRANSACTIONS_TOPIC, partition: 0 };
const OFFSETS_BEFORE = ["a:0=1"];
/** Whatever is awaited needs fewer rounds of replication. */
const ROUNDS_MAX = 200;

export function openedOn(disk: MemoryDisk, nowMs: number): World {
  return { ...worldOn(disk), clock: new ManualClock(nowMs) };
}

/** Resolves as `work`, while followers fetch for it. */
export async function driven<Result>(cluster: BrokerCluster, work: Promise<Result>): Promise<Result> {
  let isOver = false;
  const note = () => {
    isOver = true;
  };
  work.then(note, note);
  for (let round = 0; round < ROUNDS_MAX && !isOver; round++) {
    await settle();
    if (isOver) break;
    await cluster.replicateOnce();
  }
  if (!isOver) throw new Error("what was asked for is under way for ever");
  return work;
}

/** Opens what a crash has left, so that every partition has a leader and everybody is in sync. */
export async function reopened(world: World, { brokers, flush }: Hosting): Promise<BrokerCluster> {
  const cluster = await openTransactions(world, { brokers, config: { flush } });
  for (const place of [STATES, ...placesOf(cluster)]) {
    if (!cluster.hasTopic(place.topic)) continue;
    const set = cluster.replicaSet(place);
    const [candidate] = set.inSyncReplicas;
    if (set.leaderId === null && candidate !== undefined) await cluster.promote(place, candidate);
  }
  if (brokers > 1) for (let round = 0; round < 3; round++) await cluster.replicateOnce();
  return cluster;
}

export class TransactionLife {
  readonly hosting: Hosting;
  readonly instants: Instant[] = [];
  readonly disk: MemoryDisk;
  world: World;
  cluster!: BrokerCluster;
  #asked: readonly Asked[] = [];
  #offsetsBefore: readonly string[] = [];
  #cleaned: readonly string[] = [];

  constructor(disk: MemoryDisk, hosting: Hosting) {
    this.disk = disk;
    this.hosting = hosting;
    this.world = openedOn(disk, START_MS);
  }

  /** The topics, the internal ones too, and a first offset of the group: what comes behind is explored. */
  async open(): Promise<void> {
    this.cluster = await reopened(this.world, this.hosting);
    await this.driven(commit(this.cluster, GROUP, ...OFFSETS_BEFORE));
    this.#offsetsBefore = OFFSETS_BEFORE;
    this.disk.beforeChange(({ kind, path }) => this.note(`${kind} of ${path}`));
  }

  note(before: string): void {
    const witnessed = { asked: this.#asked, offsetsBefore: this.#offsetsBefore, cleaned: this.#cleaned };
    this.instants.push({ disk: this.disk.clone(), before, nowMs: this.world.clock.nowMs(), witnessed });
  }

  driven<Result>(work: Promise<Result>): Promise<Result> {
    return driven(this.cluster, work);
  }

  async producer(transactionalId = "billing"): Promise<LivingProducer> {
    const producer = new TransactionalProducer(this.cluster, transactionalId);
    await this.driven(producer.init({ timeoutMs: TIMEOUT_MS }));
    return new LivingProducer(this, producer);
  }

  /** The process dies, and another opens what it leaves. */
  async kill(): Promise<void> {
    const nowMs = this.world.clock.nowMs();
    await this.cluster.crash();
    this.disk.crash({ mode: "kept" });
    this.world = openedOn(this.disk, nowMs);
    this.cluster = await reopened(this.world, this.hosting);
  }

  async expire(): Promise<void> {
    this.world.clock.advance(TIMEOUT_MS + 1);
    await this.driven(this.cluster.transactions.expire());
  }

  /** Every segment is closed, and what nobody needs is taken out of the compacted ones. */
  async clean(): Promise<void> {
    const { cluster } = this;
    for (const place of [STATES, ...placesOf(cluster)]) cluster.steps.rollSegment(place);
    await cluster.replicateOnce();
    await cluster.steps.flushLogs();
    this.#cleaned = [partitionName(OFFSETS)];
    await cluster.steps.compact(() => Promise.resolve());
  }

  /** `name` is new, or changes. */
  witness(name: string, change: Partial<Asked>): void {
    const before = this.#asked.find((each) => each.name === name);
    const others = this.#asked.filter((each) => each.name !== name);
    const after: Asked = {
      ...(before ?? { name, sent: [], offset: null, end: "none", answered: false }),
      ...change,
    };
    this.#asked = [...others, after];
  }

  sentOf(name: string): Asked["sent"] {
    return this.#asked.find((each) => each.name === name)?.sent ?? [];
  }
}

/** A producer whose life is witnessed. One transaction after another. */
export class LivingProducer {
  readonly #life: TransactionLife;
  readonly producer: TransactionalProducer;
  #name = "";

  constructor(life: TransactionLife, producer: TransactionalProducer) {
    this.#life = life;
    this.producer = producer;
  }

  async begin(name: string): Promise<void> {
    this.#name = name;
    this.#life.witness(name, {});
    await this.#driven(() => this.producer.begin());
  }

  async send(place: TopicPartition): Promise<void> {
    const sent = this.#life.sentOf(this.#name);
    const value = `${this.#name}/${sent.length + 1}`;
    this.#life.witness(this.#name, { sent: [...sent, { partition: partitionName(place), value }] });
    await this.#driven(() => this.producer.send(place, value));
  }

  async sendOffset(offset: string): Promise<void> {
    this.#life.witness(this.#name, { offset });
    await this.#driven(() => this.producer.sendOffsets(GROUP, offset));
  }

  commit(): Promise<void> {
    return this.ended("commit", () => this.producer.commit());
  }

  abort(): Promise<void> {
    return this.ended("abort", () => this.producer.abort());
  }

  /** Ends the transaction by `act`. */
  async ended(end: "commit" | "abort", act: () => Promise<unknown>): Promise<void> {
    this.#life.witness(this.#name, { end });
    await this.#driven(act);
    this.#life.witness(this.#name, { answered: true });
  }

  /** Asks for the end, and for no answer. */
  decide(end: "commit" | "abort"): Promise<unknown> {
    this.#life.witness(this.#name, { end });
    const ending = this.producer.end(end === "commit");
    ending.catch(() => {});
    return ending;
  }

  #driven(act: () => Promise<unknown>): Promise<unknown> {
    this.producer.cluster = this.#life.cluster;
    return this.#life.driven(act());
  }
}
