/** Transactions of several ids through a history that chance has drawn, and what must hold after each of its steps. */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import type { FaultPoint } from "../src/env/fault-point.ts";
import { BrokerError } from "../src/errors.ts";
import type { AppendResult } from "../src/replica/append-options.ts";
import { partitionName, type TopicPartition } from "../src/replica/topic-partition.ts";
import { batchOf, openCluster } from "./cluster-world.ts";
import { assertReplicasAgree, assertSameWhereHeld } from "./history-agreement.ts";
import { settle } from "./replica-world.ts";
import { type InstanceWorld, TransactionInstance } from "./transaction-instance.ts";
import { driven } from "./transaction-life.ts";
import { MixedReaders } from "./transaction-mixed-readers.ts";
import { TransactionModel } from "./transaction-model.ts";
import { memoryWorld, type World } from "./world.ts";

const CRASHES = ["kept", "lost", "torn", "scattered"] as const;
const IDS = ["billing", "payroll", "audit"] as const;
const TOPICS = { a: 2, b: 1 } as const;
const INTERNAL: readonly TopicPartition[] = [
  { topic: "__transaction_state", partition: 0 },
  { topic: "__transaction_state", partition: 1 },
  { topic: "__consumer_offsets", partition: 0 },
];
const RECORDS: readonly TopicPartition[] = Object.entries(TOPICS).flatMap(([topic, partitions]) =>
  Array.from({ length: partitions }, (_, partition) => ({ topic, partition })),
);
const FAULTS: readonly FaultPoint[] = [
  "transaction.marker.before_append",
  "transaction.marker.after_append",
  "transaction.prepare.after_write",
  "transaction.complete.before_write",
  "transaction.add_partition.after_write",
  "coordinator.write.before_append",
  "coordinator.write.after_append",
];

export class MixedHistory {
  readonly world: World;
  readonly model = new TransactionModel();
  readonly done: string[] = [];
  readonly brokerIds: readonly number[];
  readonly readers: MixedReaders;
  cluster!: BrokerCluster;
  readonly #config: Partial<ClusterConfig>;
  readonly #minInSyncReplicas: number;
  readonly #isRetained: boolean;
  readonly #instances: TransactionInstance[] = [];
  readonly #instanceWorld: InstanceWorld;
  #problem: unknown = null;

