/**
 * The only timers of background work: in auto mode they take the steps that manual mode leaves to whoever steps.
 *
 * Invariants: a step is not begun while the same step is still under way; one that fails is told, and stops no other.
 */
import { timers } from "./system-timers.ts";

export interface TickedStep {
  /** As the operation that takes it. */
  readonly name: string;
  readonly everyMs: number;
  take(): Promise<unknown>;
}

export class Ticker {
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #onProblem: (step: string, error: unknown) => void;

  constructor(steps: readonly TickedStep[], onProblem: (step: string, error: unknown) => void) {
    this.#onProblem = onProblem;
    this.#timers = steps.map((step) => timers.setInterval(() => this.#tick(step), step.everyMs).unref());
  }

  /** Takes no further step; resolves when the last ones are over. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) timers.clearInterval(timer);
    await Promise.all(this.#underWay.values());
  }

  #tick(step: TickedStep): void {
    if (this.#underWay.has(step.name)) return;
    const taken = Promise.resolve()
      .then(() => step.take())
      .catch((error: unknown) => this.#onProblem(step.name, error))
      .finally(() => this.#underWay.delete(step.name));
    this.#underWay.set(step.name, taken);
  }
}

/** Work that takes long lets the sockets have their turn between its parts. */
export function aTurnForOthers(): Promise<void> {
  return new Promise((resolve) => void timers.setImmediate(resolve));
}
