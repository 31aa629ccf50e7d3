/**
 * The background work of a cluster, each kind as one bounded step. Nothing here begins by itself: a stepping client takes a
 * step, and in auto mode the daemon's ticker does.
 *
 * Invariants: one log's failure stops no other's step; it is told after all were tried.
 * Never: two logs at work at once in one step, but for a flush: others wait for answers meanwhile.
 */
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import {
  applyRetention,
  type CompactedLog,
  compact,
  type RetainedLog,
  type RolledSegment,
  rollSegment,
} from "../replica/log-upkeep.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import { allSettled } from "./all-settled.ts";
import type { BehindPartitions } from "./behind-partitions.ts";
import type { ForgottenProducers } from "./broker.ts";
import type { Brokers } from "./brokers.ts";
import type { ResolvedConfig } from "./config.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { PartitionTable } from "./partition-table.ts";
import type { ReplicationRound, ReplicationSteps, StepFilter } from "./replication-steps.ts";

export interface StepsParts {
  readonly brokers: Brokers;
  readonly replication: ReplicationSteps;
  readonly behind: BehindPartitions;
  readonly table: PartitionTable;
  readonly config: ResolvedConfig;
  readonly env: Env;
  readonly lifecycle: Lifecycle;
  readonly reserve: DiskReserve;
}

export class BackgroundSteps {
  readonly #parts: StepsParts;

  constructor(parts: StepsParts) {
    this.#parts = parts;
  }

  /**
   * Makes everything durable that was appended before, and notes what is visible of it. Rejects with a problem when there was
   * one, after trying all.
   */
  async flushLogs(): Promise<void> {
    this.#parts.lifecycle.requireRunning();
    const { brokers, replication } = this.#parts;
    // What one broker could not flush keeps no other's from being noted.
    const flushed = brokers.flush();
    await Promise.allSettled([flushed]);
    await allSettled([flushed, replication.noteHighWatermarks()]);
  }

  /**
   * Partitions forget the producers that they heard nothing of for `producerExpirationMs`; their ids stay theirs. Returns who
   * forgot whom. Kafka: the same, each producer.id.expiration.check.interval.ms.
   */
  expireProducers(): readonly ForgottenProducers[] {
    this.#parts.lifecycle.requireRunning();
    return this.#parts.brokers.all().flatMap((broker) => broker.forgetIdleProducers());
  }

  /** `listener` is called when a partition falls behind after none was: then replicateBehind() has work. It must not throw. */
  onBehind(listener: () => void): void {
    this.#parts.behind.onFirst(listener);
    if (this.#parts.behind.size > 0) listener();
  }

  /** See ReplicationSteps.replicateOnce. */
  async replicateOnce(filter?: StepFilter): Promise<ReplicationRound> {
    this.#parts.lifecycle.requireRunning();
    return await this.#parts.replication.replicateOnce(filter);
  }

  /**
   * One follower-fetch round for the partitions that may need one. Resolves with how many need another at once. Rejects when
   * those who have caught up could not be noted as in sync.
   */
  async replicateBehind(): Promise<number> {
    this.#parts.lifecycle.requireRunning();
    return await this.#parts.replication.replicateBehind();
  }

  /** Partitions whose round had trouble are to be tried again, once the pause after their failure is over. */
  retryBehind(): void {
    this.#parts.lifecycle.requireRunning();
    this.#parts.behind.retry(this.#parts.env.clock.nowMs());
  }

  /** Judges who is in sync. Kafka: the periodic check of replica.lag.time.max.ms. */
  refreshIsr(): void {
    this.#parts.lifecycle.requireRunning();
    this.#parts.replication.refreshIsr();
  }

  /** Begins a new segment in the leader's log. Throws UNKNOWN_TOPIC, UNKNOWN_PARTITION, STORAGE_ERROR, BROKER_FAILED. */
  rollSegment(place: TopicPartition): RolledSegment {
    this.#parts.lifecycle.requireRunning();
    return rollSegment(this.#parts.table.require(place));
  }

  /**
   * Deletes what retention lets go, in one topic or all, and returns what it did to which log. Rejects with UNKNOWN_TOPIC, and with a problem of a
   * log when there was one. Kafka: every log.retention.check.interval.ms.
   */
  async applyRetention(topic?: string): Promise<RetainedLog[]> {
    const nowMs = this.#parts.env.clock.nowMs();
    const { reserve } = this.#parts;
    return this.#eachPartition(topic, (set) => reserve.spendLater(() => applyRetention(set, nowMs)));
  }

  /**
   * Takes one pass of compaction over each log in which enough has gathered, in one topic or all, and returns what it did or
   * gave way to. `pause` is awaited after each part of a long pass. Rejects with UNKNOWN_TOPIC, and with a problem of a log when there
   * was one. Kafka: the log cleaner.
   */
  async compact(pause: () => Promise<void>, topic?: string): Promise<CompactedLog[]> {
    const { env, config } = this.#parts;
    const request = { nowMs: env.clock.nowMs(), bufferBytes: config.compactionBufferBytes, pause };
    return this.#eachPartition(topic, (set) => compact(set, request));
  }

  async #eachPartition<Result>(
    topic: string | undefined,
    act: (set: PartitionReplicaSet) => Promise<Result[]>,
  ): Promise<Result[]> {
    const { lifecycle, table } = this.#parts;
    lifecycle.requireRunning();
    // What goes away meanwhile, with its topic or with the cluster, has nothing left to do and nothing to tell.
    const isThere = (set: PartitionReplicaSet) => lifecycle.state === "running" && !set.isRetired;
    const results: Result[] = [];
    const problems: unknown[] = [];
    for (const set of topic === undefined ? table.all() : table.of(topic)) {
      if (!isThere(set)) continue;
      try {
        const told = await act(set);
        if (isThere(set)) results.push(...told);
      } catch (problem) {
        if (!(problem instanceof BrokerError) || isThere(set)) problems.push(problem);
      }
    }
    if (problems.length > 0) throw problems[0];
    return results;
  }
}
