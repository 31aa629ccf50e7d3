/**
 * A state that is kept as the records of an internal, compacted topic, and divided by key among its partitions.
 *
 * Owns: a shard for each partition, and the making of the topic, which comes with the first record.
 * Invariants: the number of partitions is the topic's own, once it exists; callers who need it at once share its making.
 * Never: a topic made for a question, or for a request that is refused.
 */
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { quoted } from "../quoted.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import { CoordinatorShard, type Decision, type ShardParts } from "./coordinator-shard.ts";
import { unlessGivenUp, type Wait } from "./give-up.ts";
import { partitionOfKey } from "./partition-of-key.ts";
import type { RecordKinds } from "./record-kinds.ts";

export interface CoordinatorTopicParts<Kinds extends RecordKinds> extends Omit<ShardParts<Kinds>, "set"> {
  readonly topic: string;
  /** Its partitions by number; `null` while there is no such topic. */
  readonly partitions: () => readonly PartitionReplicaSet[] | null;
  /** Makes it, durably. Rejects as the creation of a topic does. */
  readonly make: () => Promise<void>;
}

export class CoordinatorTopic<Kinds extends RecordKinds> {
  readonly #parts: CoordinatorTopicParts<Kinds>;
  readonly #env: Env;
  readonly #shards = new Map<PartitionReplicaSet, CoordinatorShard<Kinds>>();
  #making: Promise<void> | null = null;

  constructor(parts: CoordinatorTopicParts<Kinds>, env: Env) {
    this.#parts = parts;
    this.#env = env;
  }

  get topic(): string {
    return this.#parts.topic;
  }

  /** By partition; none while the topic does not exist. */
  shards(): CoordinatorShard<Kinds>[] {
    return (this.#parts.partitions() ?? []).map((set) => this.#shard(set));
  }

  /** The one that `key` belongs to; `null` while the topic does not exist. */
  shardOf(key: string): CoordinatorShard<Kinds> | null {
    const sets = this.#parts.partitions();
    const set = sets?.[partitionOfKey(key, sets.length)];
    return set === undefined ? null : this.#shard(set);
  }

  /** See CoordinatorShard.loaded; `null` while the topic does not exist as well. */
  loaded(key: string): Kinds | null {
    return this.shardOf(key)?.loaded ?? null;
  }

  /** The number of the partition that `key` belongs to, for whoever is about to write there: the topic is made where there is none. */
  async partitionOf(key: string, wait: Wait = {}): Promise<number> {
    if (this.shardOf(key) === null) await this.#untilMade(this.#make(), wait);
    return this.shardOf(key)?.partition ?? this.partitionOf(key, wait);
  }

  /** The broker that coordinates `key`. The topic is made where there is none. Rejects with LEADER_NOT_AVAILABLE. */
  async coordinatorOf(key: string, wait: Wait = {}): Promise<number> {
    const partition = await this.partitionOf(key, wait);
    const brokerId = this.shardOf(key)?.coordinatorId ?? null;
    if (brokerId !== null) return brokerId;
    const message = `nobody leads the partition ${partition} of ${this.topic} now, which ${quoted(key)} belongs to`;
    throw new BrokerError("LEADER_NOT_AVAILABLE", message, { topic: this.topic, partition });
  }

  /** The broker that leads the partition of `key` in this instant; `null` where nobody does, also while there is no topic. */
  coordinatorNow(key: string): number | null {
    return this.shardOf(key)?.coordinatorId ?? null;
  }

  /** See CoordinatorShard.read; of what holds nothing, while there is no topic. One that is being made is waited for. */
  async read<Answer>(key: string, look: (kinds: Kinds) => Answer, wait: Wait = {}): Promise<Answer> {
    if (this.#making !== null)
      await this.#untilMade(
        this.#making.catch(() => {}),
        wait,
      );
    const shard = this.shardOf(key);
    return shard === null ? look(this.#parts.newKinds()) : shard.read(look, wait);
  }

  /** See CoordinatorShard.write. Where that makes the topic, `decide` is called once more before. */
  async write<Answer>(
    key: string,
    decide: (kinds: Kinds) => Decision<Answer>,
    wait: Wait = {},
  ): Promise<Answer> {
    const shard = this.shardOf(key);
    if (shard !== null) return shard.write(decide, wait);
    // While it is being made, those before have not been decided on for good, and what they write counts for this one.
    if (this.#making === null) {
      const { records, answer } = decide(this.#parts.newKinds());
      if (records.length === 0) return answer;
    }
    await this.#untilMade(this.#make(), wait);
    return this.write(key, decide, wait);
  }

  #untilMade(making: Promise<void>, wait: Wait): Promise<void> {
    return unlessGivenUp(making, wait, () => `the making of ${this.topic}`);
  }

  #make(): Promise<void> {
    this.#making ??= this.#parts.make().finally(() => {
      this.#making = null;
    });
    return this.#making;
  }

  #shard(set: PartitionReplicaSet): CoordinatorShard<Kinds> {
    const shard = this.#shards.get(set) ?? new CoordinatorShard({ ...this.#parts, set }, this.#env);
    this.#shards.set(set, shard);
    return shard;
  }
}
