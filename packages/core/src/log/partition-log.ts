/**
 * One partition on one disk: an append-only list of batches, each with the next free offset.
 *
 * Owns: the folder. What makes it durable is in log-flusher.ts, what it is after a crash in recovery.ts.
 * Invariants: logStartOffset <= flushedOffset <= logEndOffset; offsets join without a gap; what append() returned for is
 * readable and survives the death of the process; what flush() resolved for survives a power cut.
 * Never: a batch waiting in the process's own memory; a batch that was refused found in the log; a damaged byte returned.
 */
import { DiskError } from "../env/disk.ts";
import type { Env } from "../env/env.ts";
import { BrokerError, storageError } from "../errors.ts";
import { type DumpLimits, dumpBatches, type LogDump } from "./batch-dump.ts";
import type { CompactionRequest, CompactionResult } from "./compaction-request.ts";
import { Compactor } from "./compactor.ts";
import { requireNotOlder } from "./follower-frames.ts";
import type { EpochEnd, EpochEntry, LeaderEpochs } from "./leader-epochs.ts";
import { type AppendedBatch, LogAppender } from "./log-appender.ts";
import type { LogConfig } from "./log-config.ts";
import type { LogContext, LogSettings } from "./log-context.ts";
import { LogFlusher } from "./log-flusher.ts";
import { readContents, readOrMakeManifest } from "./log-folder.ts";
import type { LogProducers } from "./log-producers.ts";
import { LogState } from "./log-state.ts";
import type { Manifest } from "./manifest.ts";
import { ManifestKeeper } from "./manifest-keeper.ts";
import type { ProducerEntry } from "./producer-state.ts";
import { type RecoveredSegments, recoverSegments } from "./recovery.ts";
import { SegmentList } from "./segment-list.ts";
import type { ReadBatches, ReadLimits } from "./segment-reader.ts";
import { SyncFailure } from "./sync-failure.ts";
import { type FoundTimestamp, findTimestamp } from "./timestamp-search.ts";
import { Turns } from "./turns.ts";

export interface PartitionLogOptions extends LogSettings {
  /** Makes a new log where there is none. Otherwise a missing one is refused: it may have held records. */
  readonly create: boolean;
  /** What holds until configure() says otherwise. */
  readonly config: LogConfig;
  /** Told when a sync has failed: nothing that the broker writes from here on can be trusted. */
  readonly onFailedSync: (problem: string) => void;
}

export interface SegmentSummary {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
  /** The one that is written. */
  readonly active: boolean;
}

export class PartitionLog {
  readonly #context: LogContext;
  readonly #segments: SegmentList;
  readonly #epochs: LeaderEpochs;
  readonly #producers: LogProducers;
  readonly #state: LogState;
  readonly #turns = new Turns();
  readonly #keeper: ManifestKeeper;
  readonly #flusher: LogFlusher;
  readonly #appender: LogAppender;
  readonly #compactor: Compactor;
  #closing: Promise<void> | null = null;

  /** Opens the log in `options.folder`, and recovers what a crash left. Throws STORAGE_ERROR; then nothing is open. */
  static open(options: PartitionLogOptions, env: Env): PartitionLog {
    const context: LogContext = { ...options, env };
    return onDisk(options.folder, () => {
      const found = readContents(context);
      const manifest = readOrMakeManifest(context, found, options);
      const contents = found.hasManifest ? found : readContents(context);
      const recovered = recoverSegments(context, manifest, contents);
      return new PartitionLog(context, recovered, manifest, options);
    });
  }

