/**
 * A disk in memory that forgets what was not synced, and that can be told to fail.
 *
 * Owns: the tree of files and folders, and who holds which folder. What each call passes first is in disk-gate.ts, what a
 * crash leaves in memory-nodes.ts.
 * Invariants: the same calls give the same bytes; a handle opened before a crash is dead after it; a clone shares nothing
 * that either side can change.
 * Never: a sync that makes more durable than what was there when it was called, or a name made durable by syncing its file.
 */
import { posix } from "node:path";
import {
  type Disk,
  type DiskEntry,
  DiskError,
  type DiskFile,
  type DiskFolder,
  type FolderEntry,
  type FolderLock,
  type OpenFileOptions,
  requireSameFolder,
} from "./disk.ts";
import type { DiskFailure, DiskFailureOrder } from "./disk-failures.ts";
import { type ChangeListener, DiskGate } from "./disk-gate.ts";
import { type FolderHold, lockFolder } from "./folder-lock.ts";
import { MemoryDiskFile } from "./memory-disk-file.ts";
import { MemoryDiskFolder } from "./memory-disk-folder.ts";
import { type Crash, MemoryFile, MemoryFolder, type MemoryNode } from "./memory-nodes.ts";
import { findNode, folderAt, placeOf, walkTree } from "./memory-tree.ts";

/** Takes absolute paths. `/` is there from the start. */
export class MemoryDisk implements Disk {
  readonly #gate = new DiskGate();
  #root = new MemoryFolder();
  /** Which hold a folder is in. A crash frees them all. */
  readonly #holds = new Map<MemoryFolder, symbol>();

