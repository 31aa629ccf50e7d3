/**
 * The faults that are armed at requests.
 *
 * Owns the rules.
 * Invariants: of several at one point the first that acts ends the hit, as in the kernel; each that acts is told as an event.
 * Never: carries out a request, or keeps one from being carried out: dispatch does, by what it is told here.
 */
import type { Tracer } from "@minikafka/core";
import { isErrorCode } from "@minikafka/protocol";
import { refused, requireFields, requirePossible, type WireOrder } from "./fault-order.ts";
import { isKafkaPoint } from "./kafka-points.ts";
import { isWithin, type ScopedRequest } from "./request-points.ts";
import { RequestRule } from "./request-rule.ts";

import { unknownPoint } from "./unknown-point.ts";
import { wirePoints } from "./wire-points.ts";

/** What each action has to know. */
const FIELDS = { error: ["code"], delay: ["delay_ms"] } as const;

export class RequestFaults {
  readonly #trace: Tracer;
  readonly #rules: RequestRule[] = [];
  #isResting = false;

  constructor(trace: Tracer) {
    this.#trace = trace;
  }

  /** `id`: its number in the list of all faults. Throws INVALID_REQUEST for what cannot be. */
  arm(order: WireOrder, id: number): RequestRule {
    const point = wirePoints().get(order.point);
    if (point === undefined) throw unknownPoint(order.point);
    requirePossible(order, point);
    requireFields(order, order.action === "error" || order.action === "delay" ? FIELDS[order.action] : []);
    requireTold(order);
    const rule = new RequestRule(order, id);
    this.#rules.push(rule);
    return rule;
  }

  /** It acts no more. Lets go what it holds, and returns how many that were. */
  disarm(rule: RequestRule): number {
    const index = this.#rules.indexOf(rule);
    if (index !== -1) this.#rules.splice(index, 1);
    return rule.letGo();
  }

  /** From now on no request is hit; what is armed stays, with its counts. */
  rest(): void {
    this.#isResting = true;
  }

  /** The fault that acts at this request, or `null`. With nothing armed it costs one comparison. */
  firedAt(point: string, scopeOf: () => ScopedRequest): RequestRule | null {
    if (this.#rules.length === 0 || this.#isResting) return null;
    let request: ScopedRequest | null = null;
    for (const rule of this.#rules) {
      if (rule.order.point !== point) continue;
      request ??= scopeOf();
      if (!isWithin(rule.order, request) || !rule.takeHit()) continue;
      const { id: ruleId, hits: hit } = rule;
      this.#trace({ kind: "fault_fired", point, action: rule.order.action, hit, ruleId });
      return rule;
    }
    return null;
  }
}

/** Throws INVALID_REQUEST for a code that clients of that protocol are never told. */
function requireTold({ point, code }: WireOrder): void {
  if (code === undefined || isErrorCode(code) || isKafkaPoint(point)) return;
  throw refused(
    `code: ${code} is told to Kafka's clients alone, at points as kafka.Produce; expected at ${point} a code of the error table`,
  );
}
