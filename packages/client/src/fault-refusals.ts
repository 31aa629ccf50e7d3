/** What is said of a fault that did not act, or cannot. */
import { MiniKafkaError } from "./errors.ts";
import type { FaultOrder } from "./fault-order.ts";
import { usageError } from "./usage.ts";

/** A fault as messages name it. */
export interface NamedFault {
  readonly id: number;
  readonly order: FaultOrder;
}

interface Seen {
  readonly hits: number;
  readonly fired: number;
}

export const BEHIND_HOLD =
  "what is held keeps back what its client sends behind it, so use a second client for faults";

export function nameOf({ id, order: { action, point } }: NamedFault): string {
  return `the fault ${id} (${action} at ${point})`;
}

export function notFired(fault: NamedFault, hits: number): MiniKafkaError {
  // Who looks at Kafka's clients may think of the operation's own name.
  const others =
    hits === 0 && fault.order.point.startsWith("request.")
      ? "; Kafka's clients pass kafka.Produce and the like"
      : "";
  const message = `${nameOf(fault)} never fired, after ${hitsText(hits)}${others}`;
  return new MiniKafkaError("FAULT_NOT_FIRED", message, { details: { ruleId: fault.id, hits } });
}

export function notArmed(fault: NamedFault): MiniKafkaError {
  return usageError(
    `${nameOf(fault)} is not armed any more, and its counts are gone: it was disarmed, or its broker has begun anew or loaded a snapshot`,
  );
}

export function noHold(fault: NamedFault): MiniKafkaError {
  return usageError(`${nameOf(fault)} holds nothing: release() is for the action hold, disarm() for all`);
}

/** `lost`: how its broker went. Only of a crash all was watched for. */
export function unseen(fault: NamedFault, lost: MiniKafkaError): MiniKafkaError {
  const message =
    fault.order.action === "crash"
      ? `${nameOf(fault)} was not seen to act before its broker went: ${lost.message}`
      : `nobody can tell any more how often ${nameOf(fault)} acted, since its broker has gone: ${lost.message}`;
  return new MiniKafkaError("CONNECTION", message, { details: lost.details, cause: lost });
}

export function uncounted(fault: NamedFault, timeoutMs: number): MiniKafkaError {
  const message = `${nameOf(fault)} was not counted within ${timeoutMs} ms: its broker has not said how often it acted`;
  return new MiniKafkaError("TIMEOUT", message, { details: { ruleId: fault.id, timeoutMs } });
}

/** `seen`: what its broker has said last, if anything. */
export function tooLate(
  fault: NamedFault,
  count: number,
  timeoutMs: number,
  seen: Seen | null,
): MiniKafkaError {
  const so =
    seen === null
      ? "its broker has not said how often it did"
      : `it acted ${seen.fired} of ${count} times, after ${hitsText(seen.hits)}`;
  const why = seen === null && fault.order.action === "hold" ? `; ${BEHIND_HOLD}` : "";
  const message = `${nameOf(fault)} did not act within ${timeoutMs} ms: ${so}${why}`;
  const counts = seen === null ? {} : { hits: seen.hits, fired: seen.fired };
  return new MiniKafkaError("TIMEOUT", message, { details: { ruleId: fault.id, timeoutMs, ...counts } });
}

/** Throws USAGE where it never acts so often. */
export function requireReachable(fault: NamedFault, count: number): void {
  const most = timesAtMost(fault.order);
  if (count <= most) return;
  if (fault.order.action === "crash")
    throw usageError(`count is ${count}; a broker dies of a crash once, which whenFired() waits for`);
  const often = most === 1 ? "once" : `${most} times`;
  throw usageError(`count is ${count}; ${nameOf(fault)} acts ${often} at most, as its times say`);
}

function timesAtMost({ action, times = "once" }: FaultOrder): number {
  if (action === "crash" || times === "once") return 1;
  if (times === "always" || "probability" in times) return Number.POSITIVE_INFINITY;
  return "first" in times ? times.first : 1;
}

function hitsText(hits: number): string {
  return hits === 1 ? "1 hit" : `${hits} hits`;
}
