/**
 * So many at once and no more: who comes when every place is taken waits for his turn.
 *
 * Invariants: places are given in the order in which they were asked for; one that is given back goes to the first who waits.
 */
import { assert } from "../assert.ts";

export class Places {
  readonly #max: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    assert(Number.isInteger(max) && max > 0, `there cannot be ${max} places`);
    this.#max = max;
  }

  /** Takes a place if one is free, and says whether it did. */
  tryTake(): boolean {
    if (this.#taken === this.#max) return false;
    this.#taken++;
    return true;
  }

  /** Resolves with a place taken. */
  async take(): Promise<void> {
    if (this.tryTake()) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Gives one back. */
  give(): void {
    assert(this.#taken > 0, "a place was given back that nobody had");
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken--;
    else next();
  }
}
