/**
 * A disk that passes a fault point before and after each change, whatever it is for.
 *
 * Invariants: an error before a change is a change that was not done (a short write: not whole); one after it, a change that was
 * done and reported as failed, as devices do. To open what is there, and to make a folder that is there, are no changes.
 * Never: a promise of Disk that holds on the disk below only.
 */
import type { Disk, DiskFile, DiskFolder, OpenFileOptions } from "./disk.ts";
import { DiskPasses, type SiteOfPath } from "./disk-passes.ts";
import { FaultDiskFile } from "./fault-disk-file.ts";
import { FaultDiskFolder } from "./fault-disk-folder.ts";
import type { FaultPoints } from "./fault-points.ts";
import { ForwardingDisk } from "./forwarding-disk.ts";

export class FaultDisk extends ForwardingDisk {
  readonly #passes: DiskPasses;

  /** `siteOf` tells whose file lies at a path, for rules that ask for it. */
  constructor(disk: Disk, faults: FaultPoints, siteOf: SiteOfPath = () => undefined) {
    super(disk);
    this.#passes = new DiskPasses(faults, siteOf);
  }

  override openFile(path: string, options: OpenFileOptions = {}): DiskFile {
    const creates = this.#passes.isWatched && options.create !== undefined && this.disk.stat(path) === null;
    if (creates) this.#passes.before("create", path);
    const file = this.disk.openFile(path, options);
    try {
      if (creates) this.#passes.after("create", path);
    } catch (problem) {
      file.close();
      throw problem;
    }
    return new FaultDiskFile(file, this.#passes);
  }

  override makeFolder(path: string): readonly string[] {
    const make = () => this.disk.makeFolder(path);
    const changes = this.#passes.isWatched && this.disk.stat(path) === null;
    return changes ? this.#passes.around("make_folder", path, make) : make();
  }

  override rename(from: string, to: string): void {
    this.#passes.around("rename", from, () => this.disk.rename(from, to));
  }

  override remove(path: string): void {
    this.#passes.around("remove", path, () => this.disk.remove(path));
  }

  override removeFolder(path: string): void {
    this.#passes.around("remove_folder", path, () => this.disk.removeFolder(path));
  }

  override syncFolder(path: string): void {
    this.#passes.around("sync_folder", path, () => this.disk.syncFolder(path));
  }

  override syncFolderLater(path: string): Promise<void> {
    return this.#passes.aroundLater("sync_folder", path, () => this.disk.syncFolderLater(path));
  }

  override openFolder(path: string): DiskFolder {
    return new FaultDiskFolder(path, this.disk.openFolder(path), this.#passes);
  }

  override async openFolderLater(path: string): Promise<DiskFolder> {
    return new FaultDiskFolder(path, await this.disk.openFolderLater(path), this.#passes);
  }
}
