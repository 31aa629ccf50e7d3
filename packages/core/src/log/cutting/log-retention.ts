/**
 * How the beginning of a log moves forward: by what it no longer has to keep (retention-plan.ts), or because somebody asks
 * for it (Kafka: DeleteRecords, KIP-107).
 *
 * Invariants: the log start offset never moves back; one commit moves it and takes the segments below out of the log, their
 * files go afterwards; everything below the new start was durable before.
 */

import { outOfRange } from "../context/log-range.ts";
import { segmentFileName } from "../files/file-names.ts";
import { epochsFrom } from "../manifest/leader-epochs.ts";
import type { LogParts } from "../parts/log-parts.ts";
import { planRetention, type RetentionReason } from "./retention-plan.ts";

export interface RetentionRequest {
  readonly nowMs: number;
  /** Nothing at it or above it is removed, nor at the beginning of a transaction that is open or above that. */
  readonly highWatermark: number;
}

export interface RemovedSegment {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
  readonly reason: RetentionReason;
}

/** A segment that was written until then. */
export interface ClosedSegment {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
}

/** What was removed, oldest first, and where the log begins now. */
export interface RetentionResult {
  /** What was closed before, for its age or because all of the log goes; `null` when nothing was. */
  readonly closed: ClosedSegment | null;
  readonly segments: readonly RemovedSegment[];
  readonly logStartOffset: number;
}

/** Nothing of a transaction goes that has not ended below the high watermark, but for what was deleted by request. */
export function keptEnd(
  { keeper, producers }: LogParts,
  { highWatermark }: Pick<RetentionRequest, "highWatermark">,
): number {
  const { logStartOffset } = keeper.manifest;
  const first = producers.transactions.firstUnstableOffset(highWatermark, logStartOffset);
  return first === null ? highWatermark : Math.min(highWatermark, Math.max(first, logStartOffset));
}

export class LogRetention {
  readonly #parts: LogParts;

  constructor(parts: LogParts) {
    this.#parts = parts;
  }

  /** See PartitionLog.applyRetention. */
  async apply(request: RetentionRequest): Promise<RetentionResult> {
    const { context, segments, turns, state, keeper, appender } = this.#parts;
    const { nowMs } = request;
    return await turns.take(async () => {
      state.requireAppendable();
      const { baseOffset, nextOffset, sizeBytes } = segments.active.extent;
      let isClosed = appender.rollByAge(nowMs);
      const { logStartOffset } = keeper.manifest;
      const { config } = context;
      const highWatermark = keptEnd(this.#parts, request);
      const extents = segments.all().map(({ extent }) => extent);
      const reasons = planRetention({ segments: extents, logStartOffset, highWatermark, nowMs, config });
      if (reasons.length === extents.length) isClosed = appender.roll() || isClosed;
      const start = extents[reasons.length - 1]?.nextOffset ?? logStartOffset;
      const dropped = await this.#drop(reasons, Math.max(logStartOffset, start));
      return { closed: isClosed ? { baseOffset, nextOffset, sizeBytes } : null, ...dropped };
    });
  }

  /** See PartitionLog.deleteRecords. */
  async deleteRecords(beforeOffset: number): Promise<number> {
    const { segments, turns, state, keeper } = this.#parts;
    return await turns.take(async () => {
      state.requireAppendable();
      const { logStartOffset } = keeper.manifest;
      const logEndOffset = segments.active.nextOffset;
      if (beforeOffset > logEndOffset) throw outOfRange(beforeOffset, { logStartOffset, logEndOffset });
      if (beforeOffset <= logStartOffset) {
        // A process that died may have moved it in the system's memory alone.
        await keeper.requireDurable();
        return logStartOffset;
      }
      const below = segments.all().filter((segment) => segment.nextOffset <= beforeOffset);
      const closed = below.filter((segment) => segment !== segments.active);
      const result = await this.#drop(
        closed.map(() => "log_start"),
        beforeOffset,
      );
      return result.logStartOffset;
    });
  }

  /** Takes the oldest segments, one for each reason, out of the log, which begins at `logStartOffset` from then on. */
  async #drop(
    reasons: readonly RetentionReason[],
    logStartOffset: number,
  ): Promise<Omit<RetentionResult, "closed">> {
    const { context, segments, keeper, flusher, epochs } = this.#parts;
    const before = keeper.manifest;
    if (reasons.length === 0 && logStartOffset === before.logStartOffset)
      return { segments: [], logStartOffset };
    // What the manifest calls the start must be durable, and what goes must be sealed.
    const isSealed =
      reasons.length <= segments.sealed().length && logStartOffset <= before.recoveryPoint.offset;
    if (!isSealed) await flusher.sealAll();
    const gone = segments.all().slice(0, reasons.length);
    await keeper.commit(
      (manifest) => ({
        ...manifest,
        logStartOffset,
        sealed: manifest.sealed.slice(gone.length),
        leaderEpochs: epochsFrom(manifest.leaderEpochs, logStartOffset),
        obsolete: [...manifest.obsolete, ...gone.map(segmentFileName)],
      }),
      () => {
        segments.dropFirst(gone.length);
        epochs.startAt(logStartOffset);
      },
    );
    const { env, place } = context;
    const removed = gone.map(({ baseOffset, nextOffset, sizeBytes }, at) => {
      const reason = reasons[at] ?? "log_start";
      return { baseOffset, nextOffset, sizeBytes, reason };
    });
    for (const { baseOffset: segmentBaseOffset, sizeBytes: bytes, nextOffset, reason } of removed)
      env.trace({ kind: "segment_deleted", ...place, segmentBaseOffset, nextOffset, bytes, reason });
    if (logStartOffset > before.logStartOffset)
      env.trace({ kind: "log_start_moved", ...place, from: before.logStartOffset, to: logStartOffset });
    return { segments: removed, logStartOffset };
  }
}
