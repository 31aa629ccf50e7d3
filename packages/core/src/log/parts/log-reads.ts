/**
 * What one may ask of a log without changing it: how far it reaches, who wrote it, and its batches.
 *
 * Never: a damaged byte returned, but by dump(), which says so.
 */

import { onDisk } from "../../env/disk-answer.ts";
import type { ReplicaPlace } from "../../env/trace.ts";
import { BrokerError } from "../../errors.ts";
import { requireInRange } from "../context/log-range.ts";
import type { AbortedTransaction } from "../indexes/aborted-index.ts";
import { findAborted } from "../lookup/aborted-search.ts";
import { type DumpLimits, dumpBatches, type LogDump } from "../lookup/batch-dump.ts";
import { findInLog, type LogFind, type SoughtPlace } from "../lookup/log-find.ts";
import { type FoundTimestamp, findTimestamp } from "../lookup/timestamp-search.ts";
import { type EpochEnd, type EpochEntry, LeaderEpochs } from "../manifest/leader-epochs.ts";
import type { ProducerEntry } from "../producers/producer-state.ts";
import type { OpenTransaction, TransactionState } from "../producers/transaction-state.ts";
import type { SegmentSummary } from "../segment/segment-list.ts";
import type { ReadBatches, ReadLimits } from "../segment/segment-reader.ts";
import { LogLook } from "./log-look.ts";
import type { LogParts } from "./log-parts.ts";

const NO_BYTES = Buffer.alloc(0);

export abstract class LogReads {
  protected readonly parts: LogParts;
  /** See hideBelow(); at most the end of the log. */
  #hiddenBelow = 0;

  constructor(parts: LogParts) {
    this.parts = parts;
    parts.producers.beginAt(() => this.logStartOffset);
  }

  /** Whose log it is. */
  get place(): ReplicaPlace {
    return this.parts.context.place;
  }

  /** The first offset that may be read. */
  get logStartOffset(): number {
    return Math.max(this.parts.keeper.manifest.logStartOffset, this.#hiddenBelow);
  }

  /** Whether something is hidden that deleteRecords() has not removed. */
  get isHiding(): boolean {
    return this.#hiddenBelow > this.parts.keeper.manifest.logStartOffset;
  }

  /**
   * Nothing below `offset` is read from here on, though it may be there, at once: somebody else remembers that it was deleted. What
   * is appended later is not hidden by it. deleteRecords() removes it, and makes that durable.
   */
  hideBelow(offset: number): void {
    this.#hiddenBelow = Math.max(this.#hiddenBelow, Math.min(offset, this.logEndOffset));
  }

  /** Runs `act`; what the disk refuses is STORAGE_ERROR, about `path`. When the file is gone, so is the log (log-state.ts). */
  protected onFiles<Result>(path: string, act: () => Result): Result {
    const { state, segments } = this.parts;
    return onDisk(path, () => state.noticingLoss(segments.active.path, act));
  }

  /** The log ends at `endOffset` now, or begins there anew. */
  protected hideOnlyBelow(endOffset: number): void {
    this.#hiddenBelow = Math.min(this.#hiddenBelow, endOffset);
  }

  /** The offset that the next record gets (Kafka: LEO). */
  get logEndOffset(): number {
    return this.parts.segments.active.nextOffset;
  }

  /** Everything below survives a power cut. */
  get flushedOffset(): number {
    return this.parts.flusher.flushedOffset;
  }

  /** As its topic's settings say now. */
  get isCompacted(): boolean {
    return this.parts.context.config.compacts;
  }

  /** Below it compaction has been: older records may be missing there for the sake of later ones. */
  get firstDirtyOffset(): number {
    return this.parts.keeper.manifest.firstDirtyOffset;
  }

  /** True when nothing can be read or written any more; every call says why. */
  get isOffline(): boolean {
    return this.parts.state.isOffline;
  }

  /** Why nothing can be read or written any more; `null` while it can. */
  get offlineProblem(): BrokerError | null {
    const { state } = this.parts;
    return state.isOffline ? state.refusal() : null;
  }

  segments(): readonly SegmentSummary[] {
    return this.parts.segments.summaries();
  }

  /** What is known of a producer, or `undefined`. Changes with the append that it knows of. Kafka: ProducerStateEntry. */
  producer(producerId: number): ProducerEntry | undefined {
    return this.parts.producers.get(producerId);
  }

  get producerCount(): number {
    return this.parts.producers.size;
  }

  /** All of them; who was heard of longest ago comes first. */
  producers(): readonly ProducerEntry[] {
    return this.parts.producers.entries();
  }

  /** Transactions of which a record is in the log, and the end is not, oldest first. */
  get openTransactions(): readonly OpenTransaction[] {
    return this.#transactions.open(this.logStartOffset);
  }

  /** The one of a producer, if it is open. Changes with the append that begins or ends it. */
  openTransaction(producerId: number): OpenTransaction | undefined {
    return this.#transactions.get(producerId, this.logStartOffset);
  }

  /**
   * The first offset of which nobody knows yet whether it counts: where a transaction began that is open, or whose marker does
   * not lie below `highWatermark`; at least the log start offset. `null` when there is none. Of one of which a part was deleted the rest
   * counts; Kafka's firstUnstableOffset is the log start then, as long as that one is open.
   */
  firstUnstableOffset(highWatermark: number): number | null {
    const first = this.#transactions.firstUnstableOffset(highWatermark, this.logStartOffset);
    return first === null ? null : Math.max(first, this.logStartOffset);
  }

  /**
   * So far this log is visible now: what ended below need not be remembered for firstUnstableOffset(), and what ended behind is read
   * again where it was forgotten for a later high watermark. What cannot be read is unstable meanwhile.
   */
  followHighWatermark(highWatermark: number): void {
    const { producers, segments } = this.parts;
    const { transactions } = producers;
    transactions.settle(highWatermark);
    const endOffset = transactions.droppedBehind(highWatermark);
    // Where nothing is visible nothing is asked for.
    if (endOffset === null || highWatermark <= this.logStartOffset) return;
    this.#ifReadable(() =>
      producers.recall({ segments: segments.all(), fromOffset: highWatermark, endOffset }),
    );
  }

