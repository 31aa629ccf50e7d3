/** A test's hand on the broker's clock. */
import type { CallOptions, Deadline, Stepper } from "@minikafka/client";
import { calledAs } from "./call-site.ts";

/** The time of the broker, which a manual clock moves by hand alone. */
export class TestClock {
  readonly #stepper: Stepper;
  readonly #now: () => number;

  constructor(stepper: Stepper, now: () => number) {
    this.#stepper = stepper;
    this.#now = now;
  }

  /** The broker's time in this instant, in milliseconds since 1970. */
  get nowMs(): number {
    return this.#now();
  }

  /** Moves a manual clock on by `ms`; resolves with its new time. What comes due thereby is taken by steps. */
  advance(ms: number, options?: CallOptions): Promise<number> {
    return calledAs(this.advance, () => this.#stepper.advanceClock(ms, options));
  }

  /** See Stepper.advanceToNextDeadline. */
  advanceToNextDeadline(options?: CallOptions): Promise<Deadline | null> {
    return calledAs(this.advanceToNextDeadline, () => this.#stepper.advanceToNextDeadline(options));
  }
}
