/**
 * The files of one log's snapshots, `<offset>.snapshot`. Which of them count is said by the manifest: a list of offsets, the
 * newest last; `null` while the log has nothing to tell of producers.
 *
 * Owns: which of those that the manifest names could not be read; the one that is being written.
 * Never: a damaged or foreign snapshot believed; one removed that a manifest may still name.
 */
import { DiskError } from "../../env/disk.ts";
import { BrokerError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { LogContext } from "../context/log-context.ts";
import type { CheckpointFile } from "../files/checkpoint-file.ts";
import { snapshotPath } from "../files/file-names.ts";
import type { FolderContents } from "../manifest/log-folder.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { type ProducerSnapshot, producerSnapshotFile } from "../producers/producer-snapshot.ts";

export class SnapshotFiles {
  readonly #context: LogContext;
  /** Offsets of snapshots that the manifest names and that could not be read. */
  readonly #unusable = new Set<number>();
  #writing: CheckpointFile<ProducerSnapshot> | null = null;

  constructor(context: LogContext) {
    this.#context = context;
  }

  /** Makes a snapshot durable, so that a manifest may name it, unless `snapshots` does. Rejects STORAGE_ERROR. */
  async write(snapshot: ProducerSnapshot | null, snapshots: Manifest["producerSnapshots"]): Promise<void> {
    if (snapshot === null || this.#usable(snapshots).includes(snapshot.offset)) return;
    const { offset, producers } = snapshot;
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
    snapshot: ProducerSnapshot | null,
    snapshots: Manifest["producerSnapshots"],
  ): Manifest["producerSnapshots"] {
    if (snapshot === null) return null;
    const older = this.#usable(snapshots).filter((each) => each < snapshot.offset);
    return [...older, snapshot.offset].slice(-LIMITS.producerSnapshotsMax);
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
  newest(offsets: readonly number[]): ProducerSnapshot | null {
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
