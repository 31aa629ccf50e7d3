/** The entries of a segment's indexes as `log dump` shows them, from the wire and from a file alike. */
import type { Finding } from "@minikafka/core/log";
import type { ParsedResponse } from "@minikafka/protocol";

type FoundIndex = Extract<Finding, { kind: "index" | "time_index" | "aborted_index" }>;

interface AbortedFields {
  readonly producer_id: number;
  readonly first_offset: number;
  readonly last_offset: number;
  readonly position: number;
}

export interface ShownIndex {
  readonly type: FoundIndex["kind"];
  /** Left out over the wire, where it may be in the broker's memory alone. */
  readonly file?: string;
  /** The base offset of its segment. */
  readonly segment: number;
  /** The names are the protocol's: -J prints them. */
  readonly entries: readonly (
    | { readonly offset: number; readonly position: number }
    | { readonly timestamp_ms: number; readonly offset: number }
    | AbortedFields
  )[];
  /** Why the broker will make it anew, or `null`. */
  readonly problem: string | null;
}

export function indexFromFile(found: FoundIndex): ShownIndex {
  const { file, segmentBaseOffset: segment, problem } = found;
  return { type: found.kind, file, segment, entries: entriesOf(found), problem };
}

function entriesOf(found: FoundIndex): ShownIndex["entries"] {
  const { segmentBaseOffset: segment } = found;
  switch (found.kind) {
    case "index":
      return found.entries.map(({ relativeOffset, position }) => ({
        offset: segment + relativeOffset,
        position,
      }));
    case "time_index":
      return found.entries.map(({ timestampMs, relativeOffset }) => ({
        timestamp_ms: timestampMs,
        offset: segment + relativeOffset,
      }));
    case "aborted_index":
      return found.entries.map(({ producerId, firstOffset, lastOffset, position }) => ({
        producer_id: producerId,
        first_offset: firstOffset,
        last_offset: lastOffset,
        position,
      }));
  }
}

/** The indexes of each segment; those without an entry are left out. */
export function indexesFromWire(indexes: ParsedResponse<"dump_log">["indexes"]): ShownIndex[] {
  const shown = (indexes ?? []).flatMap(({ segment, offsets, times, aborted = [] }): ShownIndex[] => [
    { type: "index", segment, entries: offsets, problem: null },
    { type: "time_index", segment, entries: times, problem: null },
    { type: "aborted_index", segment, entries: aborted, problem: null },
  ]);
  return shown.filter(({ entries }) => entries.length > 0);
}

const NAMES: Readonly<Record<ShownIndex["type"], string>> = {
  index: "offset index",
  time_index: "time index",
  aborted_index: "index of aborted transactions",
};

/** Lines in the manner of Kafka's DumpLogSegments, each with its newline. */
export function indexText({ type, file, segment, entries, problem }: ShownIndex): string {
  const name = file ?? `${NAMES[type]} of segment ${segment}`;
  const lines = entries.map((entry) => {
    if ("producer_id" in entry)
      return `producerId: ${entry.producer_id} firstOffset: ${entry.first_offset} lastOffset: ${entry.last_offset} position: ${entry.position}`;
    if ("position" in entry) return `offset: ${entry.offset} position: ${entry.position}`;
    return `timestamp: ${entry.timestamp_ms} offset: ${entry.offset}`;
  });
  if (problem !== null) lines.push(`not used: ${problem}; it will be made anew`);
  return [`Dumping ${name}`, ...lines].map((line) => `${line}\n`).join("");
}
