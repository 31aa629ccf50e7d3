/** The time of day of a simulated machine, which somebody may set, beside the time that passes. */
import type { Clock } from "@minikafka/core";
import type { Timeline } from "./timeline.ts";

const START_MS = 1_700_000_000_000;

export class SimClock implements Clock {
  readonly #timeline: Timeline;
  #setByMs = START_MS;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  nowMs(): number {
    return this.#timeline.nowMs + this.#setByMs;
  }

  monotonicMs(): number {
    return this.#timeline.nowMs;
  }

  /** Somebody sets the time of day, forward or back. */
  jump(byMs: number): void {
    this.#setByMs += byMs;
  }
}