  openFile(path: string, options: OpenFileOptions = {}): DiskFile {
    this.#gate.pass("open", path);
    const readOnly = options.readOnly ?? false;
    const { folder, name } = placeOf(this.#root, "open", path);
    const node = folder.get(name);
    if (node === undefined) {
      if (options.create === undefined || readOnly) throw new DiskError("open", path, "ENOENT");
      const file = new MemoryFile();
      this.#gate.begin({ kind: "create", path });
      folder.change(new Map([[name, file]]));
      return new MemoryDiskFile(path, this.#gate, file, false);
    }
    if (options.create === "exclusive" && !readOnly) throw new DiskError("open", path, "EEXIST");
    if (node.kind === "folder") throw new DiskError("open", path, "EISDIR");
    return new MemoryDiskFile(path, this.#gate, node, readOnly);
  }

  stat(path: string): DiskEntry | null {
    this.#gate.pass("stat", path);
    const node = findNode(this.#root, path);
    return node === null ? null : { kind: node.kind, sizeBytes: node.sizeBytes, identity: node.identity };
  }

  readFolder(path: string): readonly FolderEntry[] {
    this.#gate.pass("readFolder", path);
    const entries = [...folderAt(this.#root, "readFolder", path).entries()];
    entries.sort(([left], [right]) => (left < right ? -1 : 1));
    return entries.map(([name, node]) => ({ name, kind: node.kind }));
  }

  makeFolder(path: string): readonly string[] {
    const node = findNode(this.#root, path);
    if (node !== null) {
      if (node.kind === "file") throw new DiskError("makeFolder", path, "EEXIST");
      return [];
    }
    const parent = posix.dirname(path);
    if (findNode(this.#root, parent)?.kind === "file") throw new DiskError("makeFolder", path, "ENOTDIR");
    const gained = this.makeFolder(parent);
    const { folder, name } = placeOf(this.#root, "makeFolder", path);
    this.#gate.begin({ kind: "makeFolder", path });
    folder.change(new Map([[name, new MemoryFolder()]]));
    return [...gained, parent];
  }

  rename(from: string, to: string): void {
    requireSameFolder(from, to);
    const { folder, name } = placeOf(this.#root, "rename", from);
    const node = folder.get(name);
    const newName = posix.basename(to);
    const there = folder.get(newName);
    if (node === undefined) throw new DiskError("rename", from, "ENOENT");
    if (node.kind === "folder" && there !== undefined) throw new DiskError("rename", from, "EEXIST");
    if (there?.kind === "folder") throw new DiskError("rename", from, "EISDIR");
    this.#gate.begin({ kind: "rename", path: from, to });
    folder.change(new Map<string, MemoryNode | null>([[name, null]]).set(newName, node));
  }

  remove(path: string): void {
    const { folder, name } = placeOf(this.#root, "remove", path);
    const node = folder.get(name);
    if (node === undefined) throw new DiskError("remove", path, "ENOENT");
    if (node.kind === "folder") throw new DiskError("remove", path, "EISDIR");
    this.#gate.begin({ kind: "remove", path });
    folder.change(new Map([[name, null]]));
  }

  removeFolder(path: string): void {
    const removed = folderAt(this.#root, "removeFolder", path);
    if (removed.entries().size > 0) throw new DiskError("removeFolder", path, "ENOTEMPTY");
    const { folder, name } = placeOf(this.#root, "removeFolder", path);
    this.#gate.begin({ kind: "removeFolder", path });
    folder.change(new Map([[name, null]]));
  }

  syncFolder(path: string): void {
    const folder = this.openFolder(path);
    try {
      folder.syncNow();
    } finally {
      folder.close();
    }
  }

  async syncFolderLater(path: string): Promise<void> {
    const folder = this.openFolder(path);
    try {
      await folder.sync();
    } finally {
      folder.close();
    }
  }

  openFolder(path: string): DiskFolder {
    this.#gate.pass("open", path);
    return new MemoryDiskFolder(path, this.#gate, folderAt(this.#root, "open", path));
  }

  async openFolderLater(path: string): Promise<DiskFolder> {
    return this.openFolder(path);
  }

  async lock(path: string, startedAtMs: number): Promise<FolderLock> {
    this.#gate.pass("lock", path);
    const folder = folderAt(this.#root, "lock", path);
    return await lockFolder(this, path, startedAtMs, async () => this.#hold(folder));
  }

  /** What happens to the process or to the power. All handles and holds are gone; the disk is there to be opened again. */
  crash(crash: Crash): void {
    this.#root.crash(crash);
    this.#holds.clear();
    this.#gate.restart();
  }

  /**
   * From now on every call throws CrashSignal and changes nothing, until crash() begins the next life. For the instant in
   * which a process dies in the middle of the kernel, whose `finally` blocks still run in a test.
   */
  powerOff(): void {
    this.#gate.powerOff();
  }

  /** A second disk in the same state, synced and unsynced, with nothing open, held, armed or listening. Cheap. */
  clone(): MemoryDisk {
    const copy = new MemoryDisk();
    copy.#root = this.#root.clone();
    return copy;
  }

  /** Calls `listener` before each change, to stop there or to clone the disk. Returns how to end that. */
  beforeChange(listener: ChangeListener): () => void {
    return this.#gate.listen(listener);
  }

  /** How many changes were begun. */
  get changeCount(): number {
    return this.#gate.changeCount;
  }

  /** Handles that are open now, and the most that ever were at once. */
  get openFiles(): { readonly now: number; readonly peak: number } {
    return this.#gate.openFiles;
  }

  /** Arms a failure. A sync that fails leaves what it covered in doubt for ever, as systems do. */
  fail(order: DiskFailureOrder): DiskFailure {
    return this.#gate.fail(order);
  }

  /** Disarms all failures. */
  stopFailing(): void {
    this.#gate.stopFailing();
  }

  /** From now on sync() and syncFolderLater() stay under way, until they are let go or the disk crashes. */
  holdSyncs(): void {
    this.#gate.holdSyncs();
  }

  /** Lets the held syncs end, and later ones go through. */
  releaseSyncs(): void {
    this.#gate.openSyncs();
  }

  /** The paths of files whose bytes, and of folders whose names, a power cut could still change. Sorted. */
  unsyncedPaths(): readonly string[] {
    return walkTree(this.#root)
      .filter(([, node]) => !node.isSynced)
      .map(([path]) => path)
      .sort();
  }

  /** Every file with its bytes, sorted by path: the whole disk as a value, for comparisons. */
  files(): ReadonlyMap<string, Buffer> {
    const files = new Map<string, Buffer>();
    for (const [path, node] of walkTree(this.#root).sort(([left], [right]) => (left < right ? -1 : 1))) {
      if (node.kind === "file") files.set(path, node.read(0, node.sizeBytes));
    }
    return files;
  }

  #hold(folder: MemoryFolder): FolderHold | null {
    if (this.#holds.has(folder)) return null;
    const hold = Symbol("hold");
    this.#holds.set(folder, hold);
    const isHeld = () => this.#holds.get(folder) === hold;
    return {
      isHeld,
      end: async () => {
        if (isHeld()) this.#holds.delete(folder);
      },
    };
  }
}
