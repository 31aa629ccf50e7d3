/** A file of lines that is there whole or not at all. */
import { posix } from "node:path";
import type { Disk } from "@minikafka/core";

/** What goes out in one write. */
const WRITE_CHARACTERS = 1024 * 1024;

/** Replaces the file, and makes its folder if there is none; durable when it returns. Throws DiskError. */
export function replaceFile(disk: Disk, path: string, lines: Iterable<string>): number {
  const folder = posix.dirname(path);
  for (const parent of disk.makeFolder(folder)) disk.syncFolder(parent);
  const aside = `${path}.tmp`;
  const file = disk.openFile(aside, { create: "if-missing" });
  let position = 0;
  try {
    file.truncate(0);
    let text = "";
    const write = () => {
      const bytes = Buffer.from(text);
      file.writeAt(position, bytes);
      position += bytes.length;
      text = "";
    };
    for (const line of lines) {
      text += `${line}\n`;
      if (text.length >= WRITE_CHARACTERS) write();
    }
    write();
    file.syncNow();
  } finally {
    file.close();
  }
  disk.rename(aside, path);
  disk.syncFolder(folder);
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
