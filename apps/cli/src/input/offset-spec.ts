/** `fetch -o`: where to begin, in the words of kcat and rpk. Which offset that is in a partition, its log decides. */
import { InvalidArgumentError } from "commander";

export type OffsetSpec =
  | { readonly kind: "beginning" }
  | { readonly kind: "end" }
  | { readonly kind: "offset"; readonly offset: number }
  /** The last `count` offsets before the end, or all when there are fewer. */
  | { readonly kind: "last"; readonly count: number }
  /** The first record at or after that time, or the end when there is none. */
  | { readonly kind: "time"; readonly timestampMs: number };

const REFUSAL =
  "Expected beginning, end, an offset, -N for the last N, or @ms (or @2026-01-31T12:00:00Z) for a time.";

export function parseOffsetSpec(text: string): OffsetSpec {
  if (text === "beginning" || text === "start" || text === "earliest") return { kind: "beginning" };
  if (text === "end" || text === "latest") return { kind: "end" };
  if (/^-\d+$/.test(text)) return { kind: "last", count: safe(text.slice(1)) };
  if (/^\d+$/.test(text)) return { kind: "offset", offset: safe(text) };
  if (text.startsWith("@")) return { kind: "time", timestampMs: timestampOf(text.slice(1)) };
  throw new InvalidArgumentError(REFUSAL);
}

/** `--time`: the same, where the `@` may be left out. */
export function parseTime(text: string): number {
  return timestampOf(
    text.replace(/^@/, ""),
    "Expected ms since 1970, or a date with its zone, such as 2026-01-31T12:00:00Z.",
  );
}

function timestampOf(text: string, refusal = REFUSAL): number {
  if (/^\d+$/.test(text)) return safe(text, refusal);
  // Only with a zone: a time without one would mean another moment on another machine.
  const timestampMs = /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isSafeInteger(timestampMs) || timestampMs < 0) throw new InvalidArgumentError(refusal);
  return timestampMs;
}

function safe(digits: string, refusal = REFUSAL): number {
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError(refusal);
  return value;
}
