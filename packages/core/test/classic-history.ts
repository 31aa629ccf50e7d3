/** A classic group over the real kernel through a history that chance has drawn, and what must hold in it. */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import type { Joined, Synced } from "../src/group/classic/classic-events.ts";
import { ClassicClient, type ClientWorld } from "./classic-client.ts";
import { openCluster } from "./cluster-world.ts";
import { settle } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

const GROUP = "g";
const INTERNAL = { topic: "__consumer_offsets", partition: 0 };
const CRASHES = ["kept", "lost"] as const;

/** What members of one generation were told. */
interface Generation {
  readonly leader: string;
  readonly protocol: string;
}

export class ClassicHistory {
  readonly world: World;
  readonly config: Partial<ClusterConfig>;
  readonly brokerIds: readonly number[];
  readonly done: string[] = [];
  cluster!: BrokerCluster;
  clients: ClassicClient[] = [];
  /** How often somebody was told something. */
  readonly told = { joined: 0, synced: 0, committed: 0 };
  readonly #generations = new Map<number, Generation>();
  /** Whose id each was, also of those that are gone. */
  readonly #names = new Map<string, string>();
  #newest = 0;
  /** By the number that is committed: of which generation. */
  readonly #committed = new Map<number, number>();
  #acknowledged = 0;
  #count = 0;

  constructor(seed: number) {
    this.world = memoryWorld(seed);
    const { random } = this.world;
    this.brokerIds = random.below(2) === 0 ? [1] : [1, 2, 3];
    this.config = {
      brokerIds: this.brokerIds,
      offsetsTopicPartitions: 1,
      groupInitialRebalanceDelayMs: random.below(3) === 0 ? 3_000 : 0,
    };
  }

  async open(): Promise<void> {
    this.cluster = await openCluster(this.world, this.config);
    if (!this.cluster.hasTopic("t")) this.cluster.createTopic({ topic: "t", partitions: 1 });
    if (!this.cluster.hasTopic(INTERNAL.topic)) await this.cluster.groups.coordinatorOf(GROUP);
  }

  async step(): Promise<void> {
    const { random, clock } = this.world;
    const choice = random.below(100);
    if (choice < 60) for (let acts = 1 + random.below(4); acts > 0; acts--) this.#act();
    else if (choice < 75) this.#say(`advance`, () => clock.advance(random.below(4_000)));
    else if (choice < 88) await this.#expire();
    else if (choice < 92) this.#changeOne();
    else if (choice < 95 && this.brokerIds.length > 1) await this.#promote();
    else if (choice < 97) await this.#crash(CRASHES[random.below(CRASHES.length)] ?? "lost");
    if (random.below(10) < 8) await this.#replicate();
    await settle();
    await this.#check();
  }

  /** Everybody who lives does what it should, and nothing else happens. */
  async converge(): Promise<void> {
    this.done.push("converge");
    for (let round = 0; round < 60; round++) {
      for (const client of this.clients) client.act();
      await this.#replicate();
      this.world.clock.advance(1_000);
      await this.#expire();
    }
    await this.#check();
    if (this.clients.length === 0) return;
    const group = await this.cluster.groups.describe(GROUP);
    const what = JSON.stringify(group);
    assert.equal(group.state, "stable", what);
    const names = this.clients.map(({ name }) => name).sort();
    assert.deepEqual(group.members.map(({ classic }) => classic?.clientId ?? "").sort(), names, what);
    for (const { name, generation, assignment } of this.clients) {
      assert.equal(generation, group.generation, `${name} is told of the newest generation`);
      assert.ok(assignment?.endsWith(`:${name}`), `${name} has ${assignment}`);
    }
  }

