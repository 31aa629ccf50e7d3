/**
 * The steps of replication. Whoever steps by hand takes them, and the daemon's ticker takes the same.
 *
 * Invariants: a step looks at each partition in the order of names and numbers, and at each follower in the order of placement;
 * what it changes of the in-sync replicas is made durable at once.
 */
import type { Env } from "../env/env.ts";
import { type FollowerRound, followerRound } from "../replica/follower-round.ts";
import { afterFailure, isWaiting, type Trouble } from "../replica/follower-trouble.ts";
import type { IsrQuestion } from "../replica/isr.ts";
import { inSyncAfter, judgeIsr } from "../replica/isr-judgement.ts";
import type { Replica } from "../replica/replica.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import { type HeardRound, RoundHearing } from "../replica/round-hearing.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import { allSettled } from "./all-settled.ts";
import { type BehindPartitions, isBehind } from "./behind-partitions.ts";
import type { Brokers } from "./brokers.ts";
import type { MetadataKeeper } from "./metadata-keeper.ts";
import type { PartitionTable } from "./partition-table.ts";
import type { StateChange, StateCommit } from "./state-commit.ts";

/** Which partitions and followers a step is for. What is left out is all of them. */
export interface StepFilter {
  readonly topic?: string;
  readonly partition?: number;
  readonly brokerId?: number;
}

/** What one follower of one partition did in a round. */
export interface ReplicatedPartition extends TopicPartition, FollowerRound {}

/** What a step of replication did. */
export interface ReplicationRound {
  /** What was copied, cut or failed. */
  readonly copied: readonly ReplicatedPartition[];
  /** Followers that copied nothing, and heard or told something all the same. */
  readonly heard: readonly HeardRound[];
}

/** How the in-sync replicas of a partition have changed. */
export interface RefreshedPartition extends TopicPartition {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

export interface StepParts {
  readonly brokers: Brokers;
  readonly table: PartitionTable;
  readonly states: StateCommit;
  readonly keeper: MetadataKeeper;
  readonly behind: BehindPartitions;
}

export class ReplicationSteps {
  readonly #parts: StepParts;
  readonly #env: Env;
  /** The metadata file could not be replaced when somebody was to join in auto mode. */
  #refusal: Trouble | null = null;

  constructor(parts: StepParts, env: Env) {
    this.#parts = parts;
    this.#env = env;
  }

  /**
   * One follower-fetch round of each follower. Resolves with what was copied, cut or failed. Rejects with STORAGE_ERROR or
   * BROKER_FAILED when those who have caught up could not be noted as in sync; what was copied stays. Rejects with UNKNOWN_TOPIC,
   * UNKNOWN_PARTITION and, for a broker that there is not, or that holds no copy of the partition, INVALID_REQUEST.
   */
  async replicateOnce(filter: StepFilter = {}): Promise<ReplicationRound> {
    this.#requireFollower(filter);
    const { brokerId } = filter;
    const sets = this.#setsOf(filter);
    const isMeant = (follower: Replica) => brokerId === undefined || follower.brokerId === brokerId;
    const listening = new RoundHearing();
    const copied = await this.#fetchRounds(sets, isMeant, listening);
    this.#commitIsr(sets, "joins");
    return { copied, heard: listening.heard() };
  }

  /**
   * One round for the partitions of which a follower may lack something, as an append, another leader or a start leaves it. A
   * follower that failed is left alone for a while (follower-trouble.ts), and so is a metadata file that could not be replaced.
   * Resolves with how many are to be looked at again at once; the others wait for BehindPartitions.retry(). Rejects as
   * replicateOnce() does, with nobody to be looked at.
   */
  async replicateBehind(): Promise<number> {
    const { behind } = this.#parts;
    const sets = behind.take();
    let isNoted = false;
    try {
      await this.#fetchRounds(sets, (follower) => !isWaiting(follower.trouble, this.#nowMs));
      this.#noteJoins(sets);
      isNoted = true;
    } finally {
      for (const set of sets) {
        const isDue = isBehind(set, this.#nowMs);
        const retryAtMs = isDue ? this.#nowMs : this.#retryTimeOf(set);
        if (isDue && isNoted) behind.add(set);
        else if (retryAtMs !== null) behind.delay(set, retryAtMs);
      }
    }
    return behind.size;
  }

  get #nowMs(): number {
    return this.#env.clock.nowMs();
  }

