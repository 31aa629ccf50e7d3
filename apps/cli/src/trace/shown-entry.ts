/** A line of a trace, for people. */
import type { WatchedEvent } from "@minikafka/protocol";
import { shownEvent } from "../watch/shown-event.ts";

interface Entry {
  readonly request?: { readonly number: number; readonly connection: number; readonly line: string };
  readonly answer?: { readonly request: number; readonly line: string };
  readonly event?: WatchedEvent;
  readonly closed?: { readonly connection: number };
  readonly minikafka_trace?: number;
  readonly program_version?: string;
  readonly seed?: number;
  readonly start_time_ms?: number;
}

/** `null` for a line that is of no use to people, such as a part of a file. */
export function shownEntry(line: string): string | null {
  const entry = JSON.parse(line) as Entry;
  const { request, answer, event, closed } = entry;
  if (request !== undefined) return `> ${request.number} (connection ${request.connection}) ${request.line}`;
  if (answer !== undefined) return `< ${answer.request} ${answer.line}`;
  if (event !== undefined) return `. ${shownEvent(event)}`;
  if (closed !== undefined) return `x (connection ${closed.connection}) closed`;
  if (entry.minikafka_trace === undefined) return null;
  return `# version ${entry.program_version}, seed ${entry.seed}, from ${entry.start_time_ms} ms`;
}
