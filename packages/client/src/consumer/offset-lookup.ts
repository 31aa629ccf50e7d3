/** From "beginning", "earliest", "end", "latest" or a time to an offset, as the broker knows it. */
import { shownValue } from "@minikafka/record";
import type { Session } from "../session.ts";
import type { TopicPartition } from "../topic-partition.ts";
import { checkedInteger, usageError } from "../usage.ts";
import { retrying } from "../waiting.ts";
import type { OffsetSpec } from "./partition-cursor.ts";

const EARLIEST = -2;
const LATEST = -1;

/** Kafka's words, and those of its seekToBeginning and seekToEnd. */
const TIMES = { beginning: EARLIEST, earliest: EARLIEST, end: LATEST, latest: LATEST } as const;

function isWord(spec: unknown): spec is keyof typeof TIMES {
  return typeof spec === "string" && Object.hasOwn(TIMES, spec);
}

export interface LookupOptions {
  readonly isolation: "read_uncommitted" | "read_committed";
  /** Ends the trying again. */
  readonly enough: AbortSignal;
}

/** "beginning" is "earliest", "end" is "latest". */
export type OffsetPlace = Exclude<OffsetSpec, number>;

/** As `list_offsets` takes it. */
export function timestampOf(spec: OffsetPlace): number {
  if (isWord(spec)) return TIMES[spec];
  if (typeof spec === "object" && spec !== null) return spec.timestampMs;
  throw usageError(`at is ${shownValue(spec)}; expected "earliest", "latest", or { timestampMs }`);
}

/** Throws USAGE for anything that is not an offset's description. */
export function checkOffsetSpec(spec: OffsetSpec): void {
  if (isWord(spec)) return;
  if (typeof spec === "number") checkedInteger("offset", spec, 0);
  else if (typeof spec === "object" && spec !== null) checkedInteger("timestampMs", spec.timestampMs, 0);
  else
    throw usageError(
      `the offset is ${String(spec)}; expected a number, "beginning" or "earliest", "end" or "latest", or { timestampMs }`,
    );
}

/** The offset. A time later than every record is the end, where the next record will be. */
export async function lookUpOffset(
  session: Session,
  place: TopicPartition,
  spec: OffsetSpec,
  options: LookupOptions,
): Promise<number> {
  if (typeof spec === "number") return spec;
  const ask = async (timestampMs: number): Promise<number | null> => {
    const { topic, partition } = place;
    const fields = { topic, partition, timestamp_ms: timestampMs, isolation: options.isolation };
    const { clock, random, requestTimeoutMs } = session;
    const deadlineMs = clock.elapsedMs() + requestTimeoutMs;
    const retries = { clock, random, deadlineMs, enough: options.enough };
    return (await retrying(retries, () => session.call("list_offsets", fields))).offset;
  };
  const timestampMs = timestampOf(spec);
  return (await ask(timestampMs)) ?? (await ask(LATEST)) ?? 0;
}