  #act(): void {
    const { random } = this.world;
    if (this.clients.length === 0 || (this.clients.length < 5 && random.below(10) === 0)) this.#newClient();
    const client = this.clients[random.below(this.clients.length)];
    client?.act();
  }

  #newClient(): void {
    const name = `c${this.#count++}`;
    const client = new ClassicClient(name, this.world.random.below(3) === 0, this.#clientWorld());
    this.#say(`${name} is there`, () => this.clients.push(client));
  }

  /** Somebody leaves, dies, is another process, or wants something else. */
  #changeOne(): void {
    const { random } = this.world;
    const index = random.below(Math.max(1, this.clients.length));
    const client = this.clients[index];
    if (client === undefined) return;
    const choice = random.below(4);
    if (choice === 0) this.#say(`${client.name} leaves`, () => this.#leave(client));
    else if (choice === 1) this.#say(`${client.name} dies`, () => this.#without(client));
    else if (choice === 2)
      this.#say(`${client.name} is reborn`, () => {
        this.clients[index] = client.reborn();
      });
    else {
      client.version += 1;
      if (client.next === "beat") client.next = "join";
      this.done.push(`${client.name} wants something else`);
    }
  }

  #leave(client: ClassicClient): void {
    if (!client.isWaiting && client.memberId !== "") {
      client.next = "leave";
      client.act();
    }
    this.#without(client);
  }

  #without(client: ClassicClient): void {
    client.isGone = true;
    this.clients = this.clients.filter((each) => each !== client);
  }

  async #expire(): Promise<void> {
    const expiring = this.cluster.groups.expireMembers().catch(() => []);
    await this.#replicate();
    const expired = await Promise.race([expiring, settle().then(() => [])]);
    if (expired.length > 0) this.done.push(`  ${JSON.stringify(expired)}`);
  }

  async #promote(): Promise<void> {
    const set = this.cluster.replicaSet(INTERNAL);
    const others = set.inSyncReplicas.filter((brokerId) => brokerId !== set.leaderId);
    const to = others[this.world.random.below(Math.max(1, others.length))];
    if (to === undefined) return;
    this.done.push(`promote ${to}`);
    await this.cluster.promote(INTERNAL, to);
  }

  async #crash(mode: (typeof CRASHES)[number]): Promise<void> {
    this.done.push(`crash ${mode}`);
    await this.cluster.crash();
    this.world.disk.crash({ mode });
    await this.open();
    await settle();
    // Whoever was told that it is a member of the newest generation still is one, until its time is over.
    const group = await this.cluster.groups.describe(GROUP).catch(() => null);
    if (group?.generation !== this.#newest) return;
    const ids = new Set(group.members.map(({ memberId }) => memberId));
    for (const client of this.#certain())
      assert.ok(ids.has(client.memberId), `${client.name} is lost by the crash`);
  }

  /** Who has its assignment of the newest generation, and has been heard since nobody could have expired it. */
  #certain(): ClassicClient[] {
    return this.clients.filter(
      (client) =>
        client.generation === this.#newest &&
        client.next === "beat" &&
        client.lastHeard === this.world.clock.nowMs(),
    );
  }

  async #replicate(): Promise<void> {
    if (this.brokerIds.length > 1)
      for (let round = 0; round < 3; round++) await this.cluster.replicateOnce({ topic: INTERNAL.topic });
    await settle();
  }

  async #check(): Promise<void> {
    for (const { broken } of this.clients) if (broken !== null) throw broken;
    await this.#checkCommitted();
    const group = await this.cluster.groups.describe(GROUP).catch(() => null);
    if (group === null || group.members.length === 0) return;
    assert.ok(group.generation >= this.#newest, `generation ${group.generation} after ${this.#newest}`);
  }

  /** Commits take effect in the order of the calls, so that the last one that was acknowledged is at least there. */
  async #checkCommitted(): Promise<void> {
    const asking = this.cluster.groups.committed({ groupId: GROUP }).catch(() => null);
    const committed = await Promise.race([asking, settle().then(() => null)]);
    if (committed === null) return;
    const offset = committed[0]?.offset ?? 0;
    assert.ok(
      offset >= this.#acknowledged,
      `${offset} is committed, and ${this.#acknowledged} was acknowledged`,
    );
    const generation = this.#committed.get(offset) ?? 0;
    for (const [number, of] of this.#committed)
      assert.ok(
        number > offset || of <= generation,
        `${offset} of ${generation} is behind ${number} of ${of}`,
      );
  }

  #nextOffset({ generation }: ClassicClient) {
    const offset = this.#committed.size + 1;
    this.#committed.set(offset, generation);
    return {
      offset,
      acknowledged: () => {
        this.#acknowledged = Math.max(this.#acknowledged, offset);
        this.told.committed += 1;
      },
    };
  }

  #clientWorld(): ClientWorld {
    return {
      groupId: GROUP,
      cluster: () => this.cluster,
      nowMs: () => this.world.clock.nowMs(),
      onJoined: (client, joined) => this.#joined(client, joined),
      onSynced: (client, synced) => this.#synced(client, synced),
      nextOffset: (client) => this.#nextOffset(client),
      commitsNow: () => this.world.random.below(3) === 0,
    };
  }

  /** All members of a generation hear of one protocol and one leader. */
  #joined(
    client: ClassicClient,
    { memberId, generation, leader, protocolName: protocol, members }: Joined,
  ): void {
    this.told.joined += 1;
    this.#names.set(memberId, client.name);
    for (const each of members) this.#names.set(each.memberId, each.metadata.toString().split(" ")[0] ?? "");
    this.done.push(`  ${client.name} joins ${generation} led by ${this.#names.get(leader) ?? leader}`);
    const known = this.#generations.get(generation);
    // The leader hears it first, or as soon as anybody: the kernel tells all of them in one turn.
    const told = { leader, protocol };
    if (known === undefined) this.#generations.set(generation, told);
    else {
      assert.equal(protocol, known.protocol, `${client.name} in generation ${generation}`);
      const isSame = leader === known.leader || this.#nameOf(leader) === this.#nameOf(known.leader);
      assert.ok(isSame, `${client.name} has the leader ${leader}, others ${known.leader}`);
    }
    this.#newest = Math.max(this.#newest, generation);
  }

  #nameOf(memberId: string): string {
    return this.#names.get(memberId) ?? memberId;
  }

  /** What it is given, its leader has given it in the generation that it asks for. */
  #synced({ name, generation }: ClassicClient, { assignment }: Synced): void {
    this.told.synced += 1;
    const text = assignment.toString();
    this.done.push(`  ${name} has ${text}`);
    assert.ok(text === "" || text === `${generation}:${name}`, `${name} in ${generation} is given ${text}`);
  }

  #say(what: string, act: () => unknown): void {
    this.done.push(what);
    act();
  }
}
