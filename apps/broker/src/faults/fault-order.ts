/** What is asked of the faults, as arm_fault brings it, and how it is refused. */
import { BrokerError } from "@minikafka/core";
import {
  FAULT_SCOPES,
  type FaultActionName,
  type FaultScopeName,
  type ParsedRequest,
} from "@minikafka/protocol";

/** What an order says beside its point, its action and its times. */
export type FaultOrderField = "errno" | "code" | "bytes_written" | "delay_ms" | FaultScopeName;

const FIELDS: readonly FaultOrderField[] = ["errno", "code", "bytes_written", "delay_ms", ...FAULT_SCOPES];

export type WireOrder = Pick<ParsedRequest<"arm_fault">, "point" | "action" | "times" | FaultOrderField>;

/** A point, with what it can be armed with and bound by. */
export interface FaultPointView {
  readonly point: string;
  readonly actions: readonly FaultActionName[];
  readonly scope: readonly FaultScopeName[];
}

/** Throws INVALID_REQUEST for an action that the point does not take, or a scope that none of its hits has. */
export function requirePossible(order: WireOrder, { point, actions, scope }: FaultPointView): void {
  if (!actions.includes(order.action))
    throw refused(`action: ${point} takes ${actions.join(", ")}, got ${order.action}`);
  const stranger = FAULT_SCOPES.find((name) => order[name] !== undefined && !scope.includes(name));
  if (stranger === undefined) return;
  const bounds = scope.length === 0 ? "nothing" : scope.join(", ");
  throw refused(`${stranger}: ${point} can be bound by ${bounds}`);
}

/** Throws INVALID_REQUEST unless the order says what `required` names, and beside it, of what an action needs, only that. */
export function requireFields(
  order: WireOrder,
  required: readonly FaultOrderField[],
  optional: readonly FaultOrderField[] = [],
): void {
  const missing = required.find((name) => order[name] === undefined);
  if (missing !== undefined)
    throw refused(`${missing}: expected it beside action ${order.action} at ${order.point}`);
  const taken = [...required, ...optional];
  const known = [...taken, ...FAULT_SCOPES];
  const stranger = FIELDS.find((name) => order[name] !== undefined && !known.includes(name));
  if (stranger !== undefined)
    throw refused(
      `${stranger}: it says nothing beside action ${order.action} at ${order.point}, which takes ${taken.join(" and ") || "nothing"}`,
    );
}

export function refused(message: string): BrokerError {
  return new BrokerError("INVALID_REQUEST", message);
}
