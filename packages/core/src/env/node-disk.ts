/**
 * The real disk. It and its parts, which are called node-…, are the only files of the kernel that import node:fs.
 *
 * Never: a promise of Disk weakened in silence. Where a system cannot keep one, it is said here: Windows has no way to sync
 * a folder (its file system journals names by itself), so that syncFolder does nothing there.
 */
import fs from "node:fs";
import { dirname } from "node:path";
import {
  type Disk,
  type DiskEntry,
  DiskError,
  type DiskFile,
  type DiskFolder,
  type EntryKind,
  type FolderEntry,
  type FolderLock,
  type OpenFileOptions,
  requireSameFolder,
} from "./disk.ts";
import { lockFolder } from "./folder-lock.ts";
import { asDiskError, onDisk } from "./node-disk-calls.ts";
import { NodeDiskFile } from "./node-disk-file.ts";
import { NodeDiskFolder } from "./node-disk-folder.ts";
import { holdFolder } from "./node-folder-hold.ts";

const { O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = fs.constants;
/** Opening a pipe that lies in the folder must not wait for its other end. Windows has neither. */
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0;
export class NodeDisk implements Disk {
  openFile(path: string, options: OpenFileOptions = {}): DiskFile {
    const readOnly = options.readOnly ?? false;
    let flags = (readOnly ? O_RDONLY : O_RDWR) | O_NONBLOCK;
    if (!readOnly && options.create !== undefined) flags |= O_CREAT;
    if (!readOnly && options.create === "exclusive") flags |= O_EXCL;
    const descriptor = onDisk("open", path, () => fs.openSync(path, flags));
    const stats = onDisk("open", path, () => fs.fstatSync(descriptor, { bigint: true }));
    const kind = kindOf(stats);
    if (kind !== "file") {
      fs.closeSync(descriptor);
      throw new DiskError("open", path, kind === "folder" ? "EISDIR" : "EINVAL");
    }
    return new NodeDiskFile(path, identityOf(stats), descriptor);
  }

  stat(path: string): DiskEntry | null {
    try {
      // Large integers cost more than the call: the sizes of a log's files are all asked for when it is opened.
      const small = fs.statSync(path);
      const stats = Number.isSafeInteger(small.ino) ? small : fs.statSync(path, { bigint: true });
      const kind = kindOf(stats);
      return { kind, sizeBytes: kind === "file" ? Number(stats.size) : 0, identity: identityOf(stats) };
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
    const folder = new NodeDiskFolder(path, "syncFolder");
    try {
      folder.syncNow();
    } finally {
      folder.close();
    }
  }

  async syncFolderLater(path: string): Promise<void> {
    const folder = new NodeDiskFolder(path, "syncFolder");
    try {
      await folder.sync();
    } finally {
      folder.close();
    }
  }

  openFolder(path: string): DiskFolder {
    return new NodeDiskFolder(path, "open");
  }

  async openFolderLater(path: string): Promise<DiskFolder> {
    return this.openFolder(path);
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

/** Windows numbers its files beyond 2^53: then only large integers tell. */
function identityOf({ dev, ino }: fs.BigIntStats | fs.Stats): string {
  return `${dev}:${ino}`;
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): EntryKind {
  if (entry.isFile()) return "file";
  return entry.isDirectory() ? "folder" : "other";
}
