/** From what was asked for to offsets: where to begin in each partition, and where it ended when the command began. */
import type { Admin } from "@minikafka/client";
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
}

/** Asks for the bounds of each partition. Throws UNKNOWN_TOPIC and UNKNOWN_PARTITION. */
export async function findSpans(admin: Admin, query: SpanQuery, signal: AbortSignal): Promise<Span[]> {
  const { topic, offset: spec } = query;
  const partitions =
    query.partition ?? (await admin.metadata(topic, { signal })).partitions.map(({ partition }) => partition);
  return Promise.all(
    partitions.map(async (partition): Promise<Span> => {
      const ask = async (at: "earliest" | "latest" | { readonly timestampMs: number }) =>
        (await admin.listOffsets({ topic, partition, at }, { signal })).offset;
      const [start, end, atTime] = await Promise.all([
        ask("earliest"),
        ask("latest"),
        spec.kind === "time" ? ask({ timestampMs: spec.timestampMs }) : null,
      ]);
      const bounds = { start: start ?? 0, end: end ?? 0, atTime };
      return { topic, partition, begin: beginOf(spec, bounds), end: bounds.end };
    }),
  );
}
