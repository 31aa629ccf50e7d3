/**
 * The producers of one log: what is known of them, and the snapshots from which that comes back when the log is opened.
 *
 * Owns: the table (producer-state.ts) and the files `<offset>.snapshot`. Which of them count is said by the manifest: a list
 * of offsets, the newest last; `null` while the log has no producer. One is written for each manifest that moves the
 * recovery point, before it, so that nothing has to be read again below that point.
 * Invariants: at each offset the table is what a walk over all headers before it would give, but for producers that were
 * forgotten, and for those whose last batch retention has removed: they stay.
 * Never: a damaged or foreign snapshot believed; a log refused because of one, as long as its batches can be read.
 */
import type { BatchHeader } from "@minikafka/record";
import { DiskError } from "../../env/disk.ts";
import { BrokerError, storageError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { LogContext } from "../context/log-context.ts";
import type { CheckpointFile } from "../files/checkpoint-file.ts";
import { snapshotPath } from "../files/file-names.ts";
import type { ScanEnd, ScannedFrame } from "../frames/frame-scan.ts";
import type { FolderContents } from "../manifest/log-folder.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { type ProducerSnapshot, producerSnapshotFile } from "../producers/producer-snapshot.ts";
import { type ProducerEntry, ProducerState } from "../producers/producer-state.ts";
import type { Segment } from "../segment/segment.ts";

/** Which batches a table is to be made from. */
export interface ProducerRange {
  /** They hold everything up to `endOffset`. */
  readonly segments: readonly Segment[];
  readonly endOffset: number;
}

/** A table that is not in use yet. */
export interface RestoredProducers {
  readonly state: ProducerState;
  readonly endOffset: number;
  /** `null` when nothing had to be read. */
  readonly from: { readonly snapshotOffset: number | null; readonly batches: number } | null;
}

export class LogProducers {
  readonly #context: LogContext;
  #state = new ProducerState();
  /** Offsets of snapshots that the manifest names and that could not be read. */
  readonly #unusable = new Set<number>();
  #writing: CheckpointFile<ProducerSnapshot> | null = null;

  constructor(context: LogContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#state.size;
  }

  get(producerId: number): ProducerEntry | undefined {
    return this.#state.get(producerId);
  }

  /** Who was heard of longest ago comes first. */
  entries(): readonly ProducerEntry[] {
    return this.#state.entries();
  }

  /** A batch stands in the log, behind all that were noted before. */
  note(header: BatchHeader): void {
    this.#note(this.#state, header);
  }

  #note(state: ProducerState, header: BatchHeader): void {
    if (header.producerId < 0) return;
    const forgotten = state.note(header, this.#context.env.clock.nowMs());
    if (forgotten !== null) this.#traceForgotten(forgotten, "table_full");
  }

  /** Forgets the producers that nothing was heard of since `sinceMs`, and returns their ids. */
  forgetIdle(sinceMs: number): number[] {
    const forgotten = this.#state.forgetIdle(sinceMs);
    for (const entry of forgotten) this.#traceForgotten(entry, "idle");
    return forgotten.map(({ producerId }) => producerId);
  }

  /** Makes the table what it was at `endOffset`. Throws as restored() does. */
  restore(manifest: Manifest, range: ProducerRange): void {
    this.adopt(this.restored(manifest, range));
  }

  /**
   * The table as it was at `endOffset`, for adopt(): from the newest snapshot at or below it that can be read, and the batches
   * behind that; where the manifest knows no producer, from those behind its recovery point. Throws STORAGE_ERROR for damage
   * in a batch, DiskError.
   */
  restored(
    { producerSnapshots: snapshots, recoveryPoint }: Manifest,
    { segments, endOffset }: ProducerRange,
  ): RestoredProducers {
    const state = new ProducerState();
    if (snapshots === null && recoveryPoint.offset >= endOffset) return { state, endOffset, from: null };
    const snapshot = this.#newest((snapshots ?? []).filter((offset) => offset <= endOffset));
    if (snapshot !== null) state.replace(snapshot.producers);
    const from = snapshots === null ? recoveryPoint.offset : (snapshot?.offset ?? 0);
    let batches = 0;
    for (const segment of segments) {
      if (segment.nextOffset <= from || segment.baseOffset >= endOffset) continue;
      const { position, problem } = scanFrom(segment, from, ({ header }) => {
        if (header.baseOffset >= endOffset) return false;
        if (header.baseOffset >= from) {
          this.#note(state, header);
          batches += 1;
        }
        return true;
      });
      if (problem !== null) throw storageError(problem, { file: segment.path, position });
      if (segment !== segments.at(-1)) segment.close();
    }
    return { state, endOffset, from: { snapshotOffset: snapshot?.offset ?? null, batches } };
  }

  /** From now on what is known is this. */
  adopt({ state, endOffset, from }: RestoredProducers): void {
    this.#state = state;
    if (from === null) return;
    const { env, place } = this.#context;
    env.trace({ kind: "producers_restored", ...place, ...from, endOffset, producers: state.size });
  }

  /** The log has no batch any more. */
  clear(): void {
    this.#state.replace([]);
  }

  /** The table of this instant, in which the log ends at `offset`. */
  capture(offset: number): ProducerSnapshot {
    return { offset, producers: this.#state.entries() };
  }

  /** Makes a snapshot durable, so that a manifest may name it, unless `snapshots` does. Rejects STORAGE_ERROR. */
  async write(snapshot: ProducerSnapshot, snapshots: Manifest["producerSnapshots"]): Promise<void> {
    const { offset, producers } = snapshot;
    if (producers.length === 0 || this.#usable(snapshots).includes(offset)) return;
    this.#writing = producerSnapshotFile(this.#context, offset);
    await this.#writing.replaceLater(snapshot);
    this.#writing = null;
    this.#unusable.delete(offset);
    const { env, place } = this.#context;
    env.trace({ kind: "producer_snapshot_written", ...place, offset, producers: producers.length });
  }

  /** Nothing more reaches the disk. */
  abandon(): void {
    this.#writing?.abandon();
  }

  /** What a manifest names once `snapshot` was written: the newest few. */
  named(
    { offset, producers }: ProducerSnapshot,
    snapshots: Manifest["producerSnapshots"],
  ): Manifest["producerSnapshots"] {
    if (producers.length === 0) return null;
    const older = this.#usable(snapshots).filter((each) => each < offset);
    return [...older, offset].slice(-LIMITS.producerSnapshotsMax);
  }

  /** Removes the files of snapshots that a manifest named and, durably, names no more. One that stays is removed at open. */
  removeUnnamed(before: Manifest["producerSnapshots"], now: Manifest["producerSnapshots"]): void {
    const unnamed = (before ?? []).filter((offset) => now?.includes(offset) !== true);
    for (const offset of unnamed) {
      this.#unusable.delete(offset);
      this.#remove(snapshotPath(this.#context.folder, offset));
    }
  }

  #usable(snapshots: Manifest["producerSnapshots"]): readonly number[] {
    return (snapshots ?? []).filter((offset) => !this.#unusable.has(offset));
  }

  /** The last of `offsets` whose snapshot can be read. */
  #newest(offsets: readonly number[]): ProducerSnapshot | null {
    for (const offset of offsets.toReversed()) {
      const snapshot = this.#read(offset);
      if (snapshot !== null) return snapshot;
      this.#unusable.add(offset);
    }
    return null;
  }

  #read(offset: number): ProducerSnapshot | null {
    try {
      const snapshot = producerSnapshotFile(this.#context, offset).read();
      if (snapshot === null) this.#traceUnusable(offset, "it is missing");
      return snapshot;
    } catch (problem) {
      if (!(problem instanceof BrokerError) || problem.cause instanceof DiskError) throw problem;
      this.#traceUnusable(offset, problem.message);
      return null;
    }
  }

  #remove(path: string): void {
    const { env, place } = this.#context;
    try {
      if (env.disk.stat(path) === null) return;
      env.disk.remove(path);
      env.trace({ kind: "obsolete_file_removed", brokerId: place.brokerId, path });
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
      env.trace({ kind: "obsolete_file_kept", ...place, path, problem: problem.message });
    }
  }

  #traceUnusable(offset: number, problem: string): void {
    const { env, place } = this.#context;
    env.trace({ kind: "producer_snapshot_unusable", ...place, offset, problem });
  }

  #traceForgotten({ producerId, lastSeenMs }: ProducerEntry, reason: "idle" | "table_full"): void {
    const { env, place } = this.#context;
    env.trace({ kind: "producer_forgotten", ...place, producerId, lastSeenMs, reason });
  }
}

