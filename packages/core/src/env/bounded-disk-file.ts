/**
 * A file of a bounded disk: its descriptor comes and goes, the file stays open for whoever has it.
 *
 * Invariants: what was written through it is synced before its descriptor is given up, so that no failure to write it
 * back, which a system tells to those alone that have the file open, passes unseen; if that sync fails, every later one of
 * this file fails with the same words.
 * Never: a descriptor given up during a sync; another file, which somebody has put in its place meanwhile, taken for it.
 */
import { type Disk, DiskError, type DiskFile, type DiskOperationName } from "./disk.ts";
import type { OpenFiles, YieldingFile } from "./open-files.ts";
import type { Places } from "./places.ts";

export interface BoundedFileParts {
  readonly disk: Disk;
  readonly files: OpenFiles;
  /** How many syncs are under way at once. */
  readonly places: Places;
  readonly readOnly: boolean;
}

export class BoundedDiskFile implements DiskFile, YieldingFile {
  readonly path: string;
  readonly identity: string;
  readonly #parts: BoundedFileParts;
  #file: DiskFile | null;
  /** Changes through this handle, and how many of them a sync has covered; -1 before the first: others may have made some. */
  #changes = 0;
  #syncedChanges = -1;
  /** How a sync ended that nobody had asked for, when it did not end well. */
  #failure: { readonly problem: unknown } | null = null;
  #syncsWaiting = 0;
  #syncsUnderWay = 0;
  #isClosed = false;

  constructor(file: DiskFile, parts: BoundedFileParts) {
    this.path = file.path;
    this.identity = file.identity;
    this.#parts = parts;
    this.#file = file;
    parts.files.noteUse(this);
  }

  get hasChanges(): boolean {
    return this.#changes > Math.max(this.#syncedChanges, 0);
  }

  get isBusy(): boolean {
    return this.#syncsUnderWay > 0;
  }

  sizeBytes(): number {
    return this.#use("stat").sizeBytes();
  }

  readAt(position: number, lengthBytes: number): Buffer {
    return this.#use("read").readAt(position, lengthBytes);
  }

  writeAt(position: number, bytes: Uint8Array): void {
    this.#change("write", (file) => file.writeAt(position, bytes));
  }

  truncate(sizeBytes: number): void {
    this.#change("truncate", (file) => file.truncate(sizeBytes));
  }

  async sync(): Promise<void> {
    this.#requireOpen("sync");
    this.#syncsWaiting++;
    try {
      if (!this.#parts.places.tryTake()) await this.#parts.places.take();
    } finally {
      this.#syncsWaiting--;
    }
    await this.#syncInPlace();
  }

  syncNow(): void {
    const file = this.#use("sync");
    this.#requireTrust();
    file.syncNow();
    this.#noteSynced(this.#changes);
  }

  close(): void {
    this.#isClosed = true;
    this.#closeWhenDone();
  }

  giveWay(): void {
    if (this.hasChanges && this.#failure === null) this.#settleNow();
    this.#file?.close();
    this.#file = null;
  }

  syncAhead(): void {
    if (!this.#parts.places.tryTake()) return;
    this.#syncInPlace().catch((problem: unknown) => {
      this.#failure ??= { problem };
    });
  }

  /** With a place for a sync taken, which it gives back. */
  async #syncInPlace(): Promise<void> {
    const changes = this.#changes;
    this.#syncsUnderWay++;
    try {
      this.#requireTrust();
      // Without a descriptor, and nothing changed since it was synced: there is nothing to do.
      if (this.#file === null && changes === this.#syncedChanges) return;
      await this.#opened().sync();
      this.#noteSynced(changes);
    } finally {
      this.#syncsUnderWay--;
      this.#parts.places.give();
      this.#closeWhenDone();
    }
  }

  #change(operation: DiskOperationName, act: (file: DiskFile) => void): void {
    const file = this.#use(operation);
    // Also when it fails: a part of it may have happened.
    this.#changes++;
    this.#parts.files.noteChanges(this);
    act(file);
  }

  /** A failure is for those who ask for a sync of this file, not for whoever needs its descriptor. */
  #settleNow(): void {
    try {
      this.#file?.syncNow();
      this.#syncedChanges = this.#changes;
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
      this.#failure ??= { problem };
    }
  }

  #noteSynced(changes: number): void {
    this.#syncedChanges = Math.max(this.#syncedChanges, changes);
    if (this.#file !== null) this.#parts.files.noteChanges(this);
  }

  /** A sync under way, or one that waits for its turn, is let finish. */
  #closeWhenDone(): void {
    if (!this.#isClosed || this.#syncsWaiting + this.#syncsUnderWay > 0) return;
    this.#parts.files.forget(this);
    this.#file?.close();
    this.#file = null;
  }

  #use(operation: DiskOperationName): DiskFile {
    this.#requireOpen(operation);
    return this.#opened();
  }

  #opened(): DiskFile {
    const { disk, files, readOnly } = this.#parts;
    if (this.#file === null) {
      const file = files.open(() => disk.openFile(this.path, { readOnly }));
      if (file.identity !== this.identity) {
        file.close();
        throw new DiskError("open", this.path, "ESTALE");
      }
      this.#file = file;
    }
    files.noteUse(this);
    return this.#file;
  }

  #requireOpen(operation: DiskOperationName): void {
    if (this.#isClosed) throw new DiskError(operation, this.path, "EBADF");
  }

  #requireTrust(): void {
    if (this.#failure !== null) throw this.#failure.problem;
  }
}
