/**
 * How long `produce` waits while nothing is acknowledged.
 *
 * Owns two timers while records are pending, none otherwise. Invariants: each acknowledgement begins the wait anew; whoever
 * waits is told why once a stall lasts {@link REMARK_AFTER_MS}, and a stall that lasts `giveUpMs` is given up, once.
 */
import type { Cancel, ClientClock } from "@minikafka/client";

export interface PatienceOptions {
  readonly clock: Pick<ClientClock, "after">;
  readonly giveUpMs: number;
  /** Says why nothing comes. Must not reject. */
  readonly onStall: () => Promise<void>;
  readonly onGiveUp: () => void;
}

/** Before this a wait is not noticed. */
export const REMARK_AFTER_MS = 1_000;

export class Patience {
  readonly #options: PatienceOptions;
  #pending = 0;
  #timers: Cancel[] = [];
  #hasGivenUp = false;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  get hasGivenUp(): boolean {
    return this.#hasGivenUp;
  }

  /** How many records wait for their acknowledgement now. */
  pendingChanged(pending: number): void {
    const isMoreOfTheSame = this.#pending > 0 && pending > this.#pending;
    this.#pending = pending;
    if (isMoreOfTheSame) return;
    this.end();
    if (pending > 0 && !this.#hasGivenUp) this.#begin();
  }

  /** No timer is left. */
  end(): void {
    for (const cancel of this.#timers.splice(0)) cancel();
  }

  #begin(): void {
    const { clock, giveUpMs, onStall, onGiveUp } = this.#options;
    if (giveUpMs > REMARK_AFTER_MS) this.#timers.push(clock.after(REMARK_AFTER_MS, () => void onStall()));
    this.#timers.push(
      clock.after(giveUpMs, () => {
        this.#hasGivenUp = true;
        onGiveUp();
      }),
    );
  }
}
