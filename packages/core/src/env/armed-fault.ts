/** A fault that is armed: how often it acts, and the proof that it did. */
import { assert } from "../assert.ts";

/**
 * Which of the matching hits it acts on, counted from 1 since it was armed. Further choices (probability by seed) are
 * members of this.
 */
export type FaultTimes = "once" | "always" | { readonly nth: number } | { readonly first: number };

function actsOn(times: FaultTimes, hit: number): boolean {
  if (times === "always") return true;
  if (times === "once") return hit === 1;
  return "nth" in times ? hit === times.nth : hit <= times.first;
}

export class ArmedFault<Order extends { readonly times?: FaultTimes }> {
  readonly order: Order;
  readonly #name: string;
  #hits = 0;
  #fired = 0;

  /** `name` is for the sentence of a fault that stayed silent. */
  constructor(order: Order, name: string) {
    this.order = order;
    this.#name = name;
  }

  /** How often it could have acted since it was armed. */
  get hits(): number {
    return this.#hits;
  }

  /** How often it acted. */
  get fired(): number {
    return this.#fired;
  }

  /** Fails when the fault never acted: a test whose fault stayed silent has tested nothing. */
  assertFired(): void {
    assert(this.#fired > 0, `${this.#name} never fired, after ${this.#hits} hits`);
  }

  /** Counts a hit and says whether to act on it. */
  takeHit(): boolean {
    this.#hits++;
    const acts = actsOn(this.order.times ?? "once", this.#hits);
    if (acts) this.#fired++;
    return acts;
  }
}
