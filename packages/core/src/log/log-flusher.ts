/**
 * What makes a log durable: one round for all that wait, and the manifest that says how far it got.
 *
 * Owns: the manifest, the flushed offset, which names in the folder are not durable yet.
 * Invariants: everything below `flushedOffset` survives a power cut; the manifest never says more than that; segments are
 * sealed in order.
 * Never: a sync tried again after one that failed; an acknowledgement for what such a sync covered.
 */
import { DiskError } from "../env/disk.ts";
import { BrokerError, storageError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { type CheckpointFile, checkpointOutcome } from "./checkpoint-file.ts";
import { GroupCommit } from "./group-commit.ts";
import type { LogContext } from "./log-context.ts";
import type { LogState } from "./log-state.ts";
import { type Manifest, manifestFile, type RecoveryPoint, sameManifest } from "./manifest.ts";
import type { Segment } from "./segment.ts";
import type { SegmentList } from "./segment-list.ts";
import { markDoubt } from "./sync-doubt.ts";

export interface FlusherParts {
  readonly context: LogContext;
  readonly segments: SegmentList;
  readonly state: LogState;
  /** As it stands in the folder. */
  readonly manifest: Manifest;
  /** Told once, when a sync has failed. */
  readonly onFailedSync: (problem: string) => void;
}

export class LogFlusher {
  readonly #context: LogContext;
  readonly #segments: SegmentList;
  readonly #state: LogState;
  readonly #onFailedSync: (problem: string) => void;
  readonly #file: CheckpointFile<Manifest>;
  readonly #group = new GroupCommit((waiters) => this.#round(waiters));
  #manifest: Manifest;
  #flushedOffset: number;
  /** Files that were made in the folder, and how many of their names are durable. */
  #names = 0;
  #syncedNames = 0;

  constructor({ context, segments, state, manifest, onFailedSync }: FlusherParts) {
    this.#context = context;
    this.#segments = segments;
    this.#state = state;
    this.#manifest = manifest;
    this.#onFailedSync = onFailedSync;
    this.#file = manifestFile(context);
    this.#flushedOffset = manifest.recoveryPoint.offset;
    // A crash may have left segments whose names only the system's memory holds.
    this.#names = segments.unsealed().length - 1;
  }

  get flushedOffset(): number {
    return this.#flushedOffset;
  }

  get manifest(): Manifest {
    return this.#manifest;
  }

  /** A segment was begun. When too many wait for a flush, there is one without anybody's asking. */
  noteNewFile(): void {
    this.#names++;
    if (this.#names - this.#syncedNames <= LIMITS.unsealedSegmentsMax) return;
    // Who appends next, or asks for a flush, is told what went wrong.
    this.#group.join().catch(() => {});
  }

  /** Resolves when everything that was appended before the call is durable. Rejects BROKER_FAILED, STORAGE_ERROR. */
  flush(): Promise<void> {
    return this.#group.join();
  }

  /** Flushes, and leaves a folder of which nothing has to be read when it is opened again. Rejects as flush() does. */
  async close(): Promise<void> {
    await this.flush();
    const { active } = this.#segments;
    active.writeIndex();
    try {
      await this.#seal(recoveryPointAt(active));
    } catch (problem) {
      throw this.#sealFailed(problem);
    }
  }

  /** Nothing more reaches the disk; those who wait are told. The log must be closed already. */
  abandon(): void {
    this.#file.abandon();
  }

  async #round(waiters: number): Promise<void> {
    this.#state.requireWritable();
    const unsealed = this.#segments.unsealed();
    if (this.#isAllDurable(unsealed)) return;
    const { nextOffset } = this.#segments.active;
    const point = recoveryPointAt(this.#segments.active);
    const bytes = unsealed.reduce((sum, segment) => sum + segment.unsyncedBytes, 0);
    try {
      for (const segment of unsealed) await this.#syncSegment(segment);
      await this.#syncNames();
    } catch (problem) {
      throw this.#syncFailed(problem);
    }
    this.#flushedOffset = nextOffset;
    this.#context.env.trace({
      kind: "flushed",
      ...this.#context.place,
      logEndOffset: nextOffset,
      bytes,
      waiters,
    });
    if (unsealed.length > 1 || this.#lags(point)) await this.#sealOrDelay(point);
  }

  #isAllDurable(unsealed: readonly Segment[]): boolean {
    return (
      this.#flushedOffset === this.#segments.active.nextOffset &&
      unsealed.length === 1 &&
      this.#names === this.#syncedNames &&
      unsealed.every(({ needsSync }) => !needsSync)
    );
  }

  /** Whether a crash would make recovery read too much that is durable already. */
  #lags({ segmentBaseOffset, position }: RecoveryPoint): boolean {
    const { recoveryPoint } = this.#manifest;
    const known = recoveryPoint.segmentBaseOffset === segmentBaseOffset ? recoveryPoint.position : 0;
    return position - known >= LIMITS.recoveryLagBytesMax;
  }

  async #syncSegment(segment: Segment): Promise<void> {
    if (!segment.needsSync) return;
    const { env, place } = this.#context;
    env.faults.hit("log.flush.before_sync", place);
    await segment.sync();
    this.#requireOpen();
    // Its next use opens it again: a log that rolls faster than it is flushed must not use up the descriptors.
    if (segment !== this.#segments.active) segment.close();
    // Bytes of a file that somebody removed meanwhile are gone with this process, however well they are synced.
    if (env.disk.stat(segment.path) === null) throw new DiskError("sync", segment.path, "ENOENT");
    env.faults.hit("log.flush.after_sync", place);
  }

  async #syncNames(): Promise<void> {
    const names = this.#names;
    if (names === this.#syncedNames) return;
    const { env, folder, place } = this.#context;
    env.faults.hit("log.flush.before_folder_sync", place);
    await env.disk.syncFolderLater(folder);
    this.#requireOpen();
    this.#syncedNames = names;
    env.faults.hit("log.flush.after_folder_sync", place);
  }

  /** A manifest that could not be written is no reason to refuse what is durable: the next round tries again. */
  async #sealOrDelay(point: RecoveryPoint): Promise<void> {
    try {
      await this.#seal(point);
    } catch (problem) {
      const error = this.#sealFailed(problem);
      if (!(error instanceof BrokerError) || checkpointOutcome(error) !== "unchanged") throw error;
      this.#context.env.trace({
        kind: "seal_delayed",
        ...this.#context.place,
        segmentBaseOffset: point.segmentBaseOffset,
        problem: error.message,
      });
    }
  }

  /** Everything below `point` is durable: the manifest says so, and segments before that of the point are sealed. */
  async #seal(point: RecoveryPoint): Promise<void> {
    const { env, place } = this.#context;
    const rolled = this.#segments.unsealed().filter(({ baseOffset }) => baseOffset < point.segmentBaseOffset);
    for (const segment of rolled) segment.writeIndex();
    const sealed = [...this.#manifest.sealed, ...rolled.map(({ extent }) => extent)];
    const manifest: Manifest = { ...this.#manifest, sealed, recoveryPoint: point };
    if (sameManifest(manifest, this.#manifest)) return;
    await this.#file.replaceLater(manifest);
    this.#requireOpen();
    this.#manifest = manifest;
    this.#segments.seal(rolled.length);
    for (const { baseOffset, nextOffset, sizeBytes } of rolled)
      env.trace({ kind: "sealed", ...place, segmentBaseOffset: baseOffset, nextOffset, bytes: sizeBytes });
  }

  /** What to throw when the manifest was not replaced. One that may not survive a power cut is as bad as a failed sync. */
  #sealFailed(problem: unknown): unknown {
    if (!(problem instanceof BrokerError) || checkpointOutcome(problem) !== "unknown") return problem;
    return this.#failed(problem.message);
  }

  #syncFailed(problem: unknown): unknown {
    if (!(problem instanceof DiskError)) return problem;
    // Too many files are open to begin a sync: nothing was synced, and nothing was lost either.
    if (problem.code === "EMFILE" || problem.code === "ENFILE")
      return storageError(problem, { file: problem.path });
    // A handle that was closed under a sync says nothing about the disk.
    return this.#state.isClosed ? this.#state.refusal() : this.#failed(problem.message);
  }

  #failed(problem: string): BrokerError {
    const unmarked = markDoubt(this.#context);
    const whole =
      unmarked === null ? problem : `${problem}; nor could it be noted for the next start: ${unmarked}`;
    const error = this.#state.fail(whole);
    this.#onFailedSync(whole);
    return error;
  }

  /** The world went on during a wait. */
  #requireOpen(): void {
    if (this.#state.isClosed) throw this.#state.refusal();
  }
}

function recoveryPointAt({ nextOffset, baseOffset, sizeBytes, maxTimestampMs }: Segment): RecoveryPoint {
  return { offset: nextOffset, segmentBaseOffset: baseOffset, position: sizeBytes, maxTimestampMs };
}
