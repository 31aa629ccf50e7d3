/**
 * A disk that passes a fault point before and after each change, whatever it is for.
 *
 * Invariants: an error before a change is a change that was not done (a short write: not whole); one after it, a change that was
 * done and reported as failed, as devices do. To open what is there, and to make a folder that is there, are no changes. With
 * nothing armed and nothing counted, a change costs one comparison.
 * Never: a promise of Disk that holds on the disk below only.
 */
import type {
  Disk,
  DiskEntry,
  DiskFile,
  DiskFolder,
  FolderEntry,
  FolderLock,
  OpenFileOptions,
} from "./disk.ts";
import { DiskPasses, type SiteOfPath } from "./disk-passes.ts";
import { FaultDiskFile } from "./fault-disk-file.ts";
import { FaultDiskFolder } from "./fault-disk-folder.ts";
import type { FaultDiskOperation } from "./fault-point.ts";
import type { FaultPoints } from "./fault-points.ts";

export class FaultDisk implements Disk {
  readonly #disk: Disk;
  readonly #passes: DiskPasses;

  /** `siteOf` tells whose file lies at a path, for rules that ask for it. */
  constructor(disk: Disk, faults: FaultPoints, siteOf: SiteOfPath = () => undefined) {
    this.#disk = disk;
    this.#passes = new DiskPasses(faults, siteOf);
  }

  openFile(path: string, options: OpenFileOptions = {}): DiskFile {
    const creates = this.#passes.isWatched && options.create !== undefined && this.#disk.stat(path) === null;
    if (creates) this.#passes.before("create", path);
    const file = this.#disk.openFile(path, options);
    try {
      if (creates) this.#passes.after("create", path);
    } catch (problem) {
      file.close();
      throw problem;
    }
    return new FaultDiskFile(file, this.#passes);
  }

  stat(path: string): DiskEntry | null {
    return this.#disk.stat(path);
  }

  readFolder(path: string): readonly FolderEntry[] {
    return this.#disk.readFolder(path);
  }

  makeFolder(path: string): readonly string[] {
    const make = () => this.#disk.makeFolder(path);
    const changes = this.#passes.isWatched && this.#disk.stat(path) === null;
    return changes ? this.#passes.around("make_folder", path, make) : make();
  }

  rename(from: string, to: string): void {
    this.#change("rename", from, () => this.#disk.rename(from, to));
  }

  remove(path: string): void {
    this.#change("remove", path, () => this.#disk.remove(path));
  }

  removeFolder(path: string): void {
    this.#change("remove_folder", path, () => this.#disk.removeFolder(path));
  }

  syncFolder(path: string): void {
    this.#change("sync_folder", path, () => this.#disk.syncFolder(path));
  }

  syncFolderLater(path: string): Promise<void> {
    const sync = () => this.#disk.syncFolderLater(path);
    return this.#passes.isWatched ? this.#passes.aroundLater("sync_folder", path, sync) : sync();
  }

  openFolder(path: string): DiskFolder {
    return new FaultDiskFolder(path, this.#disk.openFolder(path), this.#passes);
  }

  async openFolderLater(path: string): Promise<DiskFolder> {
    return new FaultDiskFolder(path, await this.#disk.openFolderLater(path), this.#passes);
  }

  lock(folder: string, startedAtMs: number): Promise<FolderLock> {
    return this.#disk.lock(folder, startedAtMs);
  }

  #change(operation: FaultDiskOperation, path: string, act: () => void): void {
    if (this.#passes.isWatched) this.#passes.around(operation, path, act);
    else act();
  }
}
