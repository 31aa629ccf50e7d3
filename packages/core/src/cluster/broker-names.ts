/**
 * The names in a broker's folder: those of its partitions' folders, and of its own files.
 *
 * All who make, rename or remove one share the folder's syncs, and with them their failures: where one fails, the system may have
 * dropped what anybody had changed there so far, and the next sync succeeds without it. So it counts them, for those whose
 * work takes more than a turn; who has changed a name and synced it in one turn hears of no other's.
 *
 * Owns: the count.
 * Never: a sync for want of descriptors taken for one that failed: it was never begun.
 */
import { posix } from "node:path";
import type { Disk, DiskFolder, EntryKind } from "../env/disk.ts";
import { ForwardingDisk } from "../env/forwarding-disk.ts";
import { storageError } from "../errors.ts";
import { isFailedSync } from "../log/parts/sync-doubt.ts";
import { isMark } from "./broker-marks.ts";

/** Is the disk too, for those who sync the folder among other things. */
export class BrokerNames extends ForwardingDisk {
  readonly folder: string;
  #failedSyncs = 0;

  constructor(folder: string, disk: Disk) {
    super(disk);
    this.folder = folder;
  }

  /** How many syncs of the folder have failed. */
  get failedSyncs(): number {
    return this.#failedSyncs;
  }

  /** What lies in the folder, but for the broker's own files. Throws DiskError. */
  entries(): { readonly path: string; readonly name: string; readonly kind: EntryKind }[] {
    return this.readFolder(this.folder)
      .filter(({ name }) => !isMark(name))
      .map(({ name, kind }) => ({ path: posix.join(this.folder, name), name, kind }));
  }

  /** Makes what was changed in this turn durable. Throws DiskError. */
  sync(): void {
    this.syncFolder(this.folder);
  }

  /** Makes durable what was changed since `failedSyncs` was as given. Rejects with DiskError; STORAGE_ERROR when a sync has failed since. */
  async syncSince(failedSyncs: number): Promise<void> {
    await this.syncFolderLater(this.folder);
    if (failedSyncs === this.#failedSyncs) return;
    throw storageError("a sync of the folder failed meanwhile, and may have lost what was changed in it", {
      file: this.folder,
    });
  }

  override syncFolder(path: string): void {
    this.#counted(path, () => this.disk.syncFolder(path));
  }

  override syncFolderLater(path: string): Promise<void> {
    return this.#countedLater(path, this.disk.syncFolderLater(path));
  }

  override openFolder(path: string): DiskFolder {
    return this.#watched(path, this.disk.openFolder(path));
  }

  override async openFolderLater(path: string): Promise<DiskFolder> {
    return this.#watched(path, await this.disk.openFolderLater(path));
  }

  #watched(path: string, opened: DiskFolder): DiskFolder {
    return {
      sync: () => this.#countedLater(path, opened.sync()),
      syncNow: () => this.#counted(path, () => opened.syncNow()),
      close: () => opened.close(),
    };
  }

  #counted(path: string, sync: () => void): void {
    try {
      sync();
    } catch (problem) {
      this.#failed(path, problem);
      throw problem;
    }
  }

  async #countedLater(path: string, synced: Promise<void>): Promise<void> {
    try {
      await synced;
    } catch (problem) {
      this.#failed(path, problem);
      throw problem;
    }
  }

  #failed(path: string, problem: unknown): void {
    if (path === this.folder && isFailedSync(problem)) this.#failedSyncs++;
  }
}
