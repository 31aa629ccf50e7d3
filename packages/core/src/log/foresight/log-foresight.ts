/**
 * What a step would do to one log if it were taken now, and when time alone makes one due. It asks the plans that the steps
 * themselves go by.
 *
 * Never: anything changed; a byte read but for the time of a segment's first batch, where a setting asks for that.
 */
import { onDisk } from "../../env/disk-answer.ts";
import type { Compactor } from "../compaction/compactor.ts";
import { type CompactionQuestion, dueCompaction, type PassFacts } from "../compaction/due-compaction.ts";
import { keptEnd, type RemovedSegment, type RetentionRequest } from "../cutting/log-retention.ts";
import { planRetention } from "../cutting/retention-plan.ts";
import type { LogParts } from "../parts/log-parts.ts";
import type { ProducerEntry } from "../producers/producer-state.ts";
import { emptyExtent, type SegmentExtent } from "../segment/segment-extent.ts";

/** What a flush would make durable. */
export interface ForetoldFlush {
  /** Everything below is durable now. */
  readonly flushedOffset: number;
  readonly logEndOffset: number;
  /** Those that no sync has covered. */
  readonly bytes: number;
}

/** What retention would do. */
export interface ForetoldRetention {
  /** Whether the segment that is written is closed first, for its age or because all of the log goes. */
  readonly rolls: boolean;
  /** As the step would tell them. */
  readonly segments: readonly RemovedSegment[];
  readonly logStartOffset: number;
}

/** What a compaction would do. */
export type ForetoldCompaction =
  | ({ readonly kind: "pass" } & PassFacts)
  /** It would tell, once, that what has only to be dropped stays, since a replica may lack it. */
  | { readonly kind: "held"; readonly firstDirtyOffset: number; readonly copiedEnd: number };

export class LogForesight {
  readonly #parts: LogParts;
  readonly #compactor: Compactor;

  constructor(parts: LogParts, compactor: Compactor) {
    this.#parts = parts;
    this.#compactor = compactor;
  }

  /** `null` when everything is durable already, or nothing can be made so. */
  flush(): ForetoldFlush | null {
    const { state, flusher, segments } = this.#parts;
    if (!state.isWritable || flusher.isDurable) return null;
    const bytes = segments.unsealed().reduce((sum, { unsyncedBytes }) => sum + unsyncedBytes, 0);
    return { flushedOffset: flusher.flushedOffset, logEndOffset: segments.active.nextOffset, bytes };
  }

  /** `null` when nothing is due. Throws STORAGE_ERROR. */
  retention(request: RetentionRequest): ForetoldRetention | null {
    const { state, keeper } = this.#parts;
    if (!state.isWritable) return null;
    const { isRolledByAge, extents } = this.#extents(request.nowMs);
    const reasons = this.#reasons(request, extents);
    const { logStartOffset: before } = keeper.manifest;
    const rolls = isRolledByAge || (reasons.length > 0 && reasons.length === extents.length);
    const start = Math.max(before, extents[reasons.length - 1]?.nextOffset ?? before);
    if (!rolls && reasons.length === 0 && start === before) return null;
    const segments = extents.slice(0, reasons.length).map(({ baseOffset, nextOffset, sizeBytes }, at) => {
      return { baseOffset, nextOffset, sizeBytes, reason: reasons[at] ?? "log_start" };
    });
    return { rolls, segments, logStartOffset: start };
  }

  /** Those that time lets the log forget: who was heard of longest ago comes first. */
  forgettableProducers(): readonly ProducerEntry[] {
    return this.#parts.producers.forgettable();
  }