/** Scans from the batch of `offset`, or from one before it. An index may be wrong; the first batch is where it is. */
function scanFrom(segment: Segment, offset: number, visit: (frame: ScannedFrame) => boolean): ScanEnd {
  const beginning = { offset: segment.baseOffset, position: 0 };
  const hit = offset > segment.baseOffset ? segment.entryFor(offset) : beginning;
  const end = segment.scan(hit, visit);
  const isFalse = end.problem !== null && end.position === hit.position && hit.position > 0;
  return isFalse ? segment.scan(beginning, visit) : end;
}

/** At open: removes snapshots that the manifest does not name, and those that were being written. Throws DiskError. */
export function removeUnnamedSnapshots(
  { env, folder, place }: LogContext,
  { producerSnapshots }: Manifest,
  { snapshots, snapshotTemporaries }: FolderContents,
): void {
  const unnamed = snapshots.filter((offset) => producerSnapshots?.includes(offset) !== true);
  const paths = [...unnamed.map((offset) => snapshotPath(folder, offset)), ...snapshotTemporaries];
  if (paths.length === 0) return;
  // A process that died behind a renaming left a manifest that a power cut may still take back, to one that names them.
  env.disk.syncFolder(folder);
  for (const path of paths) {
    env.disk.remove(path);
    env.trace({ kind: "stray_file_removed", brokerId: place.brokerId, path });
  }
}
