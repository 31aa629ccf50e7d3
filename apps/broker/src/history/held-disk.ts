/**
 * A disk whose data folder stays held while one cluster goes and another one comes in its place.
 *
 * Owns the hold, which tells people since when the process runs: a stepped clock says nothing of that.
 */
import { type Disk, type FolderLock, ForwardingDisk } from "@minikafka/core";

export class HeldDisk extends ForwardingDisk {
  #held: FolderLock | null = null;
  /** Whoever lets go is not the last one. */
  #isKept = false;
  readonly #startedAtMs: number;

  constructor(disk: Disk, startedAtMs: number) {
    super(disk);
    this.#startedAtMs = startedAtMs;
  }

  override async lock(folder: string): Promise<FolderLock> {
    this.#held ??= await this.disk.lock(folder, this.#startedAtMs);
    const held = this.#held;
    return { folder, release: () => this.#release(held) };
  }

  /** During `act` the folder is held, whoever lets go of it. */
  async keep<Result>(act: () => Promise<Result>): Promise<Result> {
    this.#isKept = true;
    try {
      return await act();
    } finally {
      this.#isKept = false;
    }
  }

  /** Lets go, also when no cluster has come. */
  async letGo(): Promise<void> {
    if (this.#held !== null) await this.#release(this.#held);
  }

  async #release(held: FolderLock): Promise<void> {
    if (this.#isKept || held !== this.#held) return;
    this.#held = null;
    await held.release();
  }
}
