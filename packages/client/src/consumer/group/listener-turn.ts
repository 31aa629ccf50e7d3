/**
 * Tells the caller's listener of rebalances, and knows when a call comes out of it.
 *
 * Owns what it threw, for the next poll. Invariant: the listener is awaited, unless it waits for the close itself.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { untilAborted } from "../../waiting.ts";
import type { Rebalance, RebalanceListener } from "./group-options.ts";

export class ListenerTurn {
  readonly #listener: RebalanceListener | null;
  /** Which turn the code that runs belongs to. */
  readonly #inside = new AsyncLocalStorage<AbortController>();
  /** The latest turn; aborted when nobody waits for it any more. */
  #turn: AbortController | null = null;
  #errors: unknown[] = [];

  constructor(listener: RebalanceListener | null) {
    this.#listener = listener;
  }

  takeError(): unknown {
    return this.#errors.shift() ?? null;
  }

  /** Where the listener calls this, it is awaited no more: it is about to wait for us. Elsewhere it does nothing. */
  awaitsUs(): void {
    const turn = this.#inside.getStore();
    if (turn === this.#turn) turn?.abort();
  }

  /** Never rejects. Whether the listener threw. */
  async tell(rebalance: Rebalance): Promise<boolean> {
    const listener = this.#listener;
    if (listener === null) return false;
    const turn = new AbortController();
    this.#turn = turn;
    try {
      const told = this.#inside.run(turn, async () => listener(rebalance));
      await untilAborted(told, turn.signal);
      return false;
    } catch (error) {
      if (turn.signal.aborted) return false;
      this.#errors.push(error);
      return true;
    } finally {
      // Following calls costs every promise of the process a little where Node has to hook them.
      if (this.#turn === turn) this.#inside.disable();
    }
  }
}
