/**
 * A folder that is there after a power cut, or not at all.
 *
 * Never: one left whose sync has failed, since no later sync makes its name durable: who found it there would trust it.
 */
import { posix } from "node:path";
import { type Disk, DiskError } from "./disk.ts";

/** Makes a folder and the parents that it lacks, durably; returns whether it was missing. Throws DiskError; then what it made is gone again, as far as the disk allows. */
export function makeDurableFolder(disk: Disk, path: string): boolean {
  const above = disk.makeFolder(path);
  try {
    for (const parent of above) disk.syncFolder(parent);
  } catch (problem) {
    if (problem instanceof DiskError) takeBack(disk, path, above.length);
    throw problem;
  }
  return above.length > 0;
}

/** The innermost first. */
function takeBack(disk: Disk, path: string, folders: number): void {
  try {
    for (let [made, left] = [path, folders]; left > 0; left--) {
      disk.removeFolder(made);
      made = posix.dirname(made);
    }
  } catch (problem) {
    if (!(problem instanceof DiskError)) throw problem;
  }
}
