/** A disk that does what another one does; who does something differently extends it. */
import type {
  Disk,
  DiskEntry,
  DiskFile,
  DiskFolder,
  FolderEntry,
  FolderLock,
  OpenFileOptions,
} from "./disk.ts";

export class ForwardingDisk implements Disk {
  protected readonly disk: Disk;

  constructor(disk: Disk) {
    this.disk = disk;
  }

  openFile(path: string, options?: OpenFileOptions): DiskFile {
    return this.disk.openFile(path, options);
  }

  stat(path: string): DiskEntry | null {
    return this.disk.stat(path);
  }

  readFolder(path: string): readonly FolderEntry[] {
    return this.disk.readFolder(path);
  }

  makeFolder(path: string): readonly string[] {
    return this.disk.makeFolder(path);
  }

  rename(from: string, to: string): void {
    this.disk.rename(from, to);
  }

  remove(path: string): void {
    this.disk.remove(path);
  }

  removeFolder(path: string): void {
    this.disk.removeFolder(path);
  }

  syncFolder(path: string): void {
    this.disk.syncFolder(path);
  }

  syncFolderLater(path: string): Promise<void> {
    return this.disk.syncFolderLater(path);
  }

  openFolder(path: string): DiskFolder {
    return this.disk.openFolder(path);
  }

  openFolderLater(path: string): Promise<DiskFolder> {
    return this.disk.openFolderLater(path);
  }

  lock(folder: string, startedAtMs: number): Promise<FolderLock> {
    return this.disk.lock(folder, startedAtMs);
  }
}
