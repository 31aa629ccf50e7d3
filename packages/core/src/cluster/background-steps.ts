/**
 * The background work of a cluster, each kind as one bounded step. Nothing here begins by itself: a stepping client takes a
 * step, and in auto mode the daemon's ticker does.
 *
 * Invariants: one log's failure stops no other's step; it is told after all were tried.
 */
import type { BehindPartitions } from "./behind-partitions.ts";
import type { Brokers } from "./brokers.ts";
import type { ReplicationSteps } from "./replication-steps.ts";

export interface StepsParts {
  readonly brokers: Brokers;
  readonly replication: ReplicationSteps;
  readonly behind: BehindPartitions;
  /** Throws SHUTTING_DOWN unless requests are served. */
  readonly requireServing: () => void;
}

export class BackgroundSteps {
  readonly #brokers: Brokers;
  readonly #replication: ReplicationSteps;
  readonly #behind: BehindPartitions;
  readonly #requireServing: () => void;

  constructor({ brokers, replication, behind, requireServing }: StepsParts) {
    this.#brokers = brokers;
    this.#replication = replication;
    this.#behind = behind;
    this.#requireServing = requireServing;
  }

  /**
   * Makes everything durable that was appended before, and notes what is visible of it. Rejects with a problem when there was
   * one, after trying all.
   */
  async flushLogs(): Promise<void> {
    this.#requireServing();
    await this.#brokers.flush();
    await this.#replication.noteHighWatermarks();
  }

  /** `listener` is called when a partition falls behind after none was: then replicateBehind() has work. It must not throw. */
  onBehind(listener: () => void): void {
    this.#behind.onFirst(listener);
    if (this.#behind.size > 0) listener();
  }

  /**
   * One follower-fetch round for the partitions that may need one. Resolves with how many need another at once. Rejects when
   * those who have caught up could not be noted as in sync.
   */
  async replicateBehind(): Promise<number> {
    this.#requireServing();
    return await this.#replication.replicateBehind();
  }

  /** Partitions whose round had trouble are to be tried again. */
  retryBehind(): void {
    this.#requireServing();
    this.#behind.retry();
  }

  /** Judges who is in sync. Kafka: the periodic check of replica.lag.time.max.ms. */
  refreshIsr(): void {
    this.#requireServing();
    this.#replication.refreshIsr();
  }
}
