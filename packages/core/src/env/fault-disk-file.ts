/** A file of a FaultDisk. A sync that is delayed or held is one under way: closing the file lets it finish. */
import { DiskError, type DiskFile, type DiskOperationName } from "./disk.ts";
import type { DiskPasses } from "./disk-passes.ts";
import { LateClose } from "./late-close.ts";

export class FaultDiskFile implements DiskFile {
  readonly path: string;
  readonly identity: string;
  readonly #file: DiskFile;
  readonly #passes: DiskPasses;
  readonly #closing: LateClose;

  constructor(file: DiskFile, passes: DiskPasses) {
    this.path = file.path;
    this.identity = file.identity;
    this.#file = file;
    this.#passes = passes;
    this.#closing = new LateClose(() => file.close());
  }

  sizeBytes(): number {
    return this.#open("stat").sizeBytes();
  }

  readAt(position: number, lengthBytes: number): Buffer {
    return this.#open("read").readAt(position, lengthBytes);
  }

  writeAt(position: number, bytes: Uint8Array): void {
    const file = this.#open("write");
    const write = () => file.writeAt(position, bytes);
    const part = (bytesWritten: number) => file.writeAt(position, bytes.subarray(0, bytesWritten));
    this.#passes.around("write", this.path, write, part);
  }

  truncate(sizeBytes: number): void {
    const file = this.#open("truncate");
    this.#passes.around("truncate", this.path, () => file.truncate(sizeBytes));
  }

  sync(): Promise<void> {
    if (this.#closing.isClosed) return Promise.reject(this.#isGone("sync"));
    if (!this.#passes.isWatched) return this.#file.sync();
    const sync = () => this.#passes.aroundLater("sync", this.path, () => this.#file.sync());
    return this.#closing.during(sync);
  }

  syncNow(): void {
    const file = this.#open("sync");
    this.#passes.around("sync", this.path, () => file.syncNow());
  }

  close(): void {
    this.#closing.close();
  }

  #open(operation: DiskOperationName): DiskFile {
    if (this.#closing.isClosed) throw this.#isGone(operation);
    return this.#file;
  }

  #isGone(operation: DiskOperationName): DiskError {
    return new DiskError(operation, this.path, "EBADF");
  }
}
