/** A folder that is open on a FaultDisk. As with files, closing it lets a sync finish that is delayed or held. */
import { DiskError, type DiskFolder } from "./disk.ts";
import type { DiskPasses } from "./disk-passes.ts";
import { LateClose } from "./late-close.ts";

export class FaultDiskFolder implements DiskFolder {
  readonly #path: string;
  readonly #folder: DiskFolder;
  readonly #passes: DiskPasses;
  readonly #closing: LateClose;

  constructor(path: string, folder: DiskFolder, passes: DiskPasses) {
    this.#path = path;
    this.#folder = folder;
    this.#passes = passes;
    this.#closing = new LateClose(() => folder.close());
  }

  sync(): Promise<void> {
    if (this.#closing.isClosed) return Promise.reject(this.#isGone());
    if (!this.#passes.isWatched) return this.#folder.sync();
    const sync = () => this.#passes.aroundLater("sync_folder", this.#path, () => this.#folder.sync());
    return this.#closing.during(sync);
  }

  syncNow(): void {
    if (this.#closing.isClosed) throw this.#isGone();
    this.#passes.around("sync_folder", this.#path, () => this.#folder.syncNow());
  }

  close(): void {
    this.#closing.close();
  }

  #isGone(): DiskError {
    return new DiskError("syncFolder", this.#path, "EBADF");
  }
}
