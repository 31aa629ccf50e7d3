/** A group over the real kernel through a history that chance has drawn, and what must hold after each of its steps. */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import { BrokerError } from "../src/errors.ts";
import { ASSIGNORS, type AssignorName } from "../src/group/assignors/assignor.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";
import { openCluster } from "./cluster-world.ts";
import { type ClientRequest, GroupClient } from "./group-client.ts";
import { checkGroupLog, type LogVerdict } from "./group-log.ts";
import { GroupWitness } from "./group-witness.ts";
import { settle } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

const INTERNAL: TopicPartition = { topic: "__consumer_offsets", partition: 0 };
const GROUP = "g";
const TOPICS = ["t0", "t1", "t2"] as const;
const CRASHES = ["kept", "lost", "torn", "scattered"] as const;
const NEVER_MS = 10_000_000;

export class GroupHistory {
  readonly world: World;
  readonly config: Partial<ClusterConfig>;
  readonly brokerIds: readonly number[];
  readonly done: string[] = [];
  readonly assignor: AssignorName;
  /** Half of the histories: nobody is expired while its own session lasts. */
  readonly isPatient: boolean;
  cluster!: BrokerCluster;
  readonly witness: GroupWitness;
  clients: GroupClient[] = [];
  readonly #inFlight: ClientRequest[] = [];
  #members = 0;

  constructor(seed: number, changes: Partial<ClusterConfig> = {}) {
    this.world = memoryWorld(seed);
    const { random } = this.world;
    const brokers = 1 + random.below(3);
    this.brokerIds = Array.from({ length: brokers }, (_, index) => index + 1);
    this.assignor = ASSIGNORS[random.below(ASSIGNORS.length)] ?? "roundrobin";
    this.isPatient = random.below(2) === 0;
    this.config = {
      brokerIds: this.brokerIds,
      offsetsTopicPartitions: 1,
      replicaLagTimeMs: 10_000,
      ...changes,
    };
    const isBarrier = (changes.rebalance ?? "barrier") === "barrier";
    this.witness = new GroupWitness({ groupId: GROUP, isBarrier, isPatient: this.isPatient });
  }

  async open(): Promise<void> {
    this.cluster = await openCluster(this.world, this.config);
    if (this.cluster.hasTopic(INTERNAL.topic)) return;
    this.cluster.createTopic({ topic: "t0", partitions: 1 + this.world.random.below(5) });
    const place = { topic: "t0", partition: 0 };
    const offsets = [{ ...place, offset: this.witness.numberFor(null, place), metadata: null }];
    const first = this.cluster.groups.commit({ groupId: GROUP, member: null, offsets });
    while (!this.cluster.hasTopic(INTERNAL.topic)) await new Promise(setImmediate);
    await this.#replicate();
    await first;
  }

  /** One step, and what must hold after it. */
  async step(): Promise<void> {
    const { random } = this.world;
    const choice = random.below(100);
    if (choice < 68) for (let acts = 1 + random.below(3); acts > 0; acts--) this.#act();
    else if (choice < 74) this.#deliverOne();
    else if (choice < 81) this.#advance(random.below(70));
    else if (choice < 86) await this.#try("expire", () => this.#expire());
    else if (choice < 89) await this.#changeTopic();
    else if (choice < 90) this.#commitFromOutside();
    else if (choice < 91) await this.#try("delete", () => this.#deleteGroup());
    else if (choice < 96) await this.#changeBrokers();
    else if (choice < 98) await this.#restart();
    else await this.#crash(CRASHES[random.below(CRASHES.length)] ?? "lost");
    if (random.below(10) < 7) await this.#replicate();
    await settle();
    this.#receive();
    await this.check();
  }

