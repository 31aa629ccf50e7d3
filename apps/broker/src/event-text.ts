/** An event of the kernel, or of a request, as it goes over the wire: the same facts, with the wire's names. */
import type { TraceEvent } from "@minikafka/core";
import { EVENTS_DROPPED } from "@minikafka/protocol";
import type { RequestEvent } from "./request-event.ts";

const BEFORE = '{"event":';
const AFTER = "}\n";

/** The line of an event, ended by a newline. */
export function eventText(number: number, timeMs: number, event: TraceEvent | RequestEvent): string {
  const { kind, ...facts } = event;
  return lineOf({ number, time_ms: timeMs, kind, ...(snakeCased(facts) as object) });
}

/** The same of a fault's event, with the mark that the fault was armed with. */
export function markedText(number: number, timeMs: number, event: TraceEvent, mark: string): string {
  const { kind, ...facts } = event;
  return lineOf({ number, time_ms: timeMs, kind, ...(snakeCased(facts) as object), mark });
}

/** The line that tells of `count` events that are missing; `lastNumber` is that of the last of them, at `timeMs`. */
export function droppedText(count: number, firstNumber: number, lastNumber: number, timeMs: number): string {
  return lineOf({
    number: lastNumber,
    time_ms: timeMs,
    kind: EVENTS_DROPPED,
    count,
    first_number: firstNumber,
  });
}

/** The event alone, as its line has it: without what stands around it there. */
export function eventIn(line: string): string {
  return line.slice(BEFORE.length, -AFTER.length);
}

function lineOf(event: object): string {
  return `${BEFORE}${JSON.stringify(event)}${AFTER}`;
}

/** Names that are data, such as those of a topic's settings, are in snake case already and stay as they are. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [snakeName(name), snakeCased(inner)]),
  );
}

function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
