/**
 * A fault that is armed at a request.
 *
 * Owns its counts and the requests that it holds.
 * Invariants: whoever is held is let go once, in the order of arrival.
 */
import { ArmedFault } from "@minikafka/core";
import type { WireOrder } from "./fault-order.ts";

export class RequestRule extends ArmedFault<WireOrder> {
  #held: (() => void)[] = [];

  constructor(order: WireOrder, id: number) {
    super(order, `the fault at ${order.point}`, id);
  }

  /** How many requests wait to be let go. */
  get held(): number {
    return this.#held.length;
  }

  /** Resolves once it is let go. */
  hold(): Promise<void> {
    return new Promise((resolve) => this.#held.push(resolve));
  }

  /** Returns how many were held. */
  letGo(): number {
    const held = this.#held;
    this.#held = [];
    for (const go of held) go();
    return held.length;
  }
}
