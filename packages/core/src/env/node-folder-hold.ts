/** How a process holds a folder on each system, so that the hold ends with the process, however that ends. */
import fs from "node:fs";
import { DiskError } from "./disk.ts";
import { type FolderHold, HOLD_FILE_NAME, holdSocket } from "./folder-lock.ts";
import { asDiskError, onDisk } from "./node-disk-calls.ts";

const { O_CREAT, O_DIRECTORY, O_RDONLY, O_RDWR } = fs.constants;
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
  switch (process.platform) {
    case "linux":
    case "android":
      return holdOpened(folder);
    case "win32":
      return holdSocket(
        folder,
        `\\\\.\\pipe\\${nameOf(onDisk("lock", folder, () => fs.statSync(folder, { bigint: true })))}`,
      );
    case "darwin":
    case "freebsd":
    case "openbsd":
    case "netbsd":
      return holdFile(`${folder}/${HOLD_FILE_NAME}`);
    default:
      throw new DiskError("lock", folder, "ENOSYS");
  }
}

function nameOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `minikafka-${dev}-${ino}`;
}

/**
 * The folder is open as long as it is held: when somebody removes it, its number is given to no other meanwhile, which would seem to be
 * held as well.
 */
async function holdOpened(folder: string): Promise<FolderHold | null> {
  const opened = onDisk("lock", folder, () => fs.openSync(folder, O_RDONLY | O_DIRECTORY));
  let hold: FolderHold | null = null;
  try {
    const name = nameOf(fs.fstatSync(opened, { bigint: true }));
    hold = await holdSocket(folder, `\0${name}`.padEnd(ABSTRACT_NAME_BYTES, "-"));
  } finally {
    if (hold === null) fs.closeSync(opened);
  }
  if (hold === null) return null;
  const { isHeld, end } = hold;
  return {
    isHeld,
    async end() {
      if (!isHeld()) return;
      await end();
      fs.closeSync(opened);
    },
  };
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