  private constructor(
    context: LogContext,
    { sealed, unsealed, epochs, producers }: RecoveredSegments,
    manifest: Manifest,
    { onFailedSync }: PartitionLogOptions,
  ) {
    const segments = new SegmentList(sealed, unsealed);
    this.#context = context;
    this.#segments = segments;
    this.#epochs = epochs;
    this.#producers = producers;
    this.#state = new LogState(context);
    const failure = new SyncFailure(context, this.#state, onFailedSync);
    const parts = { context, segments, epochs, producers, state: this.#state, turns: this.#turns, failure };
    this.#keeper = new ManifestKeeper({ ...parts, manifest });
    this.#flusher = new LogFlusher({ ...parts, keeper: this.#keeper });
    this.#compactor = new Compactor({ ...parts, keeper: this.#keeper });
    this.#appender = new LogAppender({ ...parts, onNewFile: () => this.#flusher.noteNewFile() });
  }

  /** The first offset that may be read. */
  get logStartOffset(): number {
    return this.#keeper.manifest.logStartOffset;
  }

  /** The offset that the next record gets (Kafka: LEO). */
  get logEndOffset(): number {
    return this.#segments.active.nextOffset;
  }

  /** Everything below survives a power cut. */
  get flushedOffset(): number {
    return this.#flusher.flushedOffset;
  }

  /** True when nothing can be read or written any more; every call says why. */
  get isOffline(): boolean {
    return this.#state.isOffline;
  }

  /** From here on `config` holds. What is there already stays as it is until an append or a step acts by it. */
  configure(config: LogConfig): void {
    this.#context.config = config;
  }

  /** What is known of a producer, or `undefined`. Changes with the append that it knows of. Kafka: ProducerStateEntry. */
  producer(producerId: number): ProducerEntry | undefined {
    return this.#producers.get(producerId);
  }

  /** All of them; who was heard of longest ago comes first. */
  producers(): readonly ProducerEntry[] {
    return this.#producers.entries();
  }

  /** Forgets the producers that nothing was heard of since `sinceMs`, and returns their ids. */
  forgetIdleProducers(sinceMs: number): number[] {
    return this.#producers.forgetIdle(sinceMs);
  }

  segments(): readonly SegmentSummary[] {
    const { active } = this.#segments;
    return this.#segments.all().map((segment) => ({
      baseOffset: segment.baseOffset,
      nextOffset: segment.nextOffset,
      sizeBytes: segment.sizeBytes,
      active: segment === active,
    }));
  }

  /**
   * Gives `frame` its offsets, in its own bytes, and writes it. It must be one whole batch that was checked. Throws
   * FENCED_LEADER_EPOCH for an epoch before the last batch's, STORAGE_ERROR, BROKER_FAILED; then nothing was appended.
   */
  append(frame: Buffer, leaderEpoch: number): AppendedBatch {
    this.#requireWritable();
    return onDisk(this.#context.folder, () => this.#appender.append(frame, leaderEpoch));
  }

  /**
   * Writes batches of a leader, one after another, as they are. They must continue the log: CORRUPT_BATCH,
   * OFFSET_OUT_OF_RANGE, FENCED_LEADER_EPOCH say that they don't, and then nothing was appended. After STORAGE_ERROR the
   * log ends behind the last one that was.
   */
  appendAsFollower(frames: Buffer): AppendedBatch {
    this.#requireWritable();
    return onDisk(this.#context.folder, () => this.#appender.appendAsFollower(frames));
  }

  /** Which leaders wrote the log, oldest first. */
  get leaderEpochs(): readonly EpochEntry[] {
    return this.#epochs.entries;
  }

  /** What is appended from here on is of `leaderEpoch`, also while nothing is. For a leader that begins (KIP-101). */
  beginEpoch(leaderEpoch: number): void {
    requireNotOlder(leaderEpoch, this.#epochs.latest?.leaderEpoch ?? 0, this.logEndOffset);
    this.#epochs.begin(leaderEpoch, this.logEndOffset);
  }

  /**
   * The largest epoch of the log that is at most `leaderEpoch`, and where it ends; `null` when the log's leaders are all
   * older, so that it cannot tell. Kafka: OffsetsForLeaderEpoch (KIP-101, KIP-279).
   */
  endOfEpoch(leaderEpoch: number): EpochEnd | null {
    return this.#epochs.endOf(leaderEpoch, this.logEndOffset);
  }

  /**
   * Whole batches from the one that holds `offset` on; none when `offset` is `endOffset` or later. They come from one
   * segment: where it ends, the read ends. Throws STORAGE_ERROR with file and position for damage, and OFFSET_OUT_OF_RANGE.
   */
  read(offset: number, limits: ReadLimits): ReadBatches {
    this.#state.requireReadable();
    this.#requireInRange(offset);
    const endOffset = Math.min(limits.endOffset, this.logEndOffset);
    if (offset >= endOffset) return { batches: NO_BYTES, nextOffset: offset };
    const segment = this.#segments.holding(offset);
    return onDisk(segment.path, () => {
      return segment.read(offset, { bytesMax: limits.bytesMax, endOffset });
    });
  }

  /**
   * The batches from the one that holds `offset` on as they lie in the files. Damage is a part of the answer. Throws
   * STORAGE_ERROR when the disk refuses, and OFFSET_OUT_OF_RANGE.
   */
  dump(offset: number, limits: DumpLimits): LogDump {
    this.#state.requireReadable();
    this.#requireInRange(offset);
    return onDisk(this.#context.folder, () => dumpBatches(this.#segments, offset, limits));
  }

  /** The first record below `endOffset` of `timestampMs` or later, or `null`. Throws STORAGE_ERROR. Kafka: KIP-79. */
  offsetForTimestamp(timestampMs: number, endOffset: number): FoundTimestamp | null {
    this.#state.requireReadable();
    const { logStartOffset: startOffset, logEndOffset } = this;
    const range = { startOffset, endOffset: Math.min(endOffset, logEndOffset) };
    return onDisk(this.#context.folder, () => {
      const found = findTimestamp(this.#segments, timestampMs, range);
      return found === null ? null : { offset: found.offset, timestampMs: found.timestampMs };
    });
  }

  /**
   * Resolves once everything that was appended before the call survives a power cut. All who call while one sync is under
   * way share the next. Rejects BROKER_FAILED when a sync failed, now or earlier, and STORAGE_ERROR.
   */
  async flush(): Promise<void> {
    await this.#flusher.flush();
  }

  /**
   * Drops what later records of the same key have made needless (Kafka: log compaction). Resolves when the smaller segments
   * count; `null` when the topic is not compacted, nothing is due, or something else has changed the log meanwhile. Appends and
   * reads go on. Rejects STORAGE_ERROR, also for damage that it meets, and BROKER_FAILED; then the log is what it was.
   */
  async compact(request: CompactionRequest): Promise<CompactionResult | null> {
    this.#requireWritable();
    return this.#compactor.compact(request);
  }

  /** Flushes, takes nothing more, and closes. Rejects as flush() does; the files are closed all the same. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  /** Closes every file and writes nothing, as if the process had died. Whoever waits for a flush is refused. */
  abandon(): void {
    this.#state.close();
    this.#keeper.abandon();
    this.#producers.abandon();
    this.#segments.close();
  }

  async #close(): Promise<void> {
    try {
      await this.#compactor.stop();
      await this.#flusher.close();
    } finally {
      this.abandon();
    }
  }

  #requireInRange(offset: number): void {
    const { logStartOffset, logEndOffset } = this;
    if (offset >= logStartOffset && offset <= logEndOffset) return;
    const message = `offset ${offset} is not in the log; expected ${logStartOffset} to ${logEndOffset}`;
    const details = { offset, log_start_offset: logStartOffset, log_end_offset: logEndOffset };
    throw new BrokerError("OFFSET_OUT_OF_RANGE", message, details);
  }

  #requireWritable(): void {
    this.#state.requireWritable();
    if (this.#closing === null) return;
    throw new BrokerError("STORAGE_ERROR", `the log in ${this.#context.folder} is being closed`, {
      file: this.#context.folder,
    });
  }
}

const NO_BYTES = Buffer.alloc(0);

/** A disk that refuses is answered with STORAGE_ERROR. */
function onDisk<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (problem) {
    if (!(problem instanceof DiskError)) throw problem;
    throw storageError(problem, { file: path });
  }
}
