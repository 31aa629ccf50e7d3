/**
 * A file of the real disk.
 *
 * Owns: the descriptor.
 * Invariants: it is given back only when no sync of it is under way, since its number could by then be another file's; reads
 * and writes go on until they are whole.
 */
import fs from "node:fs";
import { assert } from "../assert.ts";
import { DiskError, type DiskFile, type DiskOperationName } from "./disk.ts";
import { LateClose } from "./late-close.ts";
import { closeQuietly, onDisk, onDiskLater } from "./node-disk-calls.ts";

export class NodeDiskFile implements DiskFile {
  readonly path: string;
  readonly identity: string;
  readonly #descriptor: number;
  readonly #closing: LateClose;

  constructor(path: string, identity: string, descriptor: number) {
    this.path = path;
    this.identity = identity;
    this.#descriptor = descriptor;
    this.#closing = new LateClose(() => closeQuietly(descriptor));
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
    await this.#closing.during(() => onDiskLater("sync", this.path, (end) => fs.fdatasync(descriptor, end)));
  }

  syncNow(): void {
    const descriptor = this.#open("sync");
    onDisk("sync", this.path, () => fs.fdatasyncSync(descriptor));
  }

  close(): void {
    this.#closing.close();
  }

  #open(operation: DiskOperationName): number {
    if (this.#closing.isClosed) throw new DiskError(operation, this.path, "EBADF");
    return this.#descriptor;
  }
}

function requireCount(count: number): void {
  assert(Number.isSafeInteger(count) && count >= 0, `a position or a size in a file is ${count}`);
}
