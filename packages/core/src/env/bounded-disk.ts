/**
 * A disk that holds few descriptors, however many files are open on it: thousands of partitions share one budget.
 *
 * Owns: the budget. A file that is not used gives its descriptor up when another one needs it, and gets a new one with its
 * next use (bounded-disk-file.ts says what is done so that this costs no durability); syncs off the thread, each of which
 * holds a descriptor for as long as the device takes, wait for each other.
 * Invariants: no more than `openFilesMax` descriptors at once, unless so many files are being synced; when the system has
 * none left all the same (EMFILE, ENFILE), idle files give up theirs, and the call is made once more.
 * Never: a promise of Disk that holds for fewer files only.
 */
import { assert } from "../assert.ts";
import { BoundedDiskFile } from "./bounded-disk-file.ts";
import type { Disk, DiskFile, DiskFolder, FolderEntry, OpenFileOptions } from "./disk.ts";
import { ForwardingDisk } from "./forwarding-disk.ts";
import { LateClose } from "./late-close.ts";
import { OpenFiles } from "./open-files.ts";
import { Places } from "./places.ts";

export const OPEN_FILES_MIN = 4;
/** More at once do not make a device faster, nor does Node ask it for more than four at once by itself. */
const SYNCS_AT_ONCE_MAX = 16;

export class BoundedDisk extends ForwardingDisk {
  readonly #files: OpenFiles;
  readonly #places: Places;

  constructor(disk: Disk, openFilesMax: number) {
    super(disk);
    assert(openFilesMax >= OPEN_FILES_MIN, `a disk cannot do with ${openFilesMax} open files`);
    const syncsMax = Math.min(Math.floor(openFilesMax / 4), SYNCS_AT_ONCE_MAX);
    this.#places = new Places(syncsMax);
    // What remains is for the folders that are being synced, and for one that is being read.
    this.#files = new OpenFiles(openFilesMax - syncsMax - 1);
  }

  override openFile(path: string, options: OpenFileOptions = {}): DiskFile {
    const file = this.#files.open(() => this.disk.openFile(path, options));
    const parts = { disk: this.disk, files: this.#files, places: this.#places };
    return new BoundedDiskFile(file, { ...parts, readOnly: options.readOnly ?? false });
  }

  override readFolder(path: string): readonly FolderEntry[] {
    return this.#relieved(() => this.disk.readFolder(path));
  }

  override syncFolder(path: string): void {
    this.#relieved(() => this.disk.syncFolder(path));
  }

  override async syncFolderLater(path: string): Promise<void> {
    const folder = await this.openFolderLater(path);
    try {
      await folder.sync();
    } finally {
      folder.close();
    }
  }

  override openFolder(path: string): DiskFolder {
    return this.#relieved(() => this.disk.openFolder(path));
  }

  override async openFolderLater(path: string): Promise<DiskFolder> {
    if (!this.#places.tryTake()) await this.#places.take();
    try {
      return new PlacedFolder(this.openFolder(path), this.#places);
    } catch (problem) {
      this.#places.give();
      throw problem;
    }
  }

  #relieved<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (problem) {
      if (!this.#files.makesRoomFor(problem)) throw problem;
      return act();
    }
  }
}

/** A folder that is synced in a place of its own, which it gives back when nothing is done with it any more. */
class PlacedFolder implements DiskFolder {
  readonly #folder: DiskFolder;
  readonly #place: LateClose;

  constructor(folder: DiskFolder, places: Places) {
    this.#folder = folder;
    this.#place = new LateClose(() => places.give());
  }

  sync(): Promise<void> {
    return this.#place.during(() => this.#folder.sync());
  }

  syncNow(): void {
    this.#folder.syncNow();
  }

  close(): void {
    this.#folder.close();
    this.#place.close();
  }
}
