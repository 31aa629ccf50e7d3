/** A file of lines that is there whole or not at all. */
import { posix } from "node:path";
import { type Disk, DiskError } from "@minikafka/core";

/** What goes out in one write. */
const WRITE_CHARACTERS = 1024 * 1024;

/** What ends the name of a file that is not whole yet. */
const ASIDE = ".tmp";

/**
 * Replaces the file, and makes its folder if there is none; durable when it returns. What fails leaves nothing that takes room.
 * Throws DiskError.
 */
export function replaceFile(disk: Disk, path: string, lines: Iterable<string>): number {
  const folder = posix.dirname(path);
  for (const parent of disk.makeFolder(folder)) disk.syncFolder(parent);
  const aside = `${path}${ASIDE}`;
  try {
    const sizeBytes = write(disk, aside, lines);
    disk.rename(aside, path);
    disk.syncFolder(folder);
    return sizeBytes;
  } catch (problem) {
    removeQuietly(disk, aside);
    throw problem;
  }
}

/** Removes what a process that died left unfinished. What cannot be removed stays, and does no harm but for its room. */
export function removeAsides(disk: Disk, folder: string): void {
  try {
    if (disk.stat(folder)?.kind !== "folder") return;
    for (const { name, kind } of disk.readFolder(folder))
      if (kind === "file" && name.endsWith(ASIDE)) disk.remove(posix.join(folder, name));
  } catch (problem) {
    if (!(problem instanceof DiskError)) throw problem;
  }
}

/** The failure that led here is the one to tell. */
function removeQuietly(disk: Disk, path: string): void {
  try {
    if (disk.stat(path) !== null) disk.remove(path);
  } catch (problem) {
    if (!(problem instanceof DiskError)) throw problem;
  }
}

/** Returns how many bytes there are. */
function write(disk: Disk, aside: string, lines: Iterable<string>): number {
  const file = disk.openFile(aside, { create: "if-missing" });
  let position = 0;
  try {
    file.truncate(0);
    let text = "";
    const flush = () => {
      const bytes = Buffer.from(text);
      file.writeAt(position, bytes);
      position += bytes.length;
      text = "";
    };
    for (const line of lines) {
      text += `${line}\n`;
      if (text.length >= WRITE_CHARACTERS) flush();
    }
    flush();
    file.syncNow();
  } finally {
    file.close();
  }
  return position;
}

/** Throws DiskError. */
export function readWhole(disk: Disk, path: string): string {
  const file = disk.openFile(path, { readOnly: true });
  try {
    return file.readAt(0, file.sizeBytes()).toString();
  } finally {
    file.close();
  }
}
