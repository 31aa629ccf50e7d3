/**
 * What a soak has done so far, by name. Its steps are what others go by: a daemon dies after so many, an administrator acts after so
 * many; so every run gets somewhere, and nobody goes by the time.
 */

/** A step that does not come for so long has stopped coming. */
const STALLED_MS = 90_000;

interface Waiting {
  readonly steps: number;
  readonly resolve: () => void;
}

export class Progress {
  readonly #counts = new Map<string, number>();
  #waiting: Waiting[] = [];
  #steps = 0;
  #isOver = false;

  get steps(): number {
    return this.#steps;
  }

  /** Nothing new is begun; what was begun comes to its end. */
  get isOver(): boolean {
    return this.#isOver;
  }

  count(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** Something that is worth a line of the table, and no step. */
  note(what: string, count = 1): void {
    this.#counts.set(what, this.count(what) + count);
  }

  /** What a client has achieved. */
  step(what: string): void {
    this.note(what);
    this.#steps += 1;
    this.#wake();
  }

  /** Resolves after `more` steps, or when it is over. Fails when none comes any more. */
  async after(more: number): Promise<void> {
    const steps = this.#steps + more;
    for (let before = this.#steps; !this.#isOver && this.#steps < steps; before = this.#steps) {
      const bound = AbortSignal.timeout(STALLED_MS);
      await new Promise<void>((resolve) => {
        bound.addEventListener("abort", () => resolve(), { once: true });
        this.#waiting.push({ steps, resolve });
      });
      if (!this.#isOver && this.#steps === before)
        throw new Error(`nothing has moved for ${STALLED_MS} ms; so far: ${JSON.stringify(this.counts)}`);
    }
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  #wake(): void {
    const isDue = ({ steps }: Waiting) => this.#isOver || steps <= this.#steps;
    const due = this.#waiting.filter(isDue);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => !isDue(waiting));
    for (const { resolve } of due) resolve();
  }
}