  async check(): Promise<void> {
    for (const request of this.#inFlight) if (request.broken !== null) throw request.broken;
    if (this.world.random.below(3) === 0) return;
    await this.witness.check(this.cluster, this.clients);
  }

  /** Every fault is over, and members do what they should: each partition comes to be owned, and everybody knows by whom. */
  async converge(): Promise<LogVerdict> {
    for (const brokerId of this.brokerIds) await this.cluster.startBroker(brokerId);
    const set = this.cluster.replicaSet(INTERNAL);
    const [candidate] = set.inSyncReplicas;
    assert.ok(candidate !== undefined, "nobody is in sync, though no disk was damaged");
    if (set.leaderId === null) await this.cluster.promote(INTERNAL, candidate);
    for (const brokerId of set.replicas)
      if (brokerId !== set.leaderId) await this.cluster.rejoin(INTERNAL, brokerId);
    for (const request of this.#inFlight.splice(0)) if (!request.isDelivered) request.deliver();
    // What arrived last may have been an older subscription.
    for (const client of this.clients) if (client.isMember) client.isMember = false;
    for (let round = 0; round < 40; round++) await this.#goodRound();
    await this.witness.checkConverged(this.cluster, this.clients, TOPICS);
    const { committed } = this.witness;
    return checkGroupLog(set, {
      groupId: GROUP,
      committed,
      isBarrier: this.config.rebalance !== "immediate",
    });
  }

  async #goodRound(): Promise<void> {
    for (const client of this.clients) {
      client.outstanding = null;
      client.letGo();
      const request = this.#usual(client, true);
      request.deliver();
      await this.#replicate();
      await settle();
      client.receive();
    }
    this.world.clock.advance(20);
    const expiring = this.cluster.groups.expireMembers();
    await this.#replicate();
    await expiring;
  }

  #act(): void {
    const { random } = this.world;
    if (this.clients.length === 0 || (this.clients.length < 5 && random.below(12) === 0)) this.#newClient();
    const client = this.clients[random.below(this.clients.length)];
    if (client === undefined) return;
    if (client.outstanding !== null) {
      // It has waited long enough, or its connection broke: what it sent may still arrive.
      if (random.below(4) === 0) client.outstanding = null;
      return;
    }
    if (random.below(3) === 0) client.letGo(1 + random.below(3));
    const choice = random.below(40);
    if (choice === 0) this.#say(client, "dies", () => client.die());
    else if (choice === 1) this.#send(client, client.leave());
    else if (choice === 2) {
      client.topics = this.#someTopics();
      this.#send(client, client.join());
    } else if (choice < 18 && client.isMember && client.believed.size > 0) this.#commitAs(client);
    else this.#send(client, this.#usual(client, random.below(4) > 0));
    this.clients = this.clients.filter(({ isGone }) => !isGone);
  }

