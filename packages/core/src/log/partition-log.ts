/**
 * One partition on one disk: an append-only list of batches, each with the next free offset.
 *
 * Owns: the folder. What makes it durable is in parts/log-flusher.ts, what it is after a crash in parts/recovery.ts.
 * Invariants: logStartOffset <= flushedOffset <= logEndOffset; offsets join without a gap; what append() returned for is
 * readable and survives the death of the process; what flush() resolved for survives a power cut.
 * Never: a batch waiting in the process's own memory; a batch that was refused found in the log; a damaged byte returned.
 */

import { onDiskLater } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import type { CompactionOutcome, CompactionRequest } from "./compaction/compaction-request.ts";
import { Compactor } from "./compaction/compactor.ts";
import type { LogConfig } from "./context/log-config.ts";
import { LogRetention, type RetentionRequest, type RetentionResult } from "./cutting/log-retention.ts";
import { LogTruncation } from "./cutting/log-truncation.ts";
import { LogForesight } from "./foresight/log-foresight.ts";
import { requireNotOlder } from "./frames/follower-frames.ts";
import { FolderPreparation } from "./parts/folder-preparation.ts";
import type { AppendedBatch } from "./parts/log-appender.ts";
import { type LogParts, openParts, type PartitionLogOptions } from "./parts/log-parts.ts";
import { LogReads } from "./parts/log-reads.ts";

export type { PartitionLogOptions };

export class PartitionLog extends LogReads {
  /** What steps would do to it. */
  readonly foresight: LogForesight;
  readonly #compactor: Compactor;
  readonly #retention: LogRetention;
  readonly #truncation: LogTruncation;
  #closing: Promise<void> | null = null;

  /** Opens the log in `options.folder`, and recovers what a crash left. Throws STORAGE_ERROR; then nothing is open. */
  static open(options: PartitionLogOptions, env: Env): PartitionLog {
    return new PartitionLog(openParts(options, env));
  }

  /** What makes the folder of a new log ahead of open(), off the thread. */
  static prepare(options: PartitionLogOptions, env: Env): FolderPreparation {
    return new FolderPreparation({ ...options, env });
  }

