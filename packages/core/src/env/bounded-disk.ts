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
import type {
  Disk,
  DiskEntry,
  DiskFile,
  DiskFolder,
  FolderEntry,
  FolderLock,
  OpenFileOptions,
} from "./disk.ts";
import { OpenFiles } from "./open-files.ts";
import { Places } from "./places.ts";

export const OPEN_FILES_MIN = 4;
/** More at once do not make a device faster, nor does Node ask it for more than four at once by itself. */
const SYNCS_AT_ONCE_MAX = 16;

export class BoundedDisk implements Disk {
  readonly #disk: Disk;
  readonly #files: OpenFiles;
  readonly #places: Places;

  constructor(disk: Disk, openFilesMax: number) {
    assert(openFilesMax >= OPEN_FILES_MIN, `a disk cannot do with ${openFilesMax} open files`);
    const syncsMax = Math.min(Math.floor(openFilesMax / 4), SYNCS_AT_ONCE_MAX);
    this.#disk = disk;
    this.#places = new Places(syncsMax);
    // What remains is for the folders that are being synced, and for one that is being read.
    this.#files = new OpenFiles(openFilesMax - syncsMax - 1);
  }

  openFile(path: string, options: OpenFileOptions = {}): DiskFile {
    const file = this.#files.open(() => this.#disk.openFile(path, options));
    const parts = { disk: this.#disk, files: this.#files, places: this.#places };
    return new BoundedDiskFile(file, { ...parts, readOnly: options.readOnly ?? false });
  }

  stat(path: string): DiskEntry | null {
    return this.#disk.stat(path);
  }

  readFolder(path: string): readonly FolderEntry[] {
    return this.#relieved(() => this.#disk.readFolder(path));
  }

  makeFolder(path: string): readonly string[] {
    return this.#disk.makeFolder(path);
  }

  rename(from: string, to: string): void {
    this.#disk.rename(from, to);
  }

  remove(path: string): void {
    this.#disk.remove(path);
  }

  removeFolder(path: string): void {
    this.#disk.removeFolder(path);
  }

  syncFolder(path: string): void {
    this.#relieved(() => this.#disk.syncFolder(path));
  }

  async syncFolderLater(path: string): Promise<void> {
    const folder = await this.openFolderLater(path);
    try {
      await folder.sync();
    } finally {
      folder.close();
    }
  }

  openFolder(path: string): DiskFolder {
    return this.#relieved(() => this.#disk.openFolder(path));
  }

  async openFolderLater(path: string): Promise<DiskFolder> {
    if (!this.#places.tryTake()) await this.#places.take();
    try {
      return new PlacedFolder(this.openFolder(path), this.#places);
    } catch (problem) {
      this.#places.give();
      throw problem;
    }
  }

  lock(folder: string, startedAtMs: number): Promise<FolderLock> {
    return this.#disk.lock(folder, startedAtMs);
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
  readonly #places: Places;
  #syncsUnderWay = 0;
  #isClosed = false;
  #isPlaced = true;

  constructor(folder: DiskFolder, places: Places) {
    this.#folder = folder;
    this.#places = places;
  }

  async sync(): Promise<void> {
    this.#syncsUnderWay++;
    try {
      await this.#folder.sync();
    } finally {
      this.#syncsUnderWay--;
      this.#giveBackWhenDone();
    }
  }

  syncNow(): void {
    this.#folder.syncNow();
  }

  close(): void {
    this.#isClosed = true;
    this.#folder.close();
    this.#giveBackWhenDone();
  }

  #giveBackWhenDone(): void {
    if (!this.#isClosed || !this.#isPlaced || this.#syncsUnderWay > 0) return;
    this.#isPlaced = false;
    this.#places.give();
  }
}
