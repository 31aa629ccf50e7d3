/**
 * A few bytes put by for the day on which the disk is full: whatever deletes something first has to write that it does.
 *
 * Owns: the file `reserve` in the data folder. What is in it means nothing.
 * Invariant: it is given up for nothing but a change that makes room, and made again as soon as there is room for it.
 * Never: a failure of its own; a disk on which it cannot be made is as before.
 */
import { posix } from "node:path";
import { type Disk, DiskError } from "../env/disk.ts";
import { BrokerError } from "../errors.ts";

export const RESERVE_FILE_NAME = "reserve";

export class DiskReserve {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #sizeBytes: number;

  /** `sizeBytes` 0: there is no reserve. */
  constructor(disk: Disk, dataFolder: string, sizeBytes: number) {
    this.#disk = disk;
    this.#path = posix.join(dataFolder, RESERVE_FILE_NAME);
    this.#sizeBytes = sizeBytes;
  }

  /** Makes the file, unless it is there or the disk refuses. */
  fill(): void {
    if (this.#sizeBytes === 0) return;
    try {
      if (this.#disk.stat(this.#path)?.sizeBytes === this.#sizeBytes) return;
      const file = this.#disk.openFile(this.#path, { create: "if-missing" });
      try {
        file.truncate(0);
        file.writeAt(0, Buffer.alloc(this.#sizeBytes));
        // Some systems look for the place of what was written only now.
        file.syncNow();
      } finally {
        file.close();
      }
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
      this.#give();
    }
  }

  /**
   * Does `act`, which makes room in the end; where it fails for want of room, once more without the reserve. It must have
   * changed nothing then. In one go, so that nobody else takes the room.
   */
  makingRoom(act: () => void): void {
    try {
      act();
    } catch (problem) {
      if (!isDiskFull(problem) || !this.#give()) throw problem;
      act();
    }
  }

  /** Returns whether there was something to give. */
  #give(): boolean {
    try {
      if (this.#disk.stat(this.#path) === null) return false;
      this.#disk.remove(this.#path);
      return true;
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
      return false;
    }
  }
}

function isDiskFull(problem: unknown): boolean {
  const refusal = problem instanceof BrokerError ? problem.cause : problem;
  return refusal instanceof DiskError && (refusal.code === "ENOSPC" || refusal.code === "EDQUOT");
}
