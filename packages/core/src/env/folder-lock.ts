/**
 * One process at a time in a data folder. Two parts:
 *   - the hold, which decides. The operating system gives it to one process and takes it back when that process is gone,
 *     also by kill -9, so that nothing has to be judged stale. Who holds is never read from a file.
 *   - the `lock` file, which only tells people who holds. It is written after the hold was won and removed before it ends;
 *     one that a killed process left is overwritten.
 *
 * A hold reaches as far as one running system: it says nothing to another machine on a shared file system, nor on Linux
 * to a container with a network of its own.
 */
import { createServer } from "node:net";
import { hostname } from "node:os";
import { posix } from "node:path";
import { LIMITS } from "../limits.ts";
import {
  type Disk,
  DiskError,
  FolderHeldError,
  type FolderLock,
  type LockHolder,
  readSmallFile,
} from "./disk.ts";

/** The files that a lock may leave in a folder. `lock.hold` is there on macOS and the BSDs only, and stays. */
export const LOCK_FILE_NAME = "lock";
export const HOLD_FILE_NAME = "lock.hold";

export interface FolderHold {
  /** False once a (simulated) crash has given the folder to others. */
  isHeld(): boolean;
  end(): Promise<void>;
}

/** Wins the hold by `hold`, which gives `null` while another has it, and puts the holder's name in the folder. */
export async function lockFolder(
  disk: Disk,
  folder: string,
  startedAtMs: number,
  hold: () => Promise<FolderHold | null>,
): Promise<FolderLock> {
  const path = posix.join(folder, LOCK_FILE_NAME);
  const held = await hold();
  if (held === null) throw new FolderHeldError(folder, readHolder(disk, path));
  try {
    writeHolder(disk, path, { pid: process.pid, startedAtMs, host: hostname() });
  } catch (problem) {
    await held.end();
    throw problem;
  }
  return {
    folder,
    async release() {
      if (!held.isHeld()) return;
      try {
        if (disk.stat(path) !== null) disk.remove(path);
      } finally {
        await held.end();
      }
    },
  };
}

/**
 * A hold by a listening socket without a file: an abstract one on Linux, a named pipe on Windows. The system gives a name
 * to one listener only. Nobody is ever answered on it.
 */
export function holdSocket(folder: string, socketName: string): Promise<FolderHold | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    let isHeld = true;
    const end = () => {
      isHeld = false;
      return new Promise<void>((ended) => server.close(() => ended()));
    };
    server.once("error", (problem: NodeJS.ErrnoException) => {
      if (problem.code === "EADDRINUSE") resolve(null);
      else reject(new DiskError("lock", folder, problem.code ?? "EIO", { cause: problem }));
    });
    // Without `exclusive` a worker of a cluster would share its parent's socket, and both would hold.
    server.listen({ path: socketName, exclusive: true }, () => resolve({ isHeld: () => isHeld, end }));
    server.unref();
  });
}

function writeHolder(disk: Disk, path: string, holder: LockHolder): void {
  const file = disk.openFile(path, { create: "if-missing" });
  try {
    file.truncate(0);
    const { pid, startedAtMs, host } = holder;
    file.writeAt(0, Buffer.from(`${JSON.stringify({ pid, started_at: startedAtMs, host })}\n`));
  } finally {
    file.close();
  }
}

/** `null` for a file that is missing, half written or not readable: the refusal is certain, the name is a courtesy. */
function readHolder(disk: Disk, path: string): LockHolder | null {
  try {
    const value: unknown = JSON.parse(
      readSmallFile(disk, path, LIMITS.lockFileBytesMax)?.toString("utf8") ?? "null",
    );
    if (typeof value !== "object" || value === null) return null;
    if (!("pid" in value) || !("started_at" in value) || !("host" in value)) return null;
    const { pid, started_at: startedAtMs, host } = value;
    if (typeof pid !== "number" || typeof startedAtMs !== "number" || typeof host !== "string") return null;
    return { pid, startedAtMs, host };
  } catch (problem) {
    if (problem instanceof DiskError || problem instanceof SyntaxError) return null;
    throw problem;
  }
}
