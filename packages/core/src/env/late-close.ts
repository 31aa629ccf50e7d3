/**
 * The end of a handle that stays open below for as long as somebody is at work with it.
 *
 * Invariant: `close` is called once, as soon as it was asked for and nothing is under way.
 */
export class LateClose {
  readonly #close: () => void;
  #underWay = 0;
  #isWanted = false;
  #isDone = false;

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
      this.#closeWhenDone();
    }
  }

  close(): void {
    this.#isWanted = true;
    this.#closeWhenDone();
  }

  #closeWhenDone(): void {
    if (!this.#isWanted || this.#isDone || this.#underWay > 0) return;
    this.#isDone = true;
    this.#close();
  }
}
