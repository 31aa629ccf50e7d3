/** A handle to a file of a memory disk. It lives until it is closed or the disk crashes. */
import { assert } from "../assert.ts";
import { DiskError, type DiskFile, type DiskOperationName } from "./disk.ts";
import type { DiskGate } from "./disk-gate.ts";
import type { MemoryFile } from "./memory-nodes.ts";

export class MemoryDiskFile implements DiskFile {
  readonly path: string;
  readonly #gate: DiskGate;
  readonly #file: MemoryFile;
  readonly #life: number;
  readonly #readOnly: boolean;
  #isClosed = false;

  constructor(path: string, gate: DiskGate, file: MemoryFile, readOnly: boolean) {
    this.path = path;
    this.#gate = gate;
    this.#file = file;
    this.#life = gate.life;
    this.#readOnly = readOnly;
    gate.noteOpened();
  }

  get identity(): string {
    return this.#file.identity;
  }

  sizeBytes(): number {
    this.#requireOpen("stat");
    this.#gate.pass("stat", this.path);
    return this.#file.sizeBytes;
  }

  readAt(position: number, lengthBytes: number): Buffer {
    requireCount(position);
    requireCount(lengthBytes);
    this.#requireOpen("read");
    this.#gate.pass("read", this.path);
    return this.#file.read(position, lengthBytes);
  }

  writeAt(position: number, bytes: Uint8Array): void {
    requireCount(position);
    this.#requireWritable("write");
    if (bytes.length === 0) return;
    this.#gate.begin({ kind: "write", path: this.path, position, bytes }, ({ order }) => {
      this.#file.write(position, bytes.subarray(0, order.bytesWritten ?? 0));
    });
    this.#file.write(position, bytes);
  }

  truncate(sizeBytes: number): void {
    requireCount(sizeBytes);
    this.#requireWritable("truncate");
    this.#gate.begin({ kind: "truncate", path: this.path, sizeBytes });
    this.#file.truncate(sizeBytes);
  }

  async sync(): Promise<void> {
    this.#requireOpen("sync");
    const turn = this.#file.lastTurn;
    await this.#gate.syncTime("sync", this.path);
    this.#syncUpTo(turn);
  }

  syncNow(): void {
    this.#requireOpen("sync");
    this.#syncUpTo(this.#file.lastTurn);
  }

  close(): void {
    if (!this.#isClosed) this.#gate.noteClosed(this.#life);
    this.#isClosed = true;
  }

  #syncUpTo(turn: number): void {
    this.#gate.begin({ kind: "sync", path: this.path }, () => this.#file.failSync(turn));
    this.#file.finishSync(turn);
  }

  #requireWritable(operation: DiskOperationName): void {
    this.#requireOpen(operation);
    if (this.#readOnly) throw new DiskError(operation, this.path, "EBADF");
  }

  #requireOpen(operation: DiskOperationName): void {
    if (this.#isClosed || this.#life !== this.#gate.life) throw new DiskError(operation, this.path, "EBADF");
  }
}

function requireCount(count: number): void {
  assert(Number.isSafeInteger(count) && count >= 0, `a position or a size in a file is ${count}`);
}
