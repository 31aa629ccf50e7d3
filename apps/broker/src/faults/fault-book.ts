/**
 * All faults of a broker, those of the kernel and those at requests, under one numbering.
 *
 * Owns the numbers and the list of what was armed; the rules themselves belong to whoever acts by them.
 * Invariants: a number is given once; what is in the list stays there, with its counts, until it is disarmed, so that a fault that
 * has acted, or was let go, can still be asked whether it did; so does a fault that the program armed which the broker is a part
 * of, from when it is first seen here. What was armed with a mark goes by number and mark, for whoever names both: numbers begin anew
 * with each start.
 */
import type { FaultPoints, FaultRule, Tracer } from "@minikafka/core";
import type { ParsedResponse } from "@minikafka/protocol";
import { refused, type WireOrder } from "./fault-order.ts";
import { kernelOrder, kernelPoints, wireOrder } from "./kernel-faults.ts";
import { RequestFaults } from "./request-faults.ts";
import { RequestRule } from "./request-rule.ts";
import { wirePoints } from "./wire-points.ts";

/** Who arms and never disarms is told so, before each request has thousands of rules to pass. */
const RULES_MAX = 1_000;

type Rule = FaultRule | RequestRule;
export type FaultListing = ParsedResponse<"list_faults">;
type RuleView = FaultListing["rules"][number];

export class FaultBook {
  readonly requests: RequestFaults;
  readonly #kernel: FaultPoints;
  readonly #rules = new Map<number, Rule>();
  readonly #marks = new WeakMap<Rule, string>();
  #lastId = 0;

  constructor(kernel: FaultPoints, trace: Tracer) {
    this.#kernel = kernel;
    this.requests = new RequestFaults(trace);
  }

  /** All that can be armed, and all that is. */
  listing(): FaultListing {
    const points = [...wirePoints().values(), ...kernelPoints()].map(({ point, actions, scope }) => ({
      point,
      actions: [...actions],
      scope: [...scope],
    }));
    return { points, rules: this.rules() };
  }

  /** Oldest first. */
  rules(): RuleView[] {
    this.#takeIn();
    return Array.from(this.#rules, ([id, rule]) => viewOf(id, rule, this.#marks.get(rule)));
  }

  /** What a fault that is armed was marked with, if with anything. */
  markOf(id: number): string | undefined {
    const rule = this.#rules.get(id);
    return rule && this.#marks.get(rule);
  }

  /** Those of the kernel that hold somebody: a step, or an acknowledgement, may be waiting for their release. */
  holding(): RuleView[] {
    return this.rules().filter(({ point, held }) => held > 0 && !wirePoints().has(point));
  }

  /** Returns the number. Throws INVALID_REQUEST for what cannot be. */
  arm(order: WireOrder, mark?: string): number {
    this.#takeIn();
    if (this.#rules.size >= RULES_MAX)
      throw refused(`${RULES_MAX} faults are armed, which is all that are taken; disarm_faults forgets them`);
    const isOfRequest = wirePoints().has(order.point);
    const id = this.#lastId + 1;
    const rule = isOfRequest ? this.requests.arm(order, id) : this.#kernel.arm(kernelOrder(order), id);
    if (mark !== undefined) this.#marks.set(rule, mark);
    return this.#add(rule);
  }

  /** Forgets one, or all, or those of a mark. Returns how many there were. */
  disarm(id?: number, mark?: string): number {
    this.#takeIn();
    const gone = [...this.#rules].filter(
      ([each, rule]) => (id === undefined || each === id) && this.#isMarked(rule, mark),
    );
    for (const [each, rule] of gone) {
      this.#rules.delete(each);
      this.#letGo(rule);
    }
    return gone.length;
  }

  /** Lets go what a hold holds. Returns how many that were. Throws INVALID_REQUEST for what is no hold. */
  release(id: number, mark?: string): number {
    const rule = this.#rules.get(id);
    if (rule === undefined || !this.#isMarked(rule, mark))
      throw refused(`rule_id: no fault is armed under ${id}; list_faults has those that are`);
    if (rule.order.action !== "hold")
      throw refused(`rule_id: the fault ${id} holds nothing, its action is ${rule.order.action}`);
    return this.#letGo(rule);
  }

  /** What is held goes on, to be told that the broker stops; faults that break something stay as they are. */
  releaseAll(): void {
    this.#takeIn();
    for (const rule of this.#rules.values()) if (rule.order.action === "hold") this.#letGo(rule);
  }

  #isMarked(rule: Rule, mark: string | undefined): boolean {
    return mark === undefined || this.#marks.get(rule) === mark;
  }

  #letGo(rule: Rule): number {
    if (rule instanceof RequestRule) return this.requests.disarm(rule);
    const { held } = rule;
    this.#kernel.disarm(rule);
    return held;
  }

  #add(rule: Rule): number {
    this.#lastId += 1;
    this.#rules.set(this.#lastId, rule);
    return this.#lastId;
  }

  /** What was armed past this book. */
  #takeIn(): void {
    const known = new Set<Rule>(this.#rules.values());
    for (const rule of this.#kernel.rules()) if (!known.has(rule)) this.#add(rule);
  }
}

function viewOf(id: number, rule: Rule, mark: string | undefined): RuleView {
  const { hits, fired, held } = rule;
  const order = rule instanceof RequestRule ? rule.order : wireOrder(rule.order);
  return { rule_id: id, ...order, ...(mark !== undefined && { mark }), hits, fired, held };
}
