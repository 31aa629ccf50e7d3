/** A folder of a memory disk that is open for being synced. It lives until it is closed or the disk crashes. */
import { DiskError, type DiskFolder } from "./disk.ts";
import type { DiskGate } from "./disk-gate.ts";
import type { MemoryFolder } from "./memory-nodes.ts";

export class MemoryDiskFolder implements DiskFolder {
  readonly #path: string;
  readonly #gate: DiskGate;
  readonly #folder: MemoryFolder;
  readonly #life: number;
  #isClosed = false;

  constructor(path: string, gate: DiskGate, folder: MemoryFolder) {
    this.#path = path;
    this.#gate = gate;
    this.#folder = folder;
    this.#life = gate.life;
    gate.noteOpened();
  }

  async sync(): Promise<void> {
    this.#requireOpen();
    const turn = this.#folder.lastTurn;
    await this.#gate.syncTime("syncFolder", this.#path);
    this.#syncUpTo(turn);
  }

  syncNow(): void {
    this.#requireOpen();
    this.#syncUpTo(this.#folder.lastTurn);
  }

  close(): void {
    if (!this.#isClosed) this.#gate.noteClosed(this.#life);
    this.#isClosed = true;
  }

  #syncUpTo(turn: number): void {
    this.#gate.begin({ kind: "syncFolder", path: this.#path }, () => this.#folder.failSync(turn));
    this.#folder.finishSync(turn);
  }

  #requireOpen(): void {
    if (this.#isClosed || this.#life !== this.#gate.life)
      throw new DiskError("syncFolder", this.#path, "EBADF");
  }
}
