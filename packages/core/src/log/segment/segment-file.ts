/**
 * The file of one segment: made, opened when somebody needs it, changed, made durable, removed.
 *
 * Owns: the handle; which of the attempts to change the file a sync has covered.
 * Invariant: `syncedBytes` and `needsSync` change only when a sync has succeeded, and speak for what was there when it began.
 * Never: an opinion on what is in the file, or on how much of it counts.
 */
import { DiskError, type DiskFile } from "../../env/disk.ts";
import { storageError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { LogContext } from "../context/log-context.ts";
import { type SegmentName, segmentPath, temporaryPath } from "../files/file-names.ts";

export class SegmentFile {
  readonly #context: LogContext;
  readonly #name: SegmentName;
  /** Made when somebody asks for it: most segments of most logs lie idle. */
  #path: string | null = null;
  #file: DiskFile | null = null;
  /** Attempts to change the file, and how many of them a sync has covered. */
  #changes = 0;
  #syncedChanges = 0;
  #syncedBytes: number;

  /** `syncedBytes`: how much of it is durable. Opens nothing yet. */
  constructor(context: LogContext, name: SegmentName, syncedBytes: number) {
    this.#context = context;
    this.#name = name;
    this.#syncedBytes = syncedBytes;
  }

  get path(): string {
    this.#path ??= segmentPath(this.#context.folder, this.#name);
    return this.#path;
  }

  /** Bytes that a power cut leaves. */
  get syncedBytes(): number {
    return this.#syncedBytes;
  }

  /** True after any attempt to change the file that no sync has covered, also after one that was undone. */
  get needsSync(): boolean {
    return this.#changes > this.#syncedChanges;
  }

  /** For reading; whoever changes it uses the methods below. Throws DiskError. */
  opened(): DiskFile {
    this.#file ??= this.#context.env.disk.openFile(this.path);
    return this.#file;
  }

  /** Makes the file; an empty one may be left of an attempt that failed. Throws STORAGE_ERROR, DiskError. */
  create(): void {
    const file = this.#context.env.disk.openFile(this.path, { create: "if-missing" });
    try {
      const sizeBytes = file.sizeBytes();
      if (sizeBytes > 0) {
        const expected = "a new segment, empty";
        throw storageError(`it holds ${sizeBytes} bytes`, { file: this.path, expected });
      }
    } catch (problem) {
      file.close();
      throw problem;
    }
    this.#file = file;
  }

  /** Takes create() back. If the disk refuses, an empty file stays, which says nothing. */
  discard(): void {
    try {
      this.#context.env.disk.remove(this.path);
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
    }
  }

  /** Throws DiskError; then any part of `bytes` may be there. A file that somebody has cut gets no hole. */
  writeAt(position: number, bytes: Buffer): void {
    const file = this.opened();
    this.#requireLength(file, position);
    this.#changes++;
    file.writeAt(position, bytes);
  }

  /** Throws DiskError; then nothing was cut. */
  truncate(sizeBytes: number): void {
    const file = this.opened();
    this.#requireLength(file, sizeBytes);
    this.#changes++;
    file.truncate(sizeBytes);
    this.#syncedBytes = Math.min(this.#syncedBytes, sizeBytes);
  }

  /** What was found in the file may have come there by a process that died before it was durable. */
  doubt(): void {
    this.#changes++;
  }

  /** Makes durable what is there now, `sizeBytes` of it. */
  async sync(sizeBytes: number): Promise<void> {
    const changes = this.#changes;
    await this.opened().sync();
    this.#noteSynced(changes, sizeBytes);
  }

  /**
   * Throws DiskError when the path does not lead to this file any more, or to less than `sizeBytes` of it: what was removed,
   * replaced or emptied by somebody is gone with this process, however well it is synced.
   */
  requireInPlace(sizeBytes: number): void {
    const { path } = this;
    const there = this.#context.env.disk.stat(path);
    if (there === null) throw new DiskError("sync", path, "ENOENT");
    if (there.identity !== this.opened().identity || there.sizeBytes < sizeBytes)
      throw new DiskError("sync", path, "ESTALE");
  }

  /** As sync(), waiting for it. */
  syncNow(sizeBytes: number): void {
    this.opened().syncNow();
    this.#noteSynced(this.#changes, sizeBytes);
  }

  /** Puts a new, synced file with the same first `sizeBytes` in the place of the old one, which is closed. Throws DiskError. */
  renew(sizeBytes: number): void {
    const { folder, env, place } = this.#context;
    const path = temporaryPath(folder, this.#name);
    const copy = env.disk.openFile(path, { create: "exclusive" });
    try {
      for (let position = 0; position < sizeBytes; position += LIMITS.scanChunkBytes) {
        const lengthBytes = Math.min(LIMITS.scanChunkBytes, sizeBytes - position);
        copy.writeAt(position, this.opened().readAt(position, lengthBytes));
      }
      copy.syncNow();
    } finally {
      copy.close();
    }
    this.close();
    env.disk.rename(path, this.path);
    const { baseOffset: segmentBaseOffset } = this.#name;
    env.trace({ kind: "renewed", ...place, segmentBaseOffset, bytes: sizeBytes });
  }

  #requireLength(file: DiskFile, sizeBytes: number): void {
    if (file.sizeBytes() < sizeBytes) throw new DiskError("write", this.path, "ESTALE");
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }

  #noteSynced(changes: number, sizeBytes: number): void {
    this.#syncedChanges = Math.max(this.#syncedChanges, changes);
    this.#syncedBytes = Math.max(this.#syncedBytes, sizeBytes);
  }
}
