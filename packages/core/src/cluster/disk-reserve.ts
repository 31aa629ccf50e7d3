/**
 * A few bytes put by for the day on which the disk is full: whoever deletes something first has to write that he does, and
 * whoever starts or stops cleanly has to write as well.
 *
 * Owns: the file `reserve` in the data folder. What is in it means nothing.
 * Invariant: it is given up for nothing but that, and made again with the next deletion, or opening, that finds room for it.
 * Never: a failure of its own; a disk on which it cannot be made is as before.
 */
import { posix } from "node:path";
import { type Disk, DiskError } from "../env/disk.ts";
import { isDiskFull } from "../env/disk-answer.ts";

export const RESERVE_FILE_NAME = "reserve";
/** A smaller one is good for nothing. */
const SIZE_BYTES_MIN = 4096;

export class DiskReserve {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #sizeBytes: number;
  /** It was given up, or made smaller for want of room. */
  #isShort = false;

  /** `sizeBytes` 0: there is no reserve. */
  constructor(disk: Disk, dataFolder: string, sizeBytes: number) {
    this.#disk = disk;
    this.#path = posix.join(dataFolder, RESERVE_FILE_NAME);
    this.#sizeBytes = sizeBytes;
  }

  /** Makes the file, or a smaller one where there is no room for it whole; unless it is there, or the disk refuses. */
  fill(): void {
    if (this.#sizeBytes === 0) return;
    try {
      if (this.#disk.stat(this.#path)?.sizeBytes === this.#sizeBytes) return;
      for (
        let sizeBytes = this.#sizeBytes;
        sizeBytes >= SIZE_BYTES_MIN;
        sizeBytes = Math.floor(sizeBytes / 2)
      )
        if (this.#make(sizeBytes)) return;
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
    }
    this.#give();
  }

  /** Returns false when there is no room for it. Throws DiskError. */
  #make(sizeBytes: number): boolean {
    const file = this.#disk.openFile(this.#path, { create: "if-missing" });
    try {
      file.truncate(0);
      file.writeAt(0, Buffer.alloc(sizeBytes));
      // Some systems look for the place of what was written only now.
      file.syncNow();
      this.#isShort = sizeBytes < this.#sizeBytes;
      return true;
    } catch (problem) {
      if (isDiskFull(problem)) return false;
      throw problem;
    } finally {
      file.close();
    }
  }

  /**
   * Does `act`, which makes room or is the last that is done; where it fails for want of room, once more without the reserve. It
   * must have changed nothing then. In one go, so that nobody else takes the room.
   */
  spend(act: () => void): void {
    try {
      act();
    } catch (problem) {
      if (!isDiskFull(problem) || !this.#give()) throw problem;
      act();
    }
  }

  /** The same for what waits: it may be that somebody else takes the room. Afterwards the reserve is put by again. */
  async spendLater<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = await act().catch((problem: unknown) => {
      if (!isDiskFull(problem) || !this.#give()) throw problem;
      return act();
    });
    if (this.#isShort) this.fill();
    return result;
  }

  /** Returns whether it is given up, now or since it was last there. */
  #give(): boolean {
    try {
      if (this.#disk.stat(this.#path) === null) return this.#isShort;
      this.#disk.remove(this.#path);
      this.#isShort = true;
      return true;
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
      return false;
    }
  }
}
