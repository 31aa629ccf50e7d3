/**
 * A disk, as the kernel sees it. Everything is synchronous but the syncs, which may take a platter's turn: a log appends
 * into the page cache at once, and many waiters share one sync.
 *
 * What is durable, that is, survives a power cut:
 *   - a file's bytes and size: what was written before a sync() that succeeded was called
 *   - a name in a folder (made, renamed, removed): after a sync of that folder that succeeded; not by syncing the file
 * What survives the death of the process alone: everything that returned.
 * After a sync that failed, nothing written before it may be trusted to become durable, whatever a later sync says.
 *
 * Paths are absolute and use `/` on every system (Windows takes it too): join them with node:path's posix. Every failure is a DiskError.
 * Close a file before it is renamed or removed: Windows refuses otherwise.
 */
import { posix } from "node:path";
import { assert } from "../assert.ts";

export interface Disk {
  /**
   * Opens a file for reading and writing at any position. Without `create` the file must exist (ENOENT); with
   * `"exclusive"` it must not (EEXIST). A folder is refused (EISDIR). `readOnly` never creates.
   */
  openFile(path: string, options?: OpenFileOptions): DiskFile;

  /** What is at `path`, symbolic links followed, or `null` when nothing is. */
  stat(path: string): DiskEntry | null;

  /** What a folder holds, sorted by name (in code-unit order), without `.` and `..`. ENOENT, ENOTDIR. */
  readFolder(path: string): readonly FolderEntry[];

  /**
   * Makes a folder and the parents that it lacks. Returns the folders that gained an entry, outermost first: syncing
   * each of them makes the new folder durable. Empty when it was there already.
   */
  makeFolder(path: string): readonly string[];

  /**
   * Gives a file or folder another name in the same folder, at once and whole. A file at `to` is replaced by a file; where
   * `from` is a folder, `to` must not exist (EEXIST).
   */
  rename(from: string, to: string): void;

  /** Removes a file. ENOENT when there is none. */
  remove(path: string): void;

  /** Removes an empty folder. ENOTEMPTY when it is not. */
  removeFolder(path: string): void;

  /** Makes the names in a folder durable, and waits for it. */
  syncFolder(path: string): void;

  /** The same without holding up the kernel: what happened to the folder before this call is durable once it resolves. */
  syncFolderLater(path: string): Promise<void>;

  /**
   * Opens a folder so that it can be synced later without a descriptor having to be found then: before a change that must not
   * stay without its sync. To be closed again in the same turn of the kernel. ENOENT.
   */
  openFolder(path: string): DiskFolder;

  /**
   * The same for a sync that is awaited. Where descriptors are few it waits for its turn: nobody may wait for another folder,
   * or for the sync of a file, as long as he has this one open.
   */
  openFolderLater(path: string): Promise<DiskFolder>;

  /**
   * Holds a folder for this process alone until it is released or the process is gone, however it went. Rejects with
   * FolderHeldError while another holder lives. The folder's `lock` file names the holder, for people only.
   */
  lock(folder: string, startedAtMs: number): Promise<FolderLock>;
}

export interface OpenFileOptions {
  readonly create?: "exclusive" | "if-missing";
  readonly readOnly?: boolean;
}

export type EntryKind = "file" | "folder" | "other";

export interface DiskEntry {
  readonly kind: EntryKind;
  /** 0 for what is not a file. */
  readonly sizeBytes: number;
  /** As DiskFile has it. */
  readonly identity: string;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

/** An open file. Reads and writes name their position; there is no cursor. Using a closed file fails with EBADF. */
export interface DiskFile {
  /** The path that it was opened by. */
  readonly path: string;

  /** Tells it from every other file that is there at the time, whatever their names: another one in its place has another. */
  readonly identity: string;

  sizeBytes(): number;

  /**
   * Writes all of `bytes` at `position`, or throws; then any part of them may have been written. A gap past the end reads
   * as zeros. The bytes are taken before this returns: the caller may reuse the buffer.
   */
  writeAt(position: number, bytes: Uint8Array): void;

  /** Up to `lengthBytes` bytes from `position` in a fresh buffer; shorter only where the file ends. */
  readAt(position: number, lengthBytes: number): Buffer;

  /** Cuts to `sizeBytes`, or extends with zeros. */
  truncate(sizeBytes: number): void;

  /** Makes bytes and size durable as they were at the call (fdatasync). Rejects with a DiskError. */
  sync(): Promise<void>;

