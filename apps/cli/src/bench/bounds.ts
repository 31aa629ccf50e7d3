/** When a bench has done enough, and how fast it may go. */
import { passed } from "./ticking.ts";

export interface BoundOptions {
  /** `null`: as many as time allows. */
  readonly records: number | null;
  /** `null`: as long as it takes. */
  readonly seconds: number | null;
  /** Records a second; `null`: as fast as it goes. */
  readonly throughput: number | null;
}

export class Bounds {
  readonly #options: BoundOptions;
  readonly #interrupted: AbortSignal;
  readonly #startMs: number;

  constructor(options: BoundOptions, interrupted: AbortSignal) {
    this.#options = options;
    this.#interrupted = interrupted;
    this.#startMs = performance.now();
  }

  /**
   * How many records may go now, `most` or fewer, of which `taken` have gone; 0 when the bench is over, by its records, its seconds or an interruption.
   * Waits where a rate says so.
   */
  async turn(taken: number, most: number): Promise<number> {
    const { records, throughput } = this.#options;
    const left = Math.min(most, (records ?? Number.POSITIVE_INFINITY) - taken);
    if (left <= 0 || this.#isOver()) return 0;
    if (throughput === null) return left;
    for (;;) {
      const due = Math.floor(((performance.now() - this.#startMs) / 1_000) * throughput) + 1 - taken;
      if (due > 0) return Math.min(left, due);
      const nextMs = this.#startMs + (taken / throughput) * 1_000;
      await this.#wait(nextMs - performance.now());
      if (this.#isOver()) return 0;
    }
  }

  #isOver(): boolean {
    const { seconds } = this.#options;
    const isLate = seconds !== null && performance.now() - this.#startMs >= seconds * 1_000;
    return isLate || this.#interrupted.aborted;
  }

  async #wait(forMs: number): Promise<void> {
    const { seconds } = this.#options;
    const leftMs =
      seconds === null ? Number.POSITIVE_INFINITY : this.#startMs + seconds * 1_000 - performance.now();
    await passed(Math.max(1, Math.min(forMs, leftMs)), this.#interrupted);
  }
}
