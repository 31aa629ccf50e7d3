/** A broker's folder as it was once, and put back later, as whoever restores a backup does. */
import { posix } from "node:path";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { FOLDER } from "./cluster-world.ts";

export type FolderCopy = ReadonlyMap<string, Buffer>;

export function copyOfBroker(disk: MemoryDisk, brokerId: number): FolderCopy {
  const folder = posix.join(FOLDER, `broker-${brokerId}/`);
  return new Map([...disk.files()].filter(([path]) => path.startsWith(folder)));
}

/** The copy of one broker's folder under the name of another's. */
export function copyAs(copy: FolderCopy, brokerId: number): FolderCopy {
  const folder = posix.join(FOLDER, `broker-${brokerId}/`);
  const renamed = (path: string) => path.replace(/^.*\/broker-\d+\//, folder);
  return new Map([...copy].map(([path, bytes]) => [renamed(path), bytes]));
}

/** Of a broker that does not run. */
export function restoreBroker(disk: MemoryDisk, brokerId: number, copy: FolderCopy): void {
  for (const path of copyOfBroker(disk, brokerId).keys()) disk.remove(path);
  const folders = new Set<string>([posix.join(FOLDER, `broker-${brokerId}`)]);
  for (const [path, bytes] of copy) {
    folders.add(posix.dirname(path));
    disk.makeFolder(posix.dirname(path));
    const file = disk.openFile(path, { create: "exclusive" });
    file.writeAt(0, bytes);
    file.syncNow();
    file.close();
  }
  for (const folder of folders) disk.syncFolder(folder);
}
