/** From what was asked for to offsets: where to begin in each partition, and where it ended when the command began. */
import type { Admin } from "@minikafka/client";
import { failureOf } from "../failure.ts";
import type { Isolation } from "../input/arguments.ts";
import type { OffsetSpec } from "../input/offset-spec.ts";

export interface LogBounds {
  /** The first offset that is still there. */
  readonly start: number;
  /** The end of what is visible, exclusive. */
  readonly end: number;
  /** The first record at or after the time asked for; `null` when none is that late, or no time was asked for. */
  readonly atTime: number | null;
}

/** What to read of one partition: from `begin`; `end` is where it ended, and only `-e` stops there. */
export interface Span {
  readonly topic: string;
  readonly partition: number;
  readonly begin: number;
  readonly end: number;
}

/** The offset that `spec` means. An offset that is not there stays what it is: the broker refuses it, naming its bounds. */
export function beginOf(spec: OffsetSpec, { start, end, atTime }: LogBounds): number {
  switch (spec.kind) {
    case "beginning":
      return start;
    case "end":
      return end;
    case "offset":
      return spec.offset;
    case "last":
      return Math.max(start, end - spec.count);
    case "time":
      return atTime ?? end;
  }
}

export interface SpanQuery {
  readonly topic: string;
  /** All of the topic's when not given. */
  readonly partition?: readonly number[];
  readonly offset: OffsetSpec;
  /** Whose end is meant: a read_committed reader's lies before the oldest open transaction. */
  readonly isolation?: Isolation;
}

/** What can be read, and what cannot. */
export interface FoundSpans {
  readonly spans: readonly Span[];
  /** Of each partition that cannot serve now, lowest first: one that is damaged keeps nobody from the others. */
  readonly unreadable: readonly UnreadablePartition[];
}

export interface UnreadablePartition {
  readonly partition: number;
  readonly error: unknown;
}

/** What is wrong with one partition and says nothing of the others. */
export function isOfOnePartition(error: unknown): boolean {
  const { code } = failureOf(error);
  return code === "STORAGE_ERROR" || code === "CORRUPT_BATCH" || code === "LEADER_NOT_AVAILABLE";
}

/** Asks for the bounds of each partition. Throws UNKNOWN_TOPIC and UNKNOWN_PARTITION. */
export async function findSpans(admin: Admin, query: SpanQuery, signal: AbortSignal): Promise<FoundSpans> {
  const { topic, offset: spec, isolation } = query;
  const partitions =
    query.partition ?? (await admin.metadata(topic, { signal })).partitions.map(({ partition }) => partition);
  const spans: Span[] = [];
  const unreadable: UnreadablePartition[] = [];
  await Promise.all(
    partitions.map(async (partition) => {
      try {
        spans.push(await findSpan(admin, { topic, partition }, { spec, isolation, signal }));
      } catch (error) {
        if (!isOfOnePartition(error)) throw error;
        unreadable.push({ partition, error });
      }
    }),
  );
  const byPartition = (left: { partition: number }, right: { partition: number }) =>
    left.partition - right.partition;
  return { spans: spans.sort(byPartition), unreadable: unreadable.sort(byPartition) };
}

interface SpanQuestion {
  readonly spec: OffsetSpec;
  readonly isolation: Isolation | undefined;
  readonly signal: AbortSignal;
}

async function findSpan(
  admin: Admin,
  place: { readonly topic: string; readonly partition: number },
  { spec, isolation, signal }: SpanQuestion,
): Promise<Span> {
  const ask = async (at: "earliest" | "latest" | { readonly timestampMs: number }) =>
    (await admin.listOffsets({ ...place, at, isolation }, { signal })).offset;
  const [start, end, atTime] = await Promise.all([
    ask("earliest"),
    ask("latest"),
    spec.kind === "time" ? ask({ timestampMs: spec.timestampMs }) : null,
  ]);
  const bounds = { start: start ?? 0, end: end ?? 0, atTime };
  return { ...place, begin: beginOf(spec, bounds), end: bounds.end };
}
