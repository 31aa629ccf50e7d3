/**
 * A handle that stays open below for as long as somebody is at work with it.
 *
 * Invariant: closed once, as soon as it was asked for and nothing is under way.
 */
export class LateClose {
  readonly #close: () => void;
  #underWay = 0;
  #isWanted = false;

  constructor(close: () => void) {
    this.#close = close;
  }

  /** Whether the owner has closed it. */
  get isClosed(): boolean {
    return this.#isWanted;
  }

  async during(work: () => Promise<void>): Promise<void> {
    this.#underWay++;
    try {
      await work();
    } finally {
      this.#underWay--;
      if (this.#isWanted && this.#underWay === 0) this.#close();
    }
  }

  close(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    if (this.#underWay === 0) this.#close();
  }
}