  /** What a member does when nothing else is the matter. */
  #usual(client: GroupClient, says: boolean): ClientRequest {
    if (!client.isMember) return client.join();
    return client.mustAsk ? client.ask() : client.heartbeat(says);
  }

  #commitAs(client: GroupClient): void {
    const { random } = this.world;
    if (random.below(6) === 0) {
      this.#send(client, client.commit({ topic: "t0", partition: random.below(3) }));
      return;
    }
    const all = [...client.believed.values()];
    const belief = all[random.below(all.length)];
    if (belief !== undefined) this.#send(client, client.commit(belief.place));
  }

  #send(client: GroupClient, request: ClientRequest): void {
    this.#inFlight.push(request);
    this.#say(client, `${request.kind} in ${client.generation}`, () => {});
    // Some are on their way for a while.
    if (this.world.random.below(5) > 0) request.deliver();
  }

  #deliverOne(): void {
    const waiting = this.#inFlight.filter(({ isDelivered }) => !isDelivered);
    const request = waiting[this.world.random.below(Math.max(1, waiting.length))];
    if (request === undefined) return;
    this.done.push(`late ${request.kind}`);
    request.deliver();
  }

  /** Answers come, are on their way still, or are lost. */
  #receive(): void {
    const { random } = this.world;
    for (const client of this.clients) {
      if (client.outstanding?.outcome == null) continue;
      const choice = random.below(10);
      if (choice === 0) client.outstanding = null;
      else if (choice < 8) client.receive();
    }
    for (let index = this.#inFlight.length - 1; index >= 0; index--)
      if (this.#inFlight[index]?.outcome != null) this.#inFlight.splice(index, 1);
  }

  #newClient(): void {
    const { random } = this.world;
    const memberId = `m${this.#members++}`;
    this.clients.push(
      new GroupClient(
        {
          memberId,
          topics: this.#someTopics(),
          assignor: this.assignor,
          sessionTimeoutMs: 100 + random.below(300),
          rebalanceTimeoutMs: this.isPatient ? NEVER_MS : 200 + random.below(800),
        },
        {
          groupId: GROUP,
          cluster: () => this.cluster,
          nowMs: () => this.world.clock.monotonicMs(),
          nextOffset: ({ memberId, generation, place }) =>
            this.witness.numberFor({ memberId, generation }, place),
          mayBeTaken: (believed) => this.witness.mayBeTaken(believed),
          acknowledged: (offset, place) => this.witness.acknowledged(offset, place),
        },
      ),
    );
  }

  #someTopics(): string[] {
    const { random } = this.world;
    return TOPICS.filter((topic) => topic === "t0" || random.below(2) === 0);
  }

  #advance(ms: number): void {
    this.done.push(`advance ${ms}`);
    this.world.clock.advance(ms);
  }

  async #expire(): Promise<void> {
    const expiring = this.cluster.groups.expireMembers();
    expiring.catch(() => {});
    await this.#replicate();
    const running = await Promise.race([expiring, settle().then(() => null)]);
    if (running !== null && running.length > 0) this.done.push(`  ${JSON.stringify(running)}`);
  }

  #commitFromOutside(): void {
    const place = { topic: "t0", partition: 0 };
    if (!this.cluster.hasTopic("t0")) return;
    const offsets = [{ ...place, offset: this.witness.numberFor(null, place), metadata: null }];
    this.done.push("commit from outside");
    this.cluster.groups.commit({ groupId: GROUP, member: null, offsets }).catch((problem: unknown) => {
      if (!(problem instanceof BrokerError)) throw problem;
    });
  }

  /** Mostly a group that nobody is left in: the others refuse. */
  async #deleteGroup(): Promise<void> {
    if (this.world.random.below(3) > 0) {
      for (const client of this.clients) client.leave().deliver();
      this.clients = [];
      await this.#replicate();
    }
    this.witness.forget();
    const deleting = this.cluster.groups.delete(GROUP);
    deleting.catch(() => {});
    await this.#replicate();
    await Promise.race([deleting, settle()]);
  }

  async #changeTopic(): Promise<void> {
    const { random } = this.world;
    const topic = TOPICS[random.below(TOPICS.length)] ?? "t1";
    if (!this.cluster.hasTopic(topic)) {
      const partitions = 1 + random.below(5);
      await this.#try(`create ${topic}`, async () => this.cluster.createTopic({ topic, partitions }));
    } else if (random.below(2) === 0) {
      const partitions = this.cluster.describeTopic(topic).partitions + 1 + random.below(2);
      await this.#try(`grow ${topic}`, () => this.cluster.growTopic(topic, partitions));
    } else {
      this.witness.topicGone(topic, this.clients, this.#inFlight.length + 2);
      await this.#try(`delete ${topic}`, async () => this.cluster.deleteTopic(topic));
    }
  }

  async #changeBrokers(): Promise<void> {
    const { random } = this.world;
    const brokerId = this.brokerIds[random.below(this.brokerIds.length)] ?? 1;
    const choice = random.below(4);
    if (choice === 0) await this.#try(`promote ${brokerId}`, () => this.cluster.promote(INTERNAL, brokerId));
    else if (choice === 1) await this.#try(`stop ${brokerId}`, () => this.cluster.stopBroker(brokerId));
    else if (choice === 2) await this.#try(`start ${brokerId}`, () => this.cluster.startBroker(brokerId));
    else await this.#try(`rejoin ${brokerId}`, () => this.cluster.rejoin(INTERNAL, brokerId));
  }

  async #restart(): Promise<void> {
    this.done.push("restart");
    for (const brokerId of this.brokerIds) await this.cluster.startBroker(brokerId);
    await this.#replicate();
    await this.cluster.close();
    await this.open();
  }

  async #crash(mode: (typeof CRASHES)[number]): Promise<void> {
    this.done.push(`crash (${mode})`);
    await this.cluster.crash();
    const { random } = this.world;
    this.world.disk.crash(mode === "kept" || mode === "lost" ? { mode } : { mode, random });
    await this.open();
  }

  async #replicate(): Promise<void> {
    for (let round = 0; round < 3; round++) await this.cluster.replicateOnce({ topic: INTERNAL.topic });
    await settle();
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

  #say(client: GroupClient, what: string, act: () => void): void {
    this.done.push(`${client.options.memberId} ${what}`);
    act();
  }
}
