/** A group over the real kernel through a history that chance has drawn, and what must hold after each of its steps. */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import { BrokerError } from "../src/errors.ts";
import { ASSIGNORS, type AssignorName } from "../src/group/assignors/assignor.ts";
import { keyOf } from "../src/group/partition-sets.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";
import { openCluster } from "./cluster-world.ts";
import { type Belief, type ClientRequest, GroupClient } from "./group-client.ts";
import { type Committed, checkGroupLog, type LogVerdict } from "./group-log.ts";
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
  clients: GroupClient[] = [];
  /** How often two members believed in one partition: never under barrier. */
  overlaps = 0;
  readonly #isBarrier: boolean;
  readonly #inFlight: ClientRequest[] = [];
  readonly #committed = new Map<number, Committed>();
  readonly #acked = new Map<string, number>();
  /** By topic: beliefs of this generation and before are about a topic that is gone. */
  readonly #goneAt = new Map<string, number>();
  #generation = 0;
  #forgottenUpTo = 0;
  #offsets = 0;
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
    this.#isBarrier = (changes.rebalance ?? "barrier") === "barrier";
  }

  async open(): Promise<void> {
    this.cluster = await openCluster(this.world, this.config);
    if (this.cluster.hasTopic(INTERNAL.topic)) return;
    this.cluster.createTopic({ topic: "t0", partitions: 1 + this.world.random.below(5) });
    const offsets = [
      {
        topic: "t0",
        partition: 0,
        offset: this.#numberFor(null, { topic: "t0", partition: 0 }),
        metadata: null,
      },
    ];
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
    const group = await this.cluster.groups.describe(GROUP).catch(() => null);
    if (group !== null) {
      assert.ok(
        group.generation >= this.#generation,
        `generation ${group.generation} after ${this.#generation}`,
      );
      this.#generation = group.generation;
    }
    this.#checkBeliefs(
      new Map(group?.members.map((member) => [member.memberId, member])),
      group?.generation ?? -1,
    );
    if (group !== null) await this.#checkCommitted();
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
    await this.#checkConverged();
    return checkGroupLog(set, { groupId: GROUP, committed: this.#committed, isBarrier: this.#isBarrier });
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

  async #checkConverged(): Promise<void> {
    if (this.clients.length === 0) return;
    const group = await this.cluster.groups.describe(GROUP);
    const what = JSON.stringify(group);
    assert.equal(group.state, "stable", what);
    assert.deepEqual(
      group.members.map(({ memberId }) => memberId),
      this.clients.map(({ options }) => options.memberId).sort(),
      what,
    );
    const owned = this.clients.flatMap(({ believed }) => [...believed.keys()]).sort();
    const wanted = TOPICS.flatMap((topic) => {
      if (!this.cluster.hasTopic(topic) || !this.clients.some(({ topics }) => topics.includes(topic)))
        return [];
      const { partitions } = this.cluster.describeTopic(topic);
      return Array.from({ length: partitions }, (_, partition) => keyOf({ topic, partition }));
    });
    assert.deepEqual(owned, wanted.sort(), "each partition is owned, and its owner knows");
    for (const { memberId, assignment } of group.members) {
      const client = this.clients.find(({ options }) => options.memberId === memberId);
      assert.deepEqual([...(client?.believed.keys() ?? [])].sort(), assignment.map(keyOf).sort());
    }
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
          nextOffset: ({ memberId, generation, place }) => this.#numberFor({ memberId, generation }, place),
          mayBeTaken: (believed) =>
            !this.#isBarrier || believed.some((belief) => this.#isOfGoneTopic(belief)),
          acknowledged: (offset, place) => this.#acknowledged(offset, place),
        },
      ),
    );
  }

  #someTopics(): string[] {
    const { random } = this.world;
    return TOPICS.filter((topic) => topic === "t0" || random.below(2) === 0);
  }

  #numberFor(by: { memberId: string; generation: number } | null, place: TopicPartition): number {
    this.#offsets++;
    this.#committed.set(this.#offsets, {
      memberId: by?.memberId ?? null,
      generation: by?.generation ?? 0,
      place,
    });
    return this.#offsets;
  }

  #acknowledged(offset: number, place: TopicPartition): void {
    const last = this.#acked.get(keyOf(place)) ?? 0;
    // A number of before the topic or the group went stands for nothing any more.
    if (offset > Math.max(last, this.#forgottenUpTo)) this.#acked.set(keyOf(place), offset);
  }

  /** Offsets that were committed before count no more. */
  #forget(): void {
    this.#acked.clear();
    this.#forgottenUpTo = this.#offsets;
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
    const offsets = [{ ...place, offset: this.#numberFor(null, place), metadata: null }];
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
    this.#forget();
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
      // Nobody was told of a later generation than the log can have by now.
      const told = Math.max(this.#generation, ...this.clients.map(({ generation }) => generation));
      this.#goneAt.set(topic, told + this.#inFlight.length + 2);
      this.#forget();
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

  /** Under barrier nobody believes in what another believes in, and everybody's beliefs are the coordinator's. */
  #checkBeliefs(
    members: ReadonlyMap<
      string,
      { assignment: readonly TopicPartition[]; revoking: readonly TopicPartition[] }
    >,
    generation: number,
  ): void {
    const owners = new Map<string, string>();
    for (const client of this.clients) {
      const { memberId } = client.options;
      const member = members.get(memberId);
      // One that was expired because it did not let go finds out when it speaks next.
      if (!client.isInSession || (!this.isPatient && member === undefined)) continue;
      const counted = new Set([...(member?.assignment ?? []), ...(member?.revoking ?? [])].map(keyOf));
      for (const [key, belief] of client.believed) {
        if (this.#isOfGoneTopic(belief)) continue;
        const other = owners.get(key);
        if (other !== undefined) {
          this.overlaps++;
          if (this.#isBarrier) assert.fail(`${memberId} and ${other} both believe in ${key}`);
        }
        owners.set(key, memberId);
        const isSame = this.#isBarrier && member !== undefined && client.generation === generation;
        if (isSame) assert.ok(counted.has(key), `${memberId} believes in ${key}, which it does not hold`);
      }
    }
  }

  #isOfGoneTopic({ place, since }: Belief): boolean {
    return since <= (this.#goneAt.get(place.topic) ?? -1);
  }

  /** What is committed was committed by somebody, and not before what was acknowledged last. */
  async #checkCommitted(): Promise<void> {
    const committed = await this.cluster.groups.committed({ groupId: GROUP });
    const found = new Map(committed.map(({ offset, ...place }) => [keyOf(place), offset ?? 0]));
    for (const [key, offset] of this.#acked)
      assert.ok(
        (found.get(key) ?? 0) >= offset,
        `${key} is at ${found.get(key)}, ${offset} was acknowledged`,
      );
    for (const { topic, partition, offset } of committed) {
      const by = this.#committed.get(offset ?? -1);
      assert.ok(by !== undefined, `${offset} was committed by nobody`);
      assert.equal(keyOf(by.place), keyOf({ topic, partition }));
    }
  }
}