  /** The same, waiting for it. */
  syncNow(): void;

  /** Gives the handle back, and never fails. A sync under way is let finish. Closing twice does nothing. */
  close(): void;
}

/** An open folder. Using a closed one fails with EBADF. */
export interface DiskFolder {
  /** Makes the names in the folder durable as they were at the call. Rejects with a DiskError. */
  sync(): Promise<void>;

  /** The same, waiting for it. */
  syncNow(): void;

  /** Gives the handle back, and never fails. A sync under way is let finish. Closing twice does nothing. */
  close(): void;
}

/** A held folder; see Disk.lock. */
export interface FolderLock {
  readonly folder: string;
  /** Lets go, and removes the name. Releasing twice does nothing. */
  release(): Promise<void>;
}

/** Who holds a folder, as its `lock` file says. */
export interface LockHolder {
  readonly pid: number;
  readonly startedAtMs: number;
  readonly host: string;
}

/** Another process, or another cluster of this process, holds the folder. */
export class FolderHeldError extends Error {
  override readonly name = "FolderHeldError";
  readonly folder: string;
  /** `null` when the holder has not written its name yet. */
  readonly holder: LockHolder | null;

  constructor(folder: string, holder: LockHolder | null) {
    const who =
      holder === null
        ? "another process, which has not named itself yet"
        : `process ${holder.pid} on ${holder.host}, since ${new Date(holder.startedAtMs).toISOString()}`;
    super(`${folder} is in use by ${who}`);
    this.folder = folder;
    this.holder = holder;
  }
}

export type DiskOperationName =
  | "open"
  | "create"
  | "stat"
  | "read"
  | "write"
  | "truncate"
  | "sync"
  | "readFolder"
  | "makeFolder"
  | "rename"
  | "remove"
  | "removeFolder"
  | "syncFolder"
  | "lock";

const SENTENCES: { readonly [code: string]: string } = {
  EACCES: "permission denied",
  EBADF: "the file is closed",
  EBUSY: "in use",
  EEXIST: "it exists already",
  EFBIG: "larger than a file may be",
  EIO: "the device failed",
  EISDIR: "it is a folder",
  ELOOP: "symbolic links in a circle",
  EMFILE: "this process has too many open files",
  ENFILE: "the system has too many open files",
  ENOENT: "no such file or folder",
  ENOSPC: "no space left on the device",
  ENOTDIR: "it is not a folder",
  ENOTEMPTY: "the folder is not empty",
  ESTALE: "another file is in its place, or it was cut",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  EDQUOT: "the quota is used up",
};

/** The disk refused. The kernel answers it with STORAGE_ERROR (errors.ts), or goes off line. */
export class DiskError extends Error {
  override readonly name: string = "DiskError";
  readonly operation: DiskOperationName;
  readonly path: string;
  /** The system's name for it: `ENOSPC`, `EIO`, … */
  readonly code: string;

  constructor(operation: DiskOperationName, path: string, code: string, options?: { cause: unknown }) {
    const sentence = SENTENCES[code];
    super(
      `${operation} of ${path} failed with ${code}${sentence === undefined ? "" : `: ${sentence}`}`,
      options,
    );
    this.operation = operation;
    this.path = path;
    this.code = code;
  }
}

/** Whether a file could not be opened because too many are: nothing happened to it, and a later try may go well. */
export function isOutOfDescriptors(problem: unknown): boolean {
  return problem instanceof DiskError && (problem.code === "EMFILE" || problem.code === "ENFILE");
}

/** A name that moved between folders could be durable in both or in neither, so that no rename does. */
export function requireSameFolder(from: string, to: string): void {
  assert(posix.dirname(from) === posix.dirname(to), `${from} cannot be renamed into another folder: ${to}`);
}

/**
 * The whole of a small file, or `null` when there is none. Refused with EFBIG when it is larger than `bytesMax`: a damaged
 * or foreign file must not fill the memory.
 */
export function readSmallFile(disk: Disk, path: string, bytesMax: number): Buffer | null {
  const entry = disk.stat(path);
  if (entry === null) return null;
  if (entry.sizeBytes > bytesMax) throw new DiskError("read", path, "EFBIG");
  const file = disk.openFile(path, { readOnly: true });
  try {
    return file.readAt(0, entry.sizeBytes);
  } finally {
    file.close();
  }
}
