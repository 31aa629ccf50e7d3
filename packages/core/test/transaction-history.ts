/** Transactions over the real kernel through a history that chance has drawn, and what must hold after each of its steps. */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { BrokerError } from "../src/errors.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";
import { openCluster } from "./cluster-world.ts";
import { settle } from "./replica-world.ts";
import { replicatedUntil } from "./replicated-until.ts";
import { TransactionClient } from "./transaction-client.ts";
import { TransactionWitness } from "./transaction-witness.ts";
import { memoryWorld, type World } from "./world.ts";

const PLACES: readonly TopicPartition[] = [0, 1, 2].map((partition) => ({ topic: "t", partition }));
const INTERNAL: readonly TopicPartition[] = ["__transaction_state", "__consumer_offsets"].map((topic) => {
  return { topic, partition: 0 };
});
const CRASHES = ["kept", "lost", "torn", "scattered"] as const;

export class TransactionHistory {
  readonly world: World;
  readonly brokerIds: readonly number[];
  readonly done: string[] = [];
  readonly witness = new TransactionWitness(PLACES);
  readonly clients: readonly TransactionClient[];
  cluster!: BrokerCluster;

  constructor(seed: number) {
    this.world = memoryWorld(seed);
    const brokers = 1 + this.world.random.below(3);
    this.brokerIds = Array.from({ length: brokers }, (_, index) => index + 1);
    // Two instances of one id fence each other; other ids are beside them.
    this.clients = ["one", "one", "two", "three", "three"]
      .slice(0, 2 + this.world.random.below(4))
      .map((id) => new TransactionClient(id, this.witness, () => this.cluster));
  }

  async open(): Promise<void> {
    const { brokerIds } = this;
    this.cluster = await openCluster(this.world, {
      brokerIds,
      transactionsTopicPartitions: 1,
      offsetsTopicPartitions: 1,
    });
    if (this.cluster.hasTopic("t")) return;
    this.cluster.createTopic({ topic: "t", partitions: 3, replicationFactor: brokerIds.length });
  }

  async step(): Promise<void> {
    const { random } = this.world;
    const choice = random.below(100);
    if (choice < 80) for (let acts = 1 + random.below(3); acts > 0; acts -= 1) this.#act();
    else if (choice < 86) await this.#try("promote", () => this.#promote());
    else if (choice < 90) await this.#try("stop or start", () => this.#stopOrStart());
    else if (choice < 94) this.#tend(random.below(3) === 0);
    else if (choice < 95) this.#loseAnswer();
    else if (choice < 96) await this.#try("compact", () => this.#compact());
    else if (choice < 98) await this.#restart(true);
    else await this.#restart(false);
    if (random.below(10) < 7) await this.#try("", () => this.cluster.replicateOnce());
    await settle();
    await new Promise(setImmediate);
    for (const client of this.clients) client.receive();
    if (random.below(4) === 0) this.witness.look(this.cluster);
  }

  /** Every fault is over, and each transaction comes to its end. Returns how many are there for readers. */
  async converge(): Promise<number> {
    const { cluster } = this;
    for (const brokerId of this.brokerIds) await cluster.startBroker(brokerId);
    for (const place of this.#places()) await this.#heal(place);
    for (const id of new Set(this.clients.map(({ transactionalId }) => transactionalId)))
      await replicatedUntil(cluster, cluster.transactions.init({ transactionalId: id }));
    const { failed } = await replicatedUntil(cluster, cluster.transactions.expire());
    assert.deepEqual(failed, []);
    for (const client of this.clients) client.receive();
    await cluster.transactions.settled();
    for (let round = 0; round < 3; round += 1) await cluster.replicateOnce();
    const offsets = new Map<string, number | null>();
    for (const { group } of this.clients) {
      const [committed] = await cluster.groups.committed({ groupId: group, requireStable: true });
      offsets.set(group, committed?.offset ?? null);
    }
    const there = this.witness.check(cluster, offsets);
    await cluster.close();
    return there;
  }

  #act(): void {
    const { random } = this.world;
    const client = this.clients[random.below(this.clients.length)];
    const place = PLACES[random.below(PLACES.length)];
    if (client === undefined || place === undefined || client.isWaiting) return;
    this.done.push(client.ask(random.below(100), place));
  }

  /** The answer of somebody's request is lost, who goes on as it was or begins anew. */
  #loseAnswer(): void {
    const { random } = this.world;
    const client = this.clients[random.below(this.clients.length)];
    client?.lose(random.below(2) === 0);
    this.done.push(`${client?.transactionalId} loses an answer`);
  }

  /** The step goes on while others do. */
  #tend(isLate: boolean): void {
    if (isLate) this.world.clock.advance(60_001);
    this.done.push(isLate ? "expire, late" : "expire");
    this.cluster.transactions.expire().catch((problem: unknown) => {
      if (!(problem instanceof BrokerError)) throw problem;
    });
  }

  async #promote(): Promise<void> {
    const { random } = this.world;
    const places = this.#places();
    const place = places[random.below(places.length)];
    if (place === undefined) return;
    const { inSyncReplicas } = this.cluster.replicaSet(place);
    const brokerId = inSyncReplicas[random.below(inSyncReplicas.length)];
    if (brokerId !== undefined) await this.cluster.promote(place, brokerId);
  }

  async #stopOrStart(): Promise<void> {
    const brokerId = 1 + this.world.random.below(this.brokerIds.length);
    if (this.world.random.below(3) === 0) await this.cluster.stopBroker(brokerId);
    else await this.cluster.startBroker(brokerId);
  }

  /** The states and the offsets become what their last records say. */
  async #compact(): Promise<void> {
    const place = INTERNAL[this.world.random.below(INTERNAL.length)];
    if (place === undefined || !this.cluster.hasTopic(place.topic)) return;
    this.cluster.steps.rollSegment(place);
    await this.cluster.steps.flushLogs();
    await this.cluster.steps.compact(() => Promise.resolve(), place.topic);
  }

  async #restart(isClean: boolean): Promise<void> {
    const { random, disk } = this.world;
    const mode = CRASHES[random.below(CRASHES.length)] ?? "lost";
    this.done.push(isClean ? "restart" : `crash, ${mode}`);
    if (isClean) await this.cluster.close();
    else {
      await this.cluster.crash();
      disk.crash(mode === "kept" || mode === "lost" ? { mode } : { mode, random });
    }
    for (const client of this.clients) client.lose(random.below(2) === 0);
    await this.open();
  }

  async #heal(place: TopicPartition): Promise<void> {
    const set = this.cluster.replicaSet(place);
    const [heir] = set.inSyncReplicas;
    assert.ok(heir !== undefined, "nobody is in sync, though no disk was damaged");
    if (set.leaderId === null) await this.cluster.promote(place, heir);
    for (const brokerId of set.replicas)
      if (brokerId !== set.leaderId) await this.cluster.rejoin(place, brokerId);
  }

  #places(): TopicPartition[] {
    return [...PLACES, ...INTERNAL].filter(({ topic }) => this.cluster.hasTopic(topic));
  }

  async #try(what: string, act: () => Promise<unknown>): Promise<void> {
    if (what !== "") this.done.push(what);
    try {
      await act();
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
    }
  }
}