  /** What is left of them behind the log start; where that cannot be read, it may be all that lies there. */
  get #transactions(): TransactionState {
    const { producers, segments } = this.parts;
    if (producers.transactions.cutBy(this.logStartOffset) !== null)
      this.#ifReadable(() => producers.followStart(segments.all()));
    return producers.transactions;
  }

  /** What `act` reads may be damaged, or the log closed. */
  #ifReadable(act: () => void): void {
    const { state, context } = this.parts;
    try {
      state.requireReadable();
      this.onFiles(context.folder, act);
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
    }
  }

  /**
   * The aborted transactions with an offset from `fromOffset` up to `endOffset`, without it, by first offset; however far behind
   * their marker lies. Throws STORAGE_ERROR. Kafka: collectAbortedTransactions.
   */
  abortedTransactions(fromOffset: number, endOffset: number): readonly AbortedTransaction[] {
    this.parts.state.requireReadable();
    return this.onFiles(this.parts.context.folder, () =>
      findAborted(this.parts.segments, { fromOffset, endOffset }),
    );
  }

  /** Which leaders wrote the log, oldest first. */
  get leaderEpochs(): readonly EpochEntry[] {
    return this.parts.epochs.entries;
  }

  /**
   * The largest epoch of the log that is at most `leaderEpoch`, and where it ends; `null` when the log's leaders are all
   * older, so that it cannot tell. Kafka: OffsetsForLeaderEpoch (KIP-101, KIP-279).
   */
  endOfEpoch(leaderEpoch: number): EpochEnd | null {
    return this.parts.epochs.endOf(leaderEpoch, this.logEndOffset);
  }

  /** The same history for who follows: an epoch in which it led and wrote nothing never was. */
  get asFollower() {
    const { logEndOffset } = this;
    const epochs = new LeaderEpochs(this.leaderEpochs);
    epochs.cutTo(logEndOffset);
    const endOfEpoch = (leaderEpoch: number) => epochs.endOf(leaderEpoch, logEndOffset);
    return { logEndOffset, leaderEpochs: epochs.entries, endOfEpoch };
  }

  /** For who only looks, in this instant: nothing is written, told, or passed of what can be told to fail. */
  get looked(): LogLook {
    return new LogLook(this.parts, this);
  }

  /**
   * Whole batches from the one that holds `offset` on; none when `offset` is `endOffset` or later. They come from one
   * segment: where it ends, the read ends. Throws STORAGE_ERROR with file and position for damage, and OFFSET_OUT_OF_RANGE.
   */
  read(offset: number, limits: ReadLimits): ReadBatches {
    this.parts.state.requireReadable();
    requireInRange(offset, this);
    const endOffset = Math.min(limits.endOffset, this.logEndOffset);
    if (offset >= endOffset) return { batches: NO_BYTES, nextOffset: offset };
    const segment = this.parts.segments.holding(offset);
    return this.onFiles(segment.path, () => segment.read(offset, { bytesMax: limits.bytesMax, endOffset }));
  }

  /**
   * The batches from the one that holds `offset` on as they lie in the files. Damage is a part of the answer. Throws
   * STORAGE_ERROR when the disk refuses, and OFFSET_OUT_OF_RANGE.
   */
  dump(offset: number, limits: DumpLimits): LogDump {
    this.parts.state.requireReadable();
    requireInRange(offset, this);
    return this.onFiles(this.parts.context.folder, () => dumpBatches(this.parts.segments, offset, limits));
  }

  /**
   * Where an offset, or the first record of a time, lies in the files, and the way to it. Damage is a part of the answer.
   * Throws STORAGE_ERROR when the disk refuses, and OFFSET_OUT_OF_RANGE.
   */
  find(sought: SoughtPlace): LogFind {
    this.parts.state.requireReadable();
    const range = { startOffset: this.logStartOffset, endOffset: this.logEndOffset };
    return this.onFiles(this.parts.context.folder, () => findInLog(this.parts.segments, sought, range));
  }

  /** The first record below `endOffset` of `timestampMs` or later, or `null`. Throws STORAGE_ERROR. Kafka: KIP-79. */
  offsetForTimestamp(timestampMs: number, endOffset: number): FoundTimestamp | null {
    this.parts.state.requireReadable();
    const { logStartOffset: startOffset, logEndOffset } = this;
    const range = { startOffset, endOffset: Math.min(endOffset, logEndOffset) };
    return this.onFiles(this.parts.context.folder, () => {
      const found = findTimestamp(this.parts.segments, timestampMs, range);
      return found === null ? null : { offset: found.offset, timestampMs: found.timestampMs };
    });
  }
}
