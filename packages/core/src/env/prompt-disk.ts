/**
 * A disk that holds the thread up while it syncs. Syncs under way at once end in an order that the device chooses, and with it
 * the order of all that waits for them; here each is over before the next is asked for, so that equal calls have equal ends.
 */
import type { DiskFile, DiskFolder, OpenFileOptions } from "./disk.ts";
import { ForwardingDisk } from "./forwarding-disk.ts";

export class PromptDisk extends ForwardingDisk {
  override openFile(path: string, options?: OpenFileOptions): DiskFile {
    return new PromptFile(this.disk.openFile(path, options));
  }

  override async syncFolderLater(path: string): Promise<void> {
    this.disk.syncFolder(path);
  }

  override openFolder(path: string): DiskFolder {
    return new PromptFolder(this.disk.openFolder(path));
  }

  override async openFolderLater(path: string): Promise<DiskFolder> {
    return this.openFolder(path);
  }
}

class PromptFile implements DiskFile {
  readonly path: string;
  readonly identity: string;
  readonly #file: DiskFile;

  constructor(file: DiskFile) {
    this.path = file.path;
    this.identity = file.identity;
    this.#file = file;
  }

  sizeBytes(): number {
    return this.#file.sizeBytes();
  }

  writeAt(position: number, bytes: Uint8Array): void {
    this.#file.writeAt(position, bytes);
  }

  readAt(position: number, lengthBytes: number): Buffer {
    return this.#file.readAt(position, lengthBytes);
  }

  truncate(sizeBytes: number): void {
    this.#file.truncate(sizeBytes);
  }

  async sync(): Promise<void> {
    this.#file.syncNow();
  }

  syncNow(): void {
    this.#file.syncNow();
  }

  close(): void {
    this.#file.close();
  }
}

class PromptFolder implements DiskFolder {
  readonly #folder: DiskFolder;

  constructor(folder: DiskFolder) {
    this.#folder = folder;
  }

  async sync(): Promise<void> {
    this.#folder.syncNow();
  }

  syncNow(): void {
    this.#folder.syncNow();
  }

  close(): void {
    this.#folder.close();
  }
}