  /** As one round ends, those who have caught up join, unless the metadata file was just found to refuse it. */
  #noteJoins(sets: readonly PartitionReplicaSet[]): void {
    if (isWaiting(this.#refusal, this.#nowMs)) return;
    try {
      this.#commitIsr(sets, "joins");
      this.#refusal = null;
    } catch (problem) {
      this.#refusal = afterFailure(this.#refusal, this.#nowMs);
      throw problem;
    }
  }

  /** When something at `set` that failed may be tried again; `null` when nothing did. */
  #retryTimeOf(set: PartitionReplicaSet): number | null {
    const followers = set.leadership.followers().filter(({ condition }) => condition === "ready");
    const troubles = followers.map(({ trouble }) => trouble);
    if (isrChangeOf(set, "joins", this.#env.clock.monotonicMs()) !== null) troubles.push(this.#refusal);
    const timesMs = troubles.flatMap((trouble) => (trouble === null ? [] : [trouble.retryAtMs]));
    return timesMs.length === 0 ? null : Math.min(...timesMs);
  }

  async #fetchRounds(
    sets: readonly PartitionReplicaSet[],
    isMeant: (follower: Replica) => boolean,
    listening: RoundHearing | null = null,
  ): Promise<ReplicatedPartition[]> {
    const rounds: ReplicatedPartition[] = [];
    for (const set of sets) {
      const { highWatermark: heard } = set;
      for (const follower of set.leadership.followers()) {
        if (!isMeant(follower)) continue;
        listening?.before(set, follower);
        const round = await this.roundOf(set, follower, heard);
        if (round === null) continue;
        if (round.batches > 0 || round.truncatedTo !== null || round.problem !== null)
          rounds.push({ ...set.place, ...round });
        else listening?.after(set, follower);
      }
    }
    return rounds;
  }

  /** Judges who is in sync: those that lag leave, those that have caught up join. Throws STORAGE_ERROR, BROKER_FAILED. */
  refreshIsr(filter: StepFilter = {}): RefreshedPartition[] {
    return this.#commitIsr(this.#setsOf(filter), "all");
  }

  /** Notes how far each replica knows its partition to be visible, as far as that is on its disk. Rejects after all were tried. */
  async noteHighWatermarks(): Promise<void> {
    const { brokers, table, keeper } = this.#parts;
    const running = brokers.all().filter(({ isRunning }) => isRunning);
    await allSettled(
      running.map((broker) =>
        broker.highWatermarks.noteLater(table.highWatermarksOf(broker.brokerId, keeper.catalogue)),
      ),
    );
  }

  /** One round of one follower, without a look at who is in sync. */
  roundOf(
    set: PartitionReplicaSet,
    follower: Replica,
    heard = set.highWatermark,
  ): Promise<FollowerRound | null> {
    const { brokers, keeper } = this.#parts;
    const { topic, partition } = set.place;
    const onCut = ({ brokerId }: Replica, offset: number) => {
      const { topicId } = keeper.catalogue.require(topic);
      brokers.get(brokerId).highWatermarks.lower(topicId, partition, offset);
    };
    return followerRound(set, follower, { env: this.#env, heard, onCut });
  }

  #commitIsr(sets: readonly PartitionReplicaSet[], only: IsrQuestion["only"]): RefreshedPartition[] {
    const monotonicMs = this.#env.clock.monotonicMs();
    const changes = sets.flatMap((set) => isrChangeOf(set, only, monotonicMs) ?? []);
    const refreshed = changes.map(({ set, state }) => ({
      ...set.place,
      from: set.inSyncReplicas,
      to: state.inSyncReplicas,
    }));
    this.#parts.states.commit(changes);
    return refreshed;
  }

  #requireFollower({ topic, partition, brokerId }: StepFilter): void {
    if (brokerId === undefined) return;
    const { brokers, table } = this.#parts;
    brokers.require(brokerId);
    if (topic !== undefined && partition !== undefined)
      table.require({ topic, partition }).leadership.requireCopy(brokerId);
  }

  #setsOf({ topic, partition }: StepFilter): PartitionReplicaSet[] {
    const { table } = this.#parts;
    if (topic === undefined) return table.all().filter(({ copies }) => copies.length > 1);
    return partition === undefined ? [...table.of(topic)] : [table.require({ topic, partition })];
  }
}

/** How those in sync change now, or `null`: when they do not, or when nobody is there to judge them. */
export function isrChangeOf(
  set: PartitionReplicaSet,
  only: IsrQuestion["only"],
  monotonicMs: number,
): StateChange | null {
  const change = judgeIsr(set, { only, monotonicMs });
  if (change === null) return null;
  return { set, state: { ...set.state, inSyncReplicas: inSyncAfter(set, change) }, moves: change.moves };
}
