/**
 * The background work of a cluster, each kind as one bounded step. Nothing here begins by itself: a stepping client takes a
 * step, and in auto mode the daemon's ticker does.
 *
 * Invariants: one log's failure stops no other's step; it is told after all were tried.
 */
import type { Brokers } from "./brokers.ts";

export interface StepsParts {
  readonly brokers: Brokers;
  /** Throws SHUTTING_DOWN unless requests are served. */
  readonly requireServing: () => void;
}

export class BackgroundSteps {
  readonly #brokers: Brokers;
  readonly #requireServing: () => void;

  constructor({ brokers, requireServing }: StepsParts) {
    this.#brokers = brokers;
    this.#requireServing = requireServing;
  }

  /** Makes everything durable that was appended before. Rejects with a problem when there was one, after trying all. */
  async flushLogs(): Promise<void> {
    this.#requireServing();
    await this.#brokers.flush();
  }
}
