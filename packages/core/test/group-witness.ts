/**
 * What must hold of a group at every instant, judged by what its members believe and by what the coordinator says.
 *
 * Owns: who committed which number, and what was acknowledged last of each partition.
 */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { GroupDescription } from "../src/group/group-description.ts";
import { keyOf } from "../src/group/partition-sets.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";
import type { Belief, GroupClient } from "./group-client.ts";
import type { Committed } from "./group-log.ts";

export interface WitnessOptions {
  readonly groupId: string;
  readonly isBarrier: boolean;
  /** Nobody is expired while its own session lasts. */
  readonly isPatient: boolean;
}

export class GroupWitness {
  /** By the number that stands as offset: each is committed once. */
  readonly committed = new Map<number, Committed>();
  /** How often two members believed in one partition: never under barrier. */
  overlaps = 0;
  readonly #options: WitnessOptions;
  readonly #acked = new Map<string, number>();
  /** By topic: beliefs of this generation and before are about a topic that is gone. */
  readonly #goneAt = new Map<string, number>();
  #generation = 0;
  #forgottenUpTo = 0;

  constructor(options: WitnessOptions) {
    this.#options = options;
  }

  /** A number that was not committed before. `by`: null is nobody in particular. */
  numberFor(by: { memberId: string; generation: number } | null, place: TopicPartition): number {
    const number = this.committed.size + 1;
    this.committed.set(number, { memberId: by?.memberId ?? null, generation: by?.generation ?? 0, place });
    return number;
  }

  acknowledged(number: number, place: TopicPartition): void {
    const last = this.#acked.get(keyOf(place)) ?? 0;
    // A number of before the topic or the group went stands for nothing any more.
    if (number > Math.max(last, this.#forgottenUpTo)) this.#acked.set(keyOf(place), number);
  }

  /** The group is deleted: offsets that were committed before count no more. */
  forget(): void {
    this.#acked.clear();
    this.#forgottenUpTo = this.committed.size;
  }

  /** A topic is deleted, while nobody can have been told of more than `moreGenerations` beyond what is known. */
  topicGone(topic: string, clients: readonly GroupClient[], moreGenerations: number): void {
    const told = Math.max(this.#generation, ...clients.map(({ generation }) => generation));
    this.#goneAt.set(topic, told + moreGenerations);
    this.forget();
  }

  /** Whether one of these may have been taken from who has it without being asked. */
  mayBeTaken(believed: readonly Belief[]): boolean {
    return !this.#options.isBarrier || believed.some((belief) => this.#isOfGoneTopic(belief));
  }

  async check(cluster: BrokerCluster, clients: readonly GroupClient[]): Promise<void> {
    const group = await cluster.groups.describe(this.#options.groupId).catch(() => null);
    if (group !== null) {
      const grows = `generation ${group.generation} after ${this.#generation}`;
      assert.ok(group.generation >= this.#generation, grows);
      this.#generation = group.generation;
      await this.#checkCommitted(cluster);
    }
    this.#checkBeliefs(clients, group);
  }

  /** When all is well, each partition is owned by who believes so, and by nobody else. */
  async checkConverged(
    cluster: BrokerCluster,
    clients: readonly GroupClient[],
    topics: readonly string[],
  ): Promise<void> {
    if (clients.length === 0) return;
    const group = await cluster.groups.describe(this.#options.groupId);
    const what = JSON.stringify(group);
    const ids = clients.map(({ options }) => options.memberId);
    assert.equal(group.state, "stable", what);
    assert.deepEqual(
      group.members.map(({ memberId }) => memberId),
      ids.sort(),
      what,
    );
    const owned = clients.flatMap(({ believed }) => [...believed.keys()]);
    const wanted = topics.flatMap((topic) => {
      if (!cluster.hasTopic(topic) || !clients.some((client) => client.topics.includes(topic))) return [];
      const { partitions } = cluster.describeTopic(topic);
      return Array.from({ length: partitions }, (_, partition) => keyOf({ topic, partition }));
    });
    assert.deepEqual(owned.sort(), wanted.sort(), "each partition is owned, and its owner knows");
    for (const { memberId, assignment } of group.members) {
      const client = clients.find(({ options }) => options.memberId === memberId);
      assert.deepEqual([...(client?.believed.keys() ?? [])].sort(), assignment.map(keyOf).sort());
    }
  }

  /** Under barrier nobody believes in what another believes in, and everybody's beliefs are the coordinator's. */
  #checkBeliefs(clients: readonly GroupClient[], group: GroupDescription | null): void {
    const { isBarrier, isPatient } = this.#options;
    const owners = new Map<string, string>();
    for (const client of clients) {
      const { memberId } = client.options;
      const member = group?.members.find((each) => each.memberId === memberId);
      // One that was expired because it did not let go finds out when it speaks next.
      if (!client.isInSession || (!isPatient && member === undefined)) continue;
      const counted = new Set([...(member?.assignment ?? []), ...(member?.revoking ?? [])].map(keyOf));
      const isSame = isBarrier && member !== undefined && client.generation === group?.generation;
      for (const [key, belief] of client.believed) {
        if (this.#isOfGoneTopic(belief)) continue;
        const other = owners.get(key);
        if (other !== undefined) {
          this.overlaps++;
          if (isBarrier) assert.fail(`${memberId} and ${other} both believe in ${key}`);
        }
        owners.set(key, memberId);
        if (isSame) assert.ok(counted.has(key), `${memberId} believes in ${key}, which it does not hold`);
      }
    }
  }

  /** What is committed was committed by somebody, and not before what was acknowledged last. */
  async #checkCommitted(cluster: BrokerCluster): Promise<void> {
    const committed = await cluster.groups.committed({ groupId: this.#options.groupId });
    const found = new Map(committed.map(({ offset, ...place }) => [keyOf(place), offset ?? 0]));
    for (const [key, offset] of this.#acked)
      assert.ok(
        (found.get(key) ?? 0) >= offset,
        `${key} is at ${found.get(key)}, ${offset} was acknowledged`,
      );
    for (const [key, offset] of found) {
      const by = this.committed.get(offset);
      assert.ok(by !== undefined, `${offset} was committed by nobody`);
      assert.equal(keyOf(by.place), key);
    }
  }

  #isOfGoneTopic({ place, since }: Belief): boolean {
    return since <= (this.#goneAt.get(place.topic) ?? -1);
  }
}