  constructor(seed: number, changes: Partial<ClusterConfig> = {}) {
    this.world = memoryWorld(seed);
    const { random } = this.world;
    this.brokerIds = Array.from({ length: 1 + random.below(3) }, (_, index) => index + 1);
    this.#minInSyncReplicas = 1 + random.below(Math.min(2, this.brokerIds.length));
    this.#isRetained = random.below(3) === 0;
    this.#config = {
      brokerIds: this.brokerIds,
      transactionsTopicPartitions: 2,
      offsetsTopicPartitions: 1,
      segmentBytes: 1024 + random.below(2000),
      replicaLagTimeMs: 100,
      producerExpirationMs: random.below(2) === 0 ? 50 : 1_000_000,
      transactionalIdExpirationMs: random.below(3) === 0 ? 300 : 1_000_000_000,
      ...changes,
    };
    this.readers = new MixedReaders(this.model, RECORDS, random);
    this.#instanceWorld = {
      model: this.model,
      random,
      places: RECORDS,
      timeoutMs: 40 + random.below(200),
      cluster: () => this.cluster,
      nowMs: () => this.world.clock.nowMs(),
      say: (what) => void this.done.push(what),
      broken: (problem) => {
        this.#problem ??= problem;
      },
      given: new Map(),
    };
  }

  async open(): Promise<void> {
    this.cluster = await openCluster(this.world, this.#config);
    if (this.cluster.hasTopic("a")) return;
    for (const [topic, partitions] of Object.entries(TOPICS)) this.#createTopic(topic, partitions);
  }

  #createTopic(topic: string, partitions: number): void {
    const config = {
      min_insync_replicas: this.#minInSyncReplicas,
      ...(topic === "b" && {
        cleanup_policy: "compact",
        min_cleanable_dirty_ratio: 0,
        delete_retention_ms: 100,
      }),
      ...(topic === "a" && this.#isRetained && { retention_ms: 150 }),
    };
    const replicationFactor = this.brokerIds.length;
    this.cluster.createTopic({ topic, partitions, replicationFactor, config });
  }

  /** One step, and what must hold after it. */
  async step(): Promise<void> {
    const { random } = this.world;
    const choice = random.below(100);
    if (choice < 52) for (let acts = 1 + random.below(3); acts > 0; acts--) this.#instance().act();
    else if (choice < 55) this.#instance().actLate();
    else if (choice < 64) this.#outside();
    else if (choice < 72) this.#advance(random.below(60));
    else if (choice < 76) this.#background("expire", () => this.cluster.transactions.expire());
    else if (choice < 78) this.#abort(this.#id());
    else if (choice < 86) await this.#changeBrokers();
    else if (choice < 92) await this.#upkeep();
    else if (choice < 94) this.#fault();
    else if (choice < 95) this.#failDisk();
    else if (choice < 96) await this.#restart();
    else {
      await this.#actUnsynced(random.below(4));
      await this.#crash(CRASHES[random.below(CRASHES.length)] ?? "lost");
      if (random.below(3) === 0) await this.#crash("lost");
    }
    if (random.below(10) < 6) await this.#replicate(1 + random.below(3));
    await settle();
    await this.check();
  }

  async check(): Promise<void> {
    if (this.#problem !== null) throw this.#problem;
    await this.readers.check(this.cluster);
    if (this.world.random.below(8) === 0) this.#checkReplicas();
  }

  /** Every fault is over: what was decided is completed, what is open is aborted in time, and nobody is held back. */
  async converge(): Promise<void> {
    this.done.push("converge");
    this.world.faults.disarm();
    this.world.disk.stopFailing();
    await this.#everybodyBack();
    await driven(this.cluster, this.cluster.transactions.settled());
    await this.check();
    this.#advance(1000);
    for (let rounds = 0; ; rounds++) {
      assert.ok(rounds < 5, "what is open is aborted");
      const { aborted, completed, failed } = await driven(this.cluster, this.cluster.transactions.expire());
      assert.deepEqual(failed, []);
      if (aborted.length + completed.length === 0) break;
    }
    // Who waits for others of the same id waits for as many rounds as they do.
    for (let rounds = 0; rounds < 100 && this.#instances.some(({ isAtWork }) => isAtWork); rounds++)
      await this.#replicate(4);
    await this.#replicate(4);
    if (this.#problem !== null) throw this.#problem;
    await this.readers.checkOver(this.cluster);
    this.#checkReplicas();
    assert.ok(
      this.#instances.every(({ isAtWork }) => !isAtWork),
      "nobody waits any more",
    );
  }

  /** The same, once everything was cleaned, and once the process has died. */
  async lastly(): Promise<void> {
    this.#advance(200_000_000);
    for (let pass = 0; pass < 2; pass++) {
      for (const place of this.#places()) this.cluster.steps.rollSegment(place);
      await this.#replicate(2);
      await this.cluster.steps.flushLogs();
      await this.cluster.steps.compact(async () => {});
    }
    await this.readers.checkOver(this.cluster);
    await this.#crash("lost");
    await this.#everybodyBack();
    await driven(this.cluster, this.cluster.transactions.settled());
    await this.readers.checkOver(this.cluster);
  }

  #places(): TopicPartition[] {
    return [...RECORDS, ...INTERNAL].filter(({ topic }) => this.cluster.hasTopic(topic));
  }

  #id(): string {
    return IDS[this.world.random.below(IDS.length)] ?? "billing";
  }

  #instance(): TransactionInstance {
    const { random } = this.world;
    if (this.#instances.length < 2 || (this.#instances.length < 6 && random.below(30) === 0))
      this.#instances.push(
        new TransactionInstance(`i${this.#instances.length}`, this.#id(), this.#instanceWorld),
      );
    const instance = this.#instances[random.below(this.#instances.length)];
    assert.ok(instance !== undefined);
    return instance;
  }

  #abort(transactionalId: string): void {
    this.model.threaten(transactionalId);
    this.#background(`abort ${transactionalId}`, () => this.cluster.transactions.abort(transactionalId));
  }

  /** Records and offsets that belong to no transaction. */
  #outside(): void {
    const { random } = this.world;
    const place = RECORDS[random.below(RECORDS.length)] ?? { topic: "a", partition: 0 };
    if (random.below(3) === 0 && place.topic === "a") {
      const sent = this.model.send(partitionName(place), "none");
      const appended = (): Promise<AppendResult> =>
        this.cluster.appendBatch(place, batchOf([sent.value]), { acks: "all" });
      this.#background(`send ${sent.value}`, appended, ({ baseOffset }) => {
        sent.offset = baseOffset;
      });
      return;
    }
    const partition = random.below(4) === 0 ? 1 : 0;
    const sent = this.model.sendNumber(`a:${partition}`);
    const offsets = [{ topic: "a", partition, offset: sent.number, metadata: null }];
    const commit = () => this.cluster.groups.commit({ groupId: "g", member: null, offsets });
    this.#background(`commit number ${sent.number}`, commit, () => {
      sent.takenAt = this.model.tick();
    });
  }

  async #changeBrokers(): Promise<void> {
    const { random } = this.world;
    const brokerId = this.brokerIds[random.below(this.brokerIds.length)] ?? 1;
    const places = this.#places();
    const place = places[random.below(places.length)];
    if (place === undefined) return;
    const [choice, name] = [random.below(10), partitionName(place)];
    if (choice < 5)
      await this.#try(`promote ${brokerId} at ${name}`, () => this.cluster.promote(place, brokerId));
    else if (choice < 6 && this.brokerIds.length > 1)
      await this.#try(`stop ${brokerId}`, () => this.cluster.stopBroker(brokerId));
    else if (choice < 8) await this.#try(`start ${brokerId}`, () => this.cluster.startBroker(brokerId));
    else if (choice < 9)
      await this.#try(`rejoin ${brokerId} at ${name}`, () => this.cluster.rejoin(place, brokerId));
    else if (random.below(2) === 0) await this.#try("isr", async () => this.cluster.refreshIsr());
    else
      await this.#try(`remove ${brokerId} at ${name}`, async () =>
        this.cluster.removeFromIsr(place, brokerId),
      );
  }

  async #upkeep(): Promise<void> {
    const { random } = this.world;
    const { steps } = this.cluster;
    const places = this.#places();
    const place = places[random.below(places.length)];
    const choice = random.below(8);
    if (place === undefined) return;
    if (choice < 2) await this.#try(`roll ${partitionName(place)}`, async () => steps.rollSegment(place));
    else if (choice < 4) {
      await this.#try("flush", () => steps.flushLogs());
      await this.#try("compact", () => steps.compact(async () => {}));
    } else if (choice < 5) {
      await this.#try("retention", () => steps.applyRetention());
      await this.#try("expire producers", async () => steps.expireProducers());
    } else if (choice < 7) {
      await this.#changeTopic();
    } else if (place.topic === "a") {
      const before = random.below(this.cluster.replicaSet(place).highWatermark + 1);
      await this.#try(`delete below ${before} of ${partitionName(place)}`, () =>
        this.cluster.deleteRecords(place, before),
      );
    }
  }

  /** One that is made anew has nothing of the old one's. */
  async #changeTopic(): Promise<void> {
    if (!this.cluster.hasTopic("b")) return this.#try("create b", async () => this.#createTopic("b", 1));
    await this.#try("delete b", async () => this.cluster.deleteTopic("b"));
    if (this.cluster.hasTopic("b")) return;
    this.model.gone("b-0");
    this.readers.forget();
  }

  #fault(): void {
    const point = FAULTS[this.world.random.below(FAULTS.length)];
    if (point === undefined) return;
    this.done.push(`a fault at ${point}`);
    this.world.faults.arm({ point, action: "error" });
  }

  /** The next write or sync of some log fails. A broker that could not sync serves no writes until it is started again. */
  #failDisk(): void {
    const { random, disk } = this.world;
    const operation = random.below(2) === 0 ? "write" : "sync";
    const code = random.below(2) === 0 ? "EIO" : "ENOSPC";
    this.done.push(`a ${operation} will fail with ${code}`);
    disk.fail({ operation, code, path: /\/[^/]+\.log$/ });
  }

  async #everybodyBack(): Promise<void> {
    for (const brokerId of this.brokerIds) await this.#startAgain(brokerId);
    for (const place of this.#places()) {
      const set = this.cluster.replicaSet(place);
      const [candidate] = set.inSyncReplicas;
      assert.ok(candidate !== undefined, "nobody is in sync, though no disk was damaged");
      if (set.leaderId === null) await this.cluster.promote(place, candidate);
      for (const brokerId of this.brokerIds)
        if (brokerId !== set.leaderId) await this.cluster.rejoin(place, brokerId);
    }
    await this.#replicate(10);
  }

  async #startAgain(brokerId: number): Promise<void> {
    const copies = this.#places().flatMap((place) => this.cluster.replicaSet(place).copies);
    const own = copies.filter((copy) => copy.brokerId === brokerId);
    // One whose log could not be opened comes back with its broker, too.
    if (own.some(({ broker, isOnline }) => !broker.isRunning || !isOnline))
      await this.#try(`stop ${brokerId}`, () => this.cluster.stopBroker(brokerId));
    await this.cluster.startBroker(brokerId);
  }

  #advance(ms: number): void {
    this.done.push(`advance ${ms}`);
    const { clock } = this.world;
    clock.advance(ms);
    this.model.timeIsOver(clock.nowMs() - this.#instanceWorld.timeoutMs);
  }

  async #restart(): Promise<void> {
    this.done.push("restart");
    for (const brokerId of this.brokerIds) await this.#startAgain(brokerId);
    await this.#try("close", () => this.cluster.close());
    await this.#reopen();
  }

  async #crash(mode: (typeof CRASHES)[number]): Promise<void> {
    this.done.push(`crash (${mode})`);
    await this.cluster.crash();
    const { random } = this.world;
    this.world.disk.crash(mode === "kept" || mode === "lost" ? { mode } : { mode, random });
    await this.#reopen();
  }

  /** What was asked for just before: the disk has taken it, and has synced nothing of it. */
  async #actUnsynced(acts: number): Promise<void> {
    if (acts === 0) return;
    this.done.push("no sync ends any more");
    this.world.disk.holdSyncs();
    for (let act = 0; act < acts; act++) {
      this.#instance().act();
      await settle();
    }
  }

  async #reopen(): Promise<void> {
    await settle();
    for (const instance of this.#instances) instance.giveUp();
    this.readers.forget();
    await this.open();
  }

  async #replicate(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round++) await this.cluster.replicateOnce();
    await settle();
  }

  /** Of a log that is compacted each replica may have dropped what another has not yet. */
  #checkReplicas(): void {
    for (const place of this.#places()) {
      const set = this.cluster.replicaSet(place);
      if (place.topic === "a") assertReplicasAgree(set, false);
      else assertSameWhereHeld(set);
    }
  }

  #background<Result>(
    what: string,
    act: () => Promise<Result>,
    answered: (result: Result) => void = () => {},
  ): void {
    this.done.push(what);
    act()
      .then(answered, (problem: unknown) => {
        if (!(problem instanceof BrokerError)) throw problem;
        this.done.push(`  ${problem.code}: ${what}`);
      })
      .catch(this.#instanceWorld.broken);
  }

  async #try(what: string, act: () => Promise<unknown>): Promise<void> {
    this.done.push(what);
    try {
      await act();
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
      this.done.push(`  ${problem.code}`);
    }
  }
}
