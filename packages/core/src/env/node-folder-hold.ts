/** How a process holds a folder on each system, so that the hold ends with the process, however that ends. */
import fs from "node:fs";
import { DiskError } from "./disk.ts";
import { type FolderHold, HOLD_FILE_NAME, holdSocket } from "./folder-lock.ts";
import { asDiskError, onDisk } from "./node-disk-calls.ts";

const { O_CREAT, O_RDWR } = fs.constants;
/** Windows has none. */
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0;
/** Takes a lock that ends with the descriptor. macOS and the BSDs have it, Node has no name for it. */
const O_EXLOCK = 0x20;
/**
 * All that a socket's address has room for. Node 20 pads a shorter abstract name with zeros and later versions don't: two
 * brokers under different versions would hold the same folder under two names.
 */
const ABSTRACT_NAME_BYTES = 108;

/** By device and inode, so that no second path to the folder leads past the hold. */
export function holdFolder(folder: string): Promise<FolderHold | null> {
  const { dev, ino } = onDisk("lock", folder, () => fs.statSync(folder, { bigint: true }));
  const name = `minikafka-${dev}-${ino}`;
  switch (process.platform) {
    case "linux":
    case "android":
      return holdSocket(folder, `\0${name}`.padEnd(ABSTRACT_NAME_BYTES, "-"));
    case "win32":
      return holdSocket(folder, `\\\\.\\pipe\\${name}`);
    case "darwin":
    case "freebsd":
    case "openbsd":
    case "netbsd":
      return holdFile(`${folder}/${HOLD_FILE_NAME}`);
    default:
      throw new DiskError("lock", folder, "ENOSYS");
  }
}

/** A hold by an open file. The file is never removed: whoever opened the removed one would hold nothing. */
async function holdFile(path: string): Promise<FolderHold | null> {
  let descriptor: number | null;
  try {
    descriptor = fs.openSync(path, O_RDWR | O_CREAT | O_EXLOCK | O_NONBLOCK);
  } catch (problem) {
    const error = asDiskError("lock", path, problem);
    if (error.code === "EAGAIN") return null;
    throw error;
  }
  return {
    isHeld: () => descriptor !== null,
    async end() {
      if (descriptor !== null) fs.closeSync(descriptor);
      descriptor = null;
    },
  };
}
