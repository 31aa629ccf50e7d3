/** A fault that is armed: how often it acts, and the proof that it did. */
import { assert } from "../assert.ts";

import { SeededRandom } from "./random.ts";

/** Each hit with this chance, above 0 and at most 1. The same seed acts on the same hits. */
export interface FaultChance {
  readonly probability: number;
  readonly seed: number;
}

/** Which of the matching hits it acts on, counted from 1 since it was armed. */
export type FaultTimes =
  | "once"
  | "always"
  | { readonly nth: number }
  | { readonly first: number }
  | FaultChance;

/** Says of each hit in turn, by its number, whether to act on it. */
type Choice = (hit: number) => boolean;

function choiceOf(times: FaultTimes): Choice {
  if (times === "always") return () => true;
  if (times === "once") return (hit) => hit === 1;
  if ("nth" in times) return (hit) => hit === times.nth;
  if ("first" in times) return (hit) => hit <= times.first;
  const { probability, seed } = times;
  assert(probability > 0 && probability <= 1, `a probability is above 0 and at most 1, not ${probability}`);
  const random = new SeededRandom(seed);
  return () => random.nextUint32() < probability * 2 ** 32;
}

export class ArmedFault<Order extends { readonly times?: FaultTimes }> {
  readonly order: Order;
  /** Its number where its broker lists it; `null` for one that was armed by no request. */
  readonly id: number | null;
  readonly #name: string;
  readonly #actsOn: Choice;
  #hits = 0;
  #fired = 0;

  /** `name` is for the sentence of a fault that stayed silent. */
  constructor(order: Order, name: string, id: number | null = null) {
    this.order = order;
    this.id = id;
    this.#name = name;
    this.#actsOn = choiceOf(order.times ?? "once");
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
    const acts = this.#actsOn(this.#hits);
    if (acts) this.#fired++;
    return acts;
  }
}
