/**
 * An armed fault at a point.
 *
 * Owns: who is held by it.
 * Invariant: whoever was held goes on when the rule is released or disarmed, in the order in which they came.
 */
import { ArmedFault } from "./armed-fault.ts";
import type { FaultOrder, FaultSite } from "./fault-order.ts";
import type { FaultPoint } from "./fault-point.ts";

export class FaultRule extends ArmedFault<FaultOrder> {
  readonly #disarm: (rule: FaultRule) => void;
  #held: (() => void)[] = [];

  constructor(id: number | null, order: FaultOrder, disarm: (rule: FaultRule) => void) {
    super(order, `the fault at ${order.point}`, id);
    this.#disarm = disarm;
  }

  /** How many wait to be released. */
  get held(): number {
    return this.#held.length;
  }

  /** Disarms a hold and lets everybody go who is held by it. Returns how many there were. Does nothing to other actions. */
  release(): number {
    if (this.order.action !== "hold") return 0;
    const { held } = this;
    this.#disarm(this);
    return held;
  }

  /** Resolves when it is let go. */
  hold(): Promise<void> {
    return new Promise((resolve) => this.#held.push(resolve));
  }

  /** For FaultPoints, as it disarms the rule. */
  letGo(): void {
    const held = this.#held;
    this.#held = [];
    for (const go of held) go();
  }

  /** Whether a pass of `point` on behalf of `site` is one of those that it can act on. */
  sees(point: FaultPoint, site: FaultSite | undefined): boolean {
    return this.order.point === point && agrees(this.order.site, site);
  }
}

function agrees(wanted: FaultSite | undefined, seen: FaultSite | undefined): boolean {
  if (wanted === undefined) return true;
  return (
    (wanted.brokerId === undefined || wanted.brokerId === seen?.brokerId) &&
    (wanted.topic === undefined || wanted.topic === seen?.topic) &&
    (wanted.partition === undefined || wanted.partition === seen?.partition)
  );
}
