/**
 * Which segments a log no longer has to keep, told from their numbers alone. Kafka: UnifiedLog.deleteOldSegments.
 *
 * Invariants: what goes is a continuous run from the oldest on; nothing that ends above the high watermark is in it, so that
 * the log never begins above it; a log with fewer bytes than it may have loses none for its size.
 */
import type { LogConfig } from "../context/log-config.ts";
import type { SegmentExtent } from "../segment/segment-extent.ts";

/** Why a segment goes: it lies below the start of the log, the log is too large, or all in it is too old. */
export type RetentionReason = "log_start" | "size" | "time";

export interface RetentionFacts {
  /** All of them, oldest first; the last is the active one. */
  readonly segments: readonly Pick<SegmentExtent, "nextOffset" | "sizeBytes" | "maxTimestampMs">[];
  readonly logStartOffset: number;
  readonly highWatermark: number;
  readonly nowMs: number;
  readonly config: Pick<LogConfig, "deletes" | "retentionMs" | "retentionBytes">;
}

/**
 * The reasons of the segments that go, from the oldest on. When there are as many as segments, everything in the log is
 * past its retention: then the active one has to be rolled before it can go. An empty active one never goes.
 */
export function planRetention(facts: RetentionFacts): RetentionReason[] {
  const { segments, highWatermark } = facts;
  const reasons: RetentionReason[] = [];
  let leftBytes = segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  for (const [place, segment] of segments.entries()) {
    const isActive = place === segments.length - 1;
    if (segment.nextOffset > highWatermark || (isActive && segment.sizeBytes === 0)) break;
    leftBytes -= segment.sizeBytes;
    const maxTimestampMs = timeOf(segments, place);
    const reason = reasonFor({ ...segment, maxTimestampMs }, facts, { leftBytes, isActive });
    if (reason === null) break;
    reasons.push(reason);
  }
  return reasons;
}

interface Aged {
  readonly nextOffset: number;
  readonly maxTimestampMs: number | null;
}

/**
 * The time of the latest record of a segment. One that compaction has left without records is as old as the next with some:
 * until that goes, readers who stand in the gap find the way on. `null`: nothing behind it has a time either.
 */
function timeOf(segments: RetentionFacts["segments"], place: number): number | null {
  const timed = segments.slice(place).find(({ maxTimestampMs }) => maxTimestampMs >= 0);
  return timed?.maxTimestampMs ?? null;
}

function reasonFor(
  { nextOffset, maxTimestampMs }: Aged,
  { logStartOffset, nowMs, config }: RetentionFacts,
  { leftBytes, isActive }: { leftBytes: number; isActive: boolean },
): RetentionReason | null {
  if (nextOffset <= logStartOffset && !isActive) return "log_start";
  if (!config.deletes) return null;
  if (config.retentionBytes !== null && leftBytes >= config.retentionBytes) return "size";
  // A record from the future keeps its segment until its time is over, as in Kafka.
  const isTimed = config.retentionMs !== null && maxTimestampMs !== null;
  if (isTimed && nowMs - maxTimestampMs > config.retentionMs) return "time";
  return null;
}
