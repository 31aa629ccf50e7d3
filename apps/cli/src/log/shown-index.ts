/** The entries of a segment's indexes as `log dump` shows them, from the wire and from a file alike. */
import type { Finding } from "@minikafka/core/log";
import type { ParsedResponse } from "@minikafka/protocol";

type FoundIndex = Extract<Finding, { kind: "index" | "time_index" }>;

export interface ShownIndex {
  readonly type: "index" | "time_index";
  /** Left out over the wire, where it may be in the broker's memory alone. */
  readonly file?: string;
  /** The base offset of its segment. */
  readonly segment: number;
  /** The names are the protocol's: -J prints them. */
  readonly entries: readonly (
    | { readonly offset: number; readonly position: number }
    | { readonly timestamp_ms: number; readonly offset: number }
  )[];
  /** Why the broker will make it anew, or `null`. */
  readonly problem: string | null;
}

export function indexFromFile(found: FoundIndex): ShownIndex {
  const { file, segmentBaseOffset: segment, problem } = found;
  const entries =
    found.kind === "index"
      ? found.entries.map(({ relativeOffset, position }) => ({ offset: segment + relativeOffset, position }))
      : found.entries.map(({ timestampMs, relativeOffset }) => ({
          timestamp_ms: timestampMs,
          offset: segment + relativeOffset,
        }));
  return { type: found.kind, file, segment, entries, problem };
}

/** Both indexes of each segment; those without an entry are left out. */
export function indexesFromWire(indexes: ParsedResponse<"dump_log">["indexes"]): ShownIndex[] {
  const shown = (indexes ?? []).flatMap(({ segment, offsets, times }): ShownIndex[] => [
    { type: "index", segment, entries: offsets, problem: null },
    { type: "time_index", segment, entries: times, problem: null },
  ]);
  return shown.filter(({ entries }) => entries.length > 0);
}

/** Lines in the manner of Kafka's DumpLogSegments, each with its newline. */
export function indexText({ type, file, segment, entries, problem }: ShownIndex): string {
  const name = file ?? `${type === "index" ? "offset" : "time"} index of segment ${segment}`;
  const lines = entries.map((entry) =>
    "position" in entry
      ? `offset: ${entry.offset} position: ${entry.position}`
      : `timestamp: ${entry.timestamp_ms} offset: ${entry.offset}`,
  );
  if (problem !== null) lines.push(`not used: ${problem}; it will be made anew`);
  return [`Dumping ${name}`, ...lines].map((line) => `${line}\n`).join("");
}
