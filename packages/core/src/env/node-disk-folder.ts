/**
 * A folder of the real disk that is open for being synced.
 *
 * Owns: the descriptor; none on Windows, which has no way to sync a folder (node-disk.ts).
 */
import fs from "node:fs";
import { DiskError, type DiskFolder, type DiskOperationName } from "./disk.ts";
import { LateClose } from "./late-close.ts";
import { closeQuietly, onDisk, onDiskLater } from "./node-disk-calls.ts";

const { O_RDONLY } = fs.constants;
/** What lies there may be a pipe, whose other end nobody opens. */
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0;

export class NodeDiskFolder implements DiskFolder {
  readonly #path: string;
  readonly #descriptor: number | null;
  readonly #closing: LateClose;

  /** `operation` is what the caller was asked for. Throws DiskError. */
  constructor(path: string, operation: DiskOperationName) {
    const open = () => fs.openSync(path, O_RDONLY | O_NONBLOCK);
    this.#path = path;
    const descriptor = process.platform === "win32" ? null : onDisk(operation, path, open);
    this.#descriptor = descriptor;
    this.#closing = new LateClose(() => {
      if (descriptor !== null) closeQuietly(descriptor);
    });
  }

  async sync(): Promise<void> {
    const descriptor = this.#opened();
    if (descriptor === null) return;
    try {
      await this.#closing.during(() =>
        onDiskLater("syncFolder", this.#path, (end) => fs.fsync(descriptor, end)),
      );
    } catch (problem) {
      ignoreNoFolderSync(problem);
    }
  }

  syncNow(): void {
    const descriptor = this.#opened();
    if (descriptor === null) return;
    try {
      onDisk("syncFolder", this.#path, () => fs.fsyncSync(descriptor));
    } catch (problem) {
      ignoreNoFolderSync(problem);
    }
  }

  close(): void {
    this.#closing.close();
  }

  #opened(): number | null {
    if (this.#closing.isClosed) throw new DiskError("syncFolder", this.#path, "EBADF");
    return this.#descriptor;
  }
}

/** Some file systems refuse to sync any folder and say so by EINVAL or EBADF; there is nothing better to do there. */
function ignoreNoFolderSync(problem: unknown): void {
  if (problem instanceof DiskError && (problem.code === "EINVAL" || problem.code === "EBADF")) return;
  throw problem;
}
