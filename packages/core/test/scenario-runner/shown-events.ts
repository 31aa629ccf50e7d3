/** The events of a cluster as a scenario shows them: as `minikafka-cli watch` does, without number, time, and facts of no interest. */
import type { TraceEvent, TraceKind } from "../../src/env/trace.ts";

/** What is shown unless `watch` says otherwise: what a partition, a group or a transaction has come to. */
const USUAL: readonly TraceKind[] = [
  "appended",
  "rolled",
  "truncated",
  "restarted",
  "recovered",
  "segment_deleted",
  "log_start_moved",
  "compacted",
  "duplicate_answered",
  "high_watermark_moved",
  "replicated",
  "reconciled",
  "replica_set_aside",
  "replication_failed",
  "leader_changed",
  "isr_changed",
  "last_stable_offset_moved",
  "marker_written",
  "member_expired",
  "generation_started",
  "partitions_released",
  "offsets_committed",
  "offsets_staged",
  "transaction_initialized",
  "transaction_begun",
  "transaction_partition_added",
  "transaction_prepared",
  "transaction_completed",
  "fault_fired",
];

/** Facts that say where in which file, or how many bytes; and what stands in another fact of the same event. */
const LEFT_OUT: Partial<Record<TraceKind, readonly string[]>> = {
  appended: ["bytes", "position", "segmentBaseOffset"],
  replicated: ["bytes", "leaderId"],
  reconciled: ["reconciliation"],
  isr_changed: ["leaderEpoch"],
  marker_written: ["coordinatorEpoch"],
  compacted: ["bytesBefore", "bytesAfter"],
  generation_started: ["rebalance"],
  transaction_initialized: ["timeoutMs", "state"],
  fault_fired: ["ruleId"],
};

export interface Watching {
  readonly topic: string | null;
  readonly kinds: readonly string[];
}

export const USUAL_WATCHING: Watching = { topic: null, kinds: USUAL };

/** A line, or `null` for an event that nobody watches. Internal topics are watched by name alone. */
export function shownEvent(event: TraceEvent, { topic: watched, kinds }: Watching): string | null {
  if (!kinds.includes(event.kind)) return null;
  const { kind, topic, partition, brokerId, ...facts } = event as { kind: TraceKind } & Record<
    string,
    unknown
  >;
  if (watched === null ? String(topic).startsWith("__") : topic !== undefined && topic !== watched)
    return null;
  const shown = Object.entries(facts).filter(([name]) => !LEFT_OUT[kind]?.includes(name));
  const place = topic === undefined ? "" : ` ${topic}[${partition}]`;
  const broker = brokerId === undefined ? "" : `${place === "" ? " " : ""}@${brokerId}`;
  return `* ${kind}${place}${broker}${shown.map(([name, value]) => ` ${wireName(name)}=${shownValue(value)}`).join("")}`;
}

function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string") return /^[!-~]+$/.test(value) ? value : `"${value}"`;
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(shownItem).join(",");
  return String(value);
}

/** Of a broker, a member or a place by its name, and what there is to say of it. */
function shownItem(item: unknown): string {
  if (typeof item !== "object" || item === null) return String(item);
  const [first, ...facts] = Object.entries(item)
    .map(([name, value]) => [wireName(name), shownValue(value)] as const)
    .filter(([, value]) => value !== "-");
  return `(${[first?.[1], ...facts.map(([name, value]) => `${name}=${value}`)].join(" ")})`;
}

/** Without the appends of a follower, which its `replicated` tells together. */
export function withoutCopies(lines: readonly string[]): string[] {
  return lines.filter((line, index) => {
    const place = /^\* appended (\S+)/.exec(line)?.[1];
    if (place === undefined) return true;
    const next = lines.slice(index).find((other) => !other.startsWith(`* appended ${place} `));
    return next?.startsWith(`* replicated ${place} `) !== true;
  });
}