  private constructor(parts: LogParts) {
    super(parts);
    this.#retention = new LogRetention(parts);
    this.#truncation = new LogTruncation(parts);
    this.#compactor = new Compactor(parts);
    this.foresight = new LogForesight(parts, this.#compactor);
  }

  /** From here on `config` holds. What is there already stays as it is until an append or a step acts by it. */
  configure(config: LogConfig): void {
    this.parts.context.config = config;
  }

  /** Forgets the producers that nothing was heard of since `sinceMs`, and returns their ids. */
  forgetIdleProducers(sinceMs: number): number[] {
    return this.parts.producers.forgetIdle(sinceMs);
  }

  /**
   * Gives `frame` its offsets, in its own bytes, and writes it. It must be one whole batch that was checked. Throws
   * FENCED_LEADER_EPOCH for an epoch before the last batch's, STORAGE_ERROR, BROKER_FAILED; then nothing was appended.
   */
  append(frame: Buffer, leaderEpoch: number): AppendedBatch {
    this.parts.state.requireAppendable();
    return this.onFiles(this.parts.context.folder, () => this.parts.appender.append(frame, leaderEpoch));
  }

  /**
   * Writes batches of a leader, one after another, as they are. They must continue the log: CORRUPT_BATCH,
   * OFFSET_OUT_OF_RANGE, FENCED_LEADER_EPOCH say that they don't, and then nothing was appended. After STORAGE_ERROR the
   * log ends behind the last one that was.
   */
  appendAsFollower(frames: Buffer): AppendedBatch {
    this.parts.state.requireAppendable();
    return this.onFiles(this.parts.context.folder, () => this.parts.appender.appendAsFollower(frames));
  }

  /** What is appended from here on is of `leaderEpoch`, also while nothing is. For a leader that begins (KIP-101). */
  beginEpoch(leaderEpoch: number): void {
    this.parts.state.requireAppendable();
    requireNotOlder(leaderEpoch, this.parts.epochs.latest?.leaderEpoch ?? 0, this.logEndOffset);
    this.parts.epochs.begin(leaderEpoch, this.logEndOffset);
  }

  /** It follows from here on: an epoch in which it led and wrote nothing never was, as far as its next leader is concerned. */
  endEpoch(): void {
    this.parts.epochs.cutTo(this.logEndOffset);
  }

  /**
   * Resolves once everything that was appended before the call survives a power cut. All who call while one sync is under
   * way share the next. Rejects BROKER_FAILED when a sync failed, now or earlier, and STORAGE_ERROR.
   */
  async flush(): Promise<void> {
    await this.parts.flusher.flush();
  }

  /** The same for what lies below `endOffset`. Rejects FENCED_LEADER_EPOCH besides, when it was cut off meanwhile. */
  async flushUpTo(endOffset: number): Promise<void> {
    const { cutCount } = this.#truncation;
    await this.parts.flusher.flush();
    this.#truncation.requireUncut(endOffset, cutCount);
  }

  /**
   * Drops what later records of the same key have made needless (Kafka: log compaction). Resolves when the smaller segments
   * count; `null` when the topic is not compacted or nothing is due; what took precedence, when something else has changed the
   * log meanwhile and nothing was done. Appends and reads go on. Rejects STORAGE_ERROR, also for damage that it meets, and BROKER_FAILED; then the log is what it was.
   */
  async compact(request: CompactionRequest): Promise<CompactionOutcome | null> {
    this.parts.state.requireAppendable();
    return this.#compactor.compact(request);
  }

  /** Begins a new segment; nothing is done when the active one is empty. Returns whether it did. Throws STORAGE_ERROR. */
  roll(): boolean {
    this.parts.state.requireAppendable();
    return this.onFiles(this.parts.context.folder, () => this.parts.appender.roll());
  }

  /** The same where the active segment's first batch is older than `segment_ms` at `nowMs`. */
  rollByAge(nowMs: number): boolean {
    this.parts.state.requireAppendable();
    return this.onFiles(this.parts.context.folder, () => this.parts.appender.rollByAge(nowMs));
  }

  /**
   * Removes the oldest segments that the config's retention no longer keeps, and under any config those that end below the
   * log start offset. An active segment that is older than `segment_ms`, or with everything else past its retention, is
   * rolled first. Rejects STORAGE_ERROR, BROKER_FAILED. Kafka: UnifiedLog.deleteOldSegments.
   */
  async applyRetention(request: RetentionRequest): Promise<RetentionResult> {
    return await onDiskLater(this.parts.context.folder, () => this.#retention.apply(request));
  }

  /**
   * Makes `beforeOffset` the log start offset, unless it lies below the one there is, and removes the segments that end
   * below it. Durable when it resolves. Returns the log start offset. That nothing above the high watermark goes is for the
   * caller to see to. Rejects OFFSET_OUT_OF_RANGE behind the end, STORAGE_ERROR, BROKER_FAILED. Kafka: KIP-107.
   */
  async deleteRecords(beforeOffset: number): Promise<number> {
    return await onDiskLater(this.parts.context.folder, () => this.#retention.deleteRecords(beforeOffset));
  }

  /**
   * Takes whole batches from the end, so that the log ends at `offset` or before it: a batch that holds `offset` goes too.
   * Durable when it resolves; nothing can be appended until then. Nothing is done when the log ends there already. Rejects
   * OFFSET_OUT_OF_RANGE below the log start offset, BROKER_FAILED, and STORAGE_ERROR, after which the log may be cut in part.
   * Kafka: UnifiedLog.truncateTo, which may end inside of a batch.
   */
  async truncateTo(offset: number): Promise<void> {
    try {
      await onDiskLater(this.parts.context.folder, () => this.#truncation.truncateTo(offset));
    } finally {
      this.hideOnlyBelow(this.logEndOffset);
    }
  }

  /**
   * Empties the log, which begins anew at `offset`: for a follower that has nothing in common with its leader's log any
   * more. Durable when it resolves. Rejects STORAGE_ERROR, BROKER_FAILED. Kafka: UnifiedLog.truncateFullyAndStartAt.
   */
  async restartAt(offset: number): Promise<void> {
    await onDiskLater(this.parts.context.folder, () => this.#truncation.restartAt(offset));
    this.hideOnlyBelow(this.logEndOffset);
  }

  /** Flushes, takes nothing more, and closes. Rejects as flush() does; the files are closed all the same. */
  async close(): Promise<void> {
    this.parts.state.beginClosing();
    this.#closing ??= this.#close();
    await this.#closing;
  }

  /** Closes every file and writes nothing, as if the process had died. Whoever waits for a flush is refused. */
  abandon(): void {
    this.parts.state.close();
    this.parts.keeper.abandon();
    this.parts.producers.snapshots.abandon();
    this.parts.segments.close();
  }

  async #close(): Promise<void> {
    try {
      await this.#compactor.stop();
      await this.parts.flusher.close();
    } finally {
      this.abandon();
    }
  }
}
