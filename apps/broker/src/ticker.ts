/**
 * The only timer of background work: in auto mode it takes the steps that manual mode leaves to whoever steps.
 *
 * Invariant: a step is not begun while the one before it is still under way.
 */
export interface TickerSteps {
  /** Makes what was appended durable, so that little is lost in a power cut and little is scanned after a crash. */
  flushLogs(): Promise<void>;
}

export class Ticker {
  readonly #timer: NodeJS.Timeout;
  #underWay: Promise<void> | null = null;

  constructor(steps: TickerSteps, flushIntervalMs: number, onProblem: (error: unknown) => void) {
    this.#timer = setInterval(() => {
      this.#underWay ??= steps
        .flushLogs()
        .catch(onProblem)
        .finally(() => {
          this.#underWay = null;
        });
    }, flushIntervalMs);
    this.#timer.unref();
  }

  /** Takes no further step; resolves when the last one is over. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#underWay;
  }
}