  /** When, after `nowMs`, retention will have something to do that it has not now; `null`: never by time alone. Throws STORAGE_ERROR. */
  retentionDueMs(request: RetentionRequest): number | null {
    const { state, context, segments } = this.#parts;
    if (!state.isWritable) return null;
    const { segmentMs, retentionMs } = context.config;
    const first = onDisk(context.folder, () => segments.active.firstTimestampMs);
    const aged = first === null ? [] : [first + segmentMs + 1];
    const { maxTimestampMs } = this.#oldestKept(request) ?? {};
    const past =
      maxTimestampMs === undefined || retentionMs === null ? [] : [maxTimestampMs + retentionMs + 1];
    const workAt = (nowMs: number) => {
      const foretold = this.retention({ ...request, nowMs });
      return foretold === null ? 0 : foretold.segments.length + Number(foretold.rolls);
    };
    const before = workAt(request.nowMs);
    return earliest([...aged, ...past], (nowMs) => nowMs > request.nowMs && workAt(nowMs) > before);
  }

  /** `null` when it would do nothing. Throws STORAGE_ERROR. */
  compaction(question: CompactionQuestion): ForetoldCompaction | null {
    const due = this.#parts.state.isWritable ? dueCompaction(this.#parts, question) : null;
    if (due === null) return null;
    if (due.plan !== null) return { kind: "pass", ...due.facts };
    const { firstDirtyOffset, copiedEnd, horizonMs } = due;
    return this.#compactor.hasTold(horizonMs) ? null : { kind: "held", firstDirtyOffset, copiedEnd };
  }

  /** When, after `nowMs`, a compaction will do something that does nothing now; `null`: never by time alone. Throws STORAGE_ERROR. */
  compactionDueMs(question: CompactionQuestion): number | null {
    const { context, segments, keeper } = this.#parts;
    const { compacts, minCompactionLagMs, maxCompactionLagMs } = context.config;
    if (!compacts || this.compaction(question) !== null) return null;
    const { nextHorizonMs, firstDirtyOffset } = keeper.manifest;
    const times = nextHorizonMs === null ? [] : [nextHorizonMs];
    for (const segment of segments.sealed()) {
      if (segment.nextOffset <= firstDirtyOffset) continue;
      if (minCompactionLagMs > 0) times.push(segment.maxTimestampMs + minCompactionLagMs);
      if (maxCompactionLagMs === Number.MAX_SAFE_INTEGER) continue;
      const first = onDisk(context.folder, () => segment.firstTimestampMs);
      if (first !== null) times.push(first + maxCompactionLagMs + 1);
    }
    return earliest(
      times,
      (nowMs) => nowMs > question.nowMs && this.compaction({ ...question, nowMs }) !== null,
    );
  }

  /** The segments as retention looks at them: one whose age is over has been closed. */
  #extents(nowMs: number): { isRolledByAge: boolean; extents: readonly SegmentExtent[] } {
    const { context, appender, segments } = this.#parts;
    const extents = segments.all().map(({ extent }) => extent);
    const isRolledByAge = onDisk(context.folder, () => appender.isPastAge(nowMs));
    if (!isRolledByAge) return { isRolledByAge, extents };
    return { isRolledByAge, extents: [...extents, emptyExtent(segments.active.nextOffset)] };
  }

  #reasons(request: RetentionRequest, extents: readonly SegmentExtent[]) {
    const { context, keeper } = this.#parts;
    const { logStartOffset } = keeper.manifest;
    const { nowMs } = request;
    const highWatermark = keptEnd(this.#parts, request);
    return planRetention({ segments: extents, logStartOffset, highWatermark, nowMs, config: context.config });
  }

  /** The oldest segment with a time that retention would leave. */
  #oldestKept(request: RetentionRequest): SegmentExtent | undefined {
    const { extents } = this.#extents(request.nowMs);
    const gone = this.#reasons(request, extents).length;
    return extents.slice(gone).find(({ maxTimestampMs }) => maxTimestampMs >= 0);
  }
}

function earliest(timesMs: readonly number[], isDue: (timeMs: number) => boolean): number | null {
  return [...timesMs].sort((one, other) => one - other).find(isDue) ?? null;
}
