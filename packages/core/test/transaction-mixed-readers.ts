/** What the readers of a history find: of committed records, of a group's offsets, and in the end of the logs. */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { Random } from "../src/env/random.ts";
import { BrokerError } from "../src/errors.ts";
import { partitionName, type TopicPartition } from "../src/replica/topic-partition.ts";
import { settle } from "./replica-world.ts";
import { markerProblems } from "./transaction-judge.ts";
import type { TransactionModel } from "./transaction-model.ts";
import { entriesOf, placesOf } from "./transaction-observation.ts";
import { committedRecords } from "./transactional-producer.ts";

/** Longer than anything takes that waits for no step. */
const PATIENCE = 5;

export class MixedReaders {
  readonly #model: TransactionModel;
  readonly #places: readonly TopicPartition[];
  readonly #random: Random;
  /** By partition: the epoch and the last stable offset that was shown in it. */
  readonly #stable = new Map<string, { readonly epoch: number; readonly offset: number }>();

  constructor(model: TransactionModel, places: readonly TopicPartition[], random: Random) {
    this.#model = model;
    this.#places = places;
    this.#random = random;
  }

  /** The process has died: another one begins. */
  forget(): void {
    this.#stable.clear();
  }

  async check(cluster: BrokerCluster, { isOver = false } = {}): Promise<void> {
    for (const place of this.#there(cluster)) {
      if (cluster.replicaSet(place).leadership.onlineLeader !== null) this.#read(cluster, place);
      else assert.ok(!isOver, `${partitionName(place)} has a leader in the end`);
    }
    const askedAt = this.#model.tick();
    const partitions = [0, 1].map((partition) => ({ topic: "a", partition }));
    const impatient = new AbortController();
    const wait = { giveUp: impatient.signal };
    const committed = (requireStable: boolean) =>
      cluster.groups
        .committed({ groupId: "g", partitions, requireStable }, wait)
        .catch((problem: unknown) => {
          if (problem instanceof BrokerError && !isOver) return null;
          throw problem;
        });
    const asked = Promise.all([committed(false), committed(true)]);
    // A coordinator may have to wait for a follower, whose round comes only with a later step.
    for (let turns = 0; turns < PATIENCE && !isOver; turns++) await settle();
    if (!isOver) impatient.abort();
    const [found, stable] = await asked;
    if (stable !== null) assert.deepEqual(stable, found, "what is stable is what is there");
    for (const { partition, offset } of found ?? [])
      this.#model.found(`a:${partition}`, offset, { askedAt, isOver });
  }

  /** No transaction is open any more, and no end under way. */
  async checkOver(cluster: BrokerCluster): Promise<void> {
    for (const place of [...this.#there(cluster), ...placesOf(cluster)]) {
      const { leaderLog, highWatermark, lastStableOffset } = cluster.replicaSet(place);
      const what = `${partitionName(place)}: ${JSON.stringify(leaderLog.openTransactions)}`;
      assert.deepEqual([lastStableOffset, highWatermark], [highWatermark, leaderLog.logEndOffset], what);
    }
    const { transactions } = await cluster.transactions.list();
    for (const { transactionalId, state } of transactions)
      assert.match(state, /^(empty|complete_.*)$/, transactionalId);
    // Twice: what the one that is read last tells may be told otherwise by the first.
    for (let pass = 0; pass < 2; pass++) await this.check(cluster, { isOver: true });
    this.#checkMarkers(cluster);
  }

  #there(cluster: BrokerCluster): TopicPartition[] {
    return this.#places.filter(({ topic }) => cluster.hasTopic(topic));
  }

  #read(cluster: BrokerCluster, place: TopicPartition): void {
    const { highWatermark, lastStableOffset, leaderLog, leaderEpoch } = cluster.replicaSet(place);
    const name = partitionName(place);
    assert.ok(
      lastStableOffset <= highWatermark,
      `${name} is stable up to ${lastStableOffset} of ${highWatermark}`,
    );
    const before = this.#stable.get(name);
    if (before?.epoch === leaderEpoch)
      assert.ok(
        before.offset <= lastStableOffset,
        `${name} was stable up to ${before.offset}, now ${lastStableOffset}`,
      );
    this.#stable.set(name, { epoch: leaderEpoch, offset: lastStableOffset });
    const { logStartOffset } = leaderLog;
    const records = committedRecords(cluster, place);
    // Whoever begins somewhere, and takes small steps, gets the same from there on.
    const fromOffset = logStartOffset + this.#random.below(leaderLog.logEndOffset - logStartOffset + 1);
    const bytesMax = 1 + this.#random.below(400);
    assert.deepEqual(
      committedRecords(cluster, place, { fromOffset, bytesMax }),
      records.filter(({ offset }) => offset >= fromOffset),
      `${name} is read from ${fromOffset} in steps of ${bytesMax}`,
    );
    const isCompacted = place.topic === "b";
    this.#model.read({ place: name, records, logStartOffset, lastStableOffset, isCompacted });
  }

  #checkMarkers(cluster: BrokerCluster): void {
    const places = [
      ...this.#there(cluster),
      ...placesOf(cluster).filter(({ topic }) => topic.startsWith("__")),
    ];
    const partitions = places.map((place) => ({
      name: partitionName(place),
      log: entriesOf(cluster.replicaSet(place).leaderLog),
    }));
    const read = this.#there(cluster).flatMap((place) =>
      committedRecords(cluster, place).map(({ value }) => value),
    );
    const problems = markerProblems(new Set(read), partitions, { isOver: true, isCleaned: () => true });
    assert.deepEqual(problems, []);
  }
}
