/**
 * The real disk: the only file of the kernel that imports node:fs.
 *
 * Invariants: a descriptor is given back only when no sync of it is under way, since its number could by then be another
 * file's; reads and writes go on until they are whole.
 * Never: a promise of Disk weakened in silence. Where a system cannot keep one, it is said here: Windows has no way to sync
 * a folder (its file system journals names by itself), so that syncFolder does nothing there.
 */
import fs from "node:fs";
import { dirname } from "node:path";
import { assert } from "../assert.ts";
import {
  type Disk,
  type DiskEntry,
  DiskError,
  type DiskFile,
  type DiskOperationName,
  type EntryKind,
  type FolderEntry,
  type FolderLock,
  type OpenFileOptions,
  requireSameFolder,
} from "./disk.ts";
import { type FolderHold, HOLD_FILE_NAME, holdSocket, lockFolder } from "./folder-lock.ts";

const { O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = fs.constants;
/** Opening a pipe that lies in the folder must not wait for its other end. Windows has neither. */
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0;
/** Takes a lock that ends with the descriptor. macOS and the BSDs have it, Node has no name for it. */
const O_EXLOCK = 0x20;
/**
 * All that a socket's address has room for. Node 20 pads a shorter abstract name with zeros and later versions don't: two
 * brokers under different versions would hold the same folder under two names.
 */
const ABSTRACT_NAME_BYTES = 108;

export class NodeDisk implements Disk {
  openFile(path: string, options: OpenFileOptions = {}): DiskFile {
    const readOnly = options.readOnly ?? false;
    let flags = (readOnly ? O_RDONLY : O_RDWR) | O_NONBLOCK;
    if (!readOnly && options.create !== undefined) flags |= O_CREAT;
    if (!readOnly && options.create === "exclusive") flags |= O_EXCL;
    const descriptor = onDisk("open", path, () => fs.openSync(path, flags));
    const kind = onDisk("open", path, () => kindOf(fs.fstatSync(descriptor)));
    if (kind !== "file") {
      fs.closeSync(descriptor);
      throw new DiskError("open", path, kind === "folder" ? "EISDIR" : "EINVAL");
    }
    return new NodeDiskFile(path, descriptor);
  }

  stat(path: string): DiskEntry | null {
    try {
      const stats = fs.statSync(path);
      const kind = kindOf(stats);
      return { kind, sizeBytes: kind === "file" ? stats.size : 0 };
    } catch (problem) {
      const error = asDiskError("stat", path, problem);
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw error;
    }
  }

  readFolder(path: string): readonly FolderEntry[] {
    const entries = onDisk("readFolder", path, () => fs.readdirSync(path, { withFileTypes: true }));
    entries.sort((left, right) => (left.name < right.name ? -1 : 1));
    return entries.map((entry) => {
      // A link is what it leads to; one that leads nowhere is neither file nor folder.
      const kind = entry.isSymbolicLink() ? this.#linkKind(`${path}/${entry.name}`) : kindOf(entry);
      return { name: entry.name, kind };
    });
  }

  makeFolder(path: string): readonly string[] {
    const entry = this.stat(path);
    if (entry?.kind === "folder") return [];
    if (entry !== null) throw new DiskError("makeFolder", path, "EEXIST");
    const parent = dirname(path);
    const gained = parent === path || this.stat(parent) !== null ? [] : this.makeFolder(parent);
    onDisk("makeFolder", path, () => fs.mkdirSync(path));
    return [...gained, parent];
  }

  rename(from: string, to: string): void {
    requireSameFolder(from, to);
    // The system would replace an empty folder; no caller means that.
    if (this.stat(from)?.kind === "folder" && this.stat(to) !== null)
      throw new DiskError("rename", from, "EEXIST");
    onDisk("rename", from, () => fs.renameSync(from, to));
  }

  remove(path: string): void {
    onDisk("remove", path, () => fs.unlinkSync(path));
  }

  removeFolder(path: string): void {
    onDisk("removeFolder", path, () => fs.rmdirSync(path));
  }

  syncFolder(path: string): void {
    if (process.platform === "win32") return;
    const descriptor = onDisk("syncFolder", path, () => fs.openSync(path, O_RDONLY | O_NONBLOCK));
    try {
      onDisk("syncFolder", path, () => fs.fsyncSync(descriptor));
    } catch (problem) {
      ignoreNoFolderSync(problem);
    } finally {
      closeQuietly(descriptor);
    }
  }

  async syncFolderLater(path: string): Promise<void> {
    if (process.platform === "win32") return;
    const descriptor = onDisk("syncFolder", path, () => fs.openSync(path, O_RDONLY | O_NONBLOCK));
    try {
      await new Promise<void>((resolve, reject) => {
        fs.fsync(descriptor, (problem) =>
          problem === null ? resolve() : reject(asDiskError("syncFolder", path, problem)),
        );
      });
    } catch (problem) {
      ignoreNoFolderSync(problem);
    } finally {
      closeQuietly(descriptor);
    }
  }

  async lock(folder: string, startedAtMs: number): Promise<FolderLock> {
    return await lockFolder(this, folder, startedAtMs, () => holdFolder(folder));
  }

  #linkKind(path: string): EntryKind {
    try {
      return this.stat(path)?.kind ?? "other";
    } catch (problem) {
      if (problem instanceof DiskError) return "other";
      throw problem;
    }
  }
}

class NodeDiskFile implements DiskFile {
  readonly path: string;
  #descriptor: number | null;
  #syncsUnderWay = 0;
  #isClosed = false;

  constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
  }

  sizeBytes(): number {
    const descriptor = this.#open("stat");
    return onDisk("stat", this.path, () => fs.fstatSync(descriptor).size);
  }

  writeAt(position: number, bytes: Uint8Array): void {
    requireCount(position);
    const descriptor = this.#open("write");
    for (let done = 0; done < bytes.length; ) {
      const from = done;
      const written = onDisk("write", this.path, () =>
        fs.writeSync(descriptor, bytes, from, bytes.length - from, position + from),
      );
      if (written === 0) throw new DiskError("write", this.path, "EIO");
      done += written;
    }
  }

  readAt(position: number, lengthBytes: number): Buffer {
    requireCount(position);
    requireCount(lengthBytes);
    const descriptor = this.#open("read");
    const bytes = Buffer.allocUnsafe(lengthBytes);
    let done = 0;
    while (done < lengthBytes) {
      const from = done;
      const read = onDisk("read", this.path, () =>
        fs.readSync(descriptor, bytes, from, lengthBytes - from, position + from),
      );
      if (read === 0) break;
      done += read;
    }
    return done === lengthBytes ? bytes : bytes.subarray(0, done);
  }

  truncate(sizeBytes: number): void {
    requireCount(sizeBytes);
    const descriptor = this.#open("truncate");
    onDisk("truncate", this.path, () => fs.ftruncateSync(descriptor, sizeBytes));
  }

  async sync(): Promise<void> {
    const descriptor = this.#open("sync");
    this.#syncsUnderWay++;
    try {
      await new Promise<void>((resolve, reject) => {
        fs.fdatasync(descriptor, (problem) => (problem === null ? resolve() : reject(problem)));
      });
    } catch (problem) {
      throw asDiskError("sync", this.path, problem);
    } finally {
      this.#syncsUnderWay--;
      if (this.#isClosed) this.#giveBack();
    }
  }

  syncNow(): void {
    const descriptor = this.#open("sync");
    onDisk("sync", this.path, () => fs.fdatasyncSync(descriptor));
  }

  close(): void {
    this.#isClosed = true;
    this.#giveBack();
  }

  #giveBack(): void {
    if (this.#syncsUnderWay > 0 || this.#descriptor === null) return;
    const descriptor = this.#descriptor;
    this.#descriptor = null;
    closeQuietly(descriptor);
  }

  #open(operation: DiskOperationName): number {
    if (this.#isClosed || this.#descriptor === null) throw new DiskError(operation, this.path, "EBADF");
    return this.#descriptor;
  }
}

/**
 * The descriptor is given back whatever the system says of it (close(2): on Linux also when it fails). What was to be durable
 * has been synced before, and nothing else was promised.
 */
function closeQuietly(descriptor: number): void {
  try {
    fs.closeSync(descriptor);
  } catch {
    // Said above.
  }
}

/** By device and inode, so that no second path to the folder leads past the hold. */
function holdFolder(folder: string): Promise<FolderHold | null> {
  const { dev, ino } = onDisk("lock", folder, () => fs.statSync(folder, { bigint: true }));
  const name = `minikafka-${dev}-${ino}`;
  switch (process.platform) {
    case "linux":
    case "android":
      return holdSocket(folder, `\0${name}`.padEnd(ABSTRACT_NAME_BYTES, "-"));
    case "win32":
      return holdSocket(folder, `\\\\.\\pipe\\${name}`);
    case "darwin":
    case "freebsd":
    case "openbsd":
    case "netbsd":
      return holdFile(`${folder}/${HOLD_FILE_NAME}`);
    default:
      throw new DiskError("lock", folder, "ENOSYS");
  }
}

/** A hold by an open file. The file is never removed: whoever opened the removed one would hold nothing. */
async function holdFile(path: string): Promise<FolderHold | null> {
  let descriptor: number | null;
  try {
    descriptor = fs.openSync(path, O_RDWR | O_CREAT | O_EXLOCK | O_NONBLOCK);
  } catch (problem) {
    const error = asDiskError("lock", path, problem);
    if (error.code === "EAGAIN") return null;
    throw error;
  }
  return {
    isHeld: () => descriptor !== null,
    async end() {
      if (descriptor !== null) fs.closeSync(descriptor);
      descriptor = null;
    },
  };
}

/** Some file systems refuse to sync any folder and say so by EINVAL or EBADF; there is nothing better to do there. */
function ignoreNoFolderSync(problem: unknown): void {
  if (problem instanceof DiskError && (problem.code === "EINVAL" || problem.code === "EBADF")) return;
  throw problem;
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): EntryKind {
  if (entry.isFile()) return "file";
  return entry.isDirectory() ? "folder" : "other";
}

function onDisk<Result>(operation: DiskOperationName, path: string, act: () => Result): Result {
  try {
    return act();
  } catch (problem) {
    throw asDiskError(operation, path, problem);
  }
}

/** A failed system call as a DiskError. Everything else is a mistake of this program and goes on as it is. */
function asDiskError(operation: DiskOperationName, path: string, problem: unknown): DiskError {
  if (!(problem instanceof Error) || !("code" in problem) || typeof problem.code !== "string") throw problem;
  if (!("syscall" in problem)) throw problem;
  return new DiskError(operation, path, problem.code, { cause: problem });
}

function requireCount(count: number): void {
  assert(Number.isSafeInteger(count) && count >= 0, `a position or a size in a file is ${count}`);
}
