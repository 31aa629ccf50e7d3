/**
 * The background work of a cluster, each kind as one bounded step. Nothing here begins by itself: a stepping client takes a
 * step, and in auto mode the daemon's ticker does.
 *
 * Invariants: one log's failure stops no other's step; it is told after all were tried.
 */
import type { Brokers } from "./brokers.ts";
import type { ReplicationSteps } from "./replication-steps.ts";

export interface StepsParts {
  readonly brokers: Brokers;
  readonly replication: ReplicationSteps;
  /** Throws SHUTTING_DOWN unless requests are served. */
  readonly requireServing: () => void;
}

export class BackgroundSteps {
  readonly #brokers: Brokers;
  readonly #replication: ReplicationSteps;
  readonly #requireServing: () => void;

  constructor({ brokers, replication, requireServing }: StepsParts) {
    this.#brokers = brokers;
    this.#replication = replication;
    this.#requireServing = requireServing;
  }

  /** Makes everything durable that was appended before, and what is visible of it. Rejects with a problem when there was one, after trying all. */
  async flushLogs(): Promise<void> {
    this.#requireServing();
    await this.#brokers.flush();
    await this.#replication.noteHighWatermarks();
  }
}
