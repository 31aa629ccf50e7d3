/**
 * The waits of faults of action delay.
 *
 * Owns those that are under way, on the broker's clock: with a manual one they end when it is moved.
 * Invariants: each ends once, by its time or by the end of the broker, which waits for nobody.
 */
import type { Deadlines } from "../deadlines.ts";

export class Delays {
  readonly #deadlines: Deadlines;
  readonly #underWay = new Set<() => void>();
  #isEnded = false;

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  /** Resolves after `ms`; at once when the broker stops. */
  wait(ms: number): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const over = (): void => {
        deadline.cancel();
        this.#underWay.delete(over);
        resolve();
      };
      const deadline = this.#deadlines.after(ms, over, "fault_delay");
      this.#underWay.add(over);
    });
  }

  /** No wait takes longer from now on. */
  end(): void {
    this.#isEnded = true;
    for (const over of [...this.#underWay]) over();
  }
}
