/**
 * The file of an index: read whole, written whole, never synced, since it can always be made anew. What is wrong with one
 * is said, not thrown.
 */
import { type Disk, DiskError, type DiskFile, readSmallFile } from "../../env/disk.ts";
import { LIMITS } from "../../limits.ts";

/** Why an index that nobody has written cannot be used. */
export const NO_FILE = "it is missing";

/** The bytes of the file, or why there are none. */
export function readIndexFile(disk: Disk, path: string): Buffer | string {
  try {
    return readSmallFile(disk, path, LIMITS.indexFileBytesMax) ?? NO_FILE;
  } catch (problem) {
    if (problem instanceof DiskError) return problem.message;
    throw problem;
  }
}

/** Throws DiskError; then any part of `bytes` may be there, which the CRC over all of them tells, and takes no room if it can. */
export function writeIndexFile(disk: Disk, path: string, bytes: Buffer): void {
  const file = disk.openFile(path, { create: "if-missing" });
  try {
    file.truncate(0);
    file.writeAt(0, bytes);
  } catch (problem) {
    if (problem instanceof DiskError) cutQuietly(file);
    throw problem;
  } finally {
    file.close();
  }
}

/** On a full disk a part of an index is of no use, and in the way of what is. */
function cutQuietly(file: DiskFile): void {
  try {
    file.truncate(0);
  } catch (problem) {
    if (!(problem instanceof DiskError)) throw problem;
  }
}
