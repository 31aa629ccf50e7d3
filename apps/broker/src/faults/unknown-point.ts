/** How a fault's point is refused that there is not: with the one that may have been meant. */
import { type BrokerError, FAULT_POINTS } from "@minikafka/core";
import { nearest } from "@minikafka/record";
import { refused } from "./fault-order.ts";
import { wirePoints } from "./wire-points.ts";

/** INVALID_REQUEST. */
export function unknownPoint(point: string): BrokerError {
  const meant = pointMeant(point, [...wirePoints().keys(), ...FAULT_POINTS]);
  const asked = meant === null ? "" : `did you mean ${meant}? `;
  return refused(`point: there is no ${point}; ${asked}list_faults names all points`);
}

/** An operation's name alone is what many type first. Behind a first part that there is, only the rest may be wrong. */
function pointMeant(point: string, points: readonly string[]): string | null {
  const first = point.slice(0, point.indexOf(".") + 1);
  const behind = points.filter((name) => first !== "" && name.startsWith(first));
  if (behind.length === 0) return nearest(point, points) ?? nearest(`request.${point}`, points);
  const rest = nearest(
    point.slice(first.length),
    behind.map((name) => name.slice(first.length)),
  );
  return rest === null ? null : `${first}${rest}`;
}
