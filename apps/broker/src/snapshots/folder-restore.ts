/**
 * A data folder, made to hold what an image says.
 *
 * What it held before lies beside it meanwhile, in one file that is there whole or not at all. As long as that is there, the new
 * content does not count: whoever opens the folder next puts the old one back first. So a death in the middle leaves what was, and
 * never something between.
 */
import { posix } from "node:path";
import type { Disk } from "@minikafka/core";
import { type FolderImage, FolderSurvey, isOfTheCluster, SNAPSHOTS_FOLDER } from "../history/folder-image.ts";
import { sealedImage } from "../history/trace-lines.ts";
import { readSealedImage } from "../history/trace-reading.ts";
import { readWhole, removeAsides, replaceFile } from "./whole-file.ts";

const BEFORE_FILE_NAME = "before-load.image";

function beforeFile(folder: string): string {
  return posix.join(folder, SNAPSHOTS_FOLDER, BEFORE_FILE_NAME);
}

/** Puts what the folder holds by, durably. Throws DiskError. */
export function putBy(disk: Disk, folder: string): void {
  replaceFile(disk, beforeFile(folder), sealedImage(new FolderSurvey(disk, folder).image()));
}

/** The folder holds `image` and nothing else of a cluster, durably. Throws DiskError. */
export function putBack(disk: Disk, folder: string, image: FolderImage): void {
  for (const { name, kind } of disk.readFolder(folder))
    if (isOfTheCluster(name)) removeAll(disk, posix.join(folder, name), kind === "folder");
  for (const { path, bytes } of image.entries) {
    const place = posix.join(folder, path);
    if (bytes === null) disk.makeFolder(place);
    else writeWhole(disk, place, bytes);
    disk.syncFolder(posix.dirname(place));
  }
  disk.syncFolder(folder);
}

/** What the folder holds now counts. Throws DiskError. */
export function letItCount(disk: Disk, folder: string): void {
  disk.remove(beforeFile(folder));
  disk.syncFolder(posix.join(folder, SNAPSHOTS_FOLDER));
}

/** What a save or a load that died left unfinished. Nobody else may hold the folder. */
export function removeUnfinished(disk: Disk, folder: string): void {
  removeAsides(disk, posix.join(folder, SNAPSHOTS_FOLDER));
}

/** Whether something that was put by has to be put back. */
export function isInTheMiddle(disk: Disk, folder: string): boolean {
  return disk.stat(beforeFile(folder)) !== null;
}

/**
 * What was put by is there again, and counts; where a line of it is damaged, the folder stays as it is. Nobody else may hold the
 * folder. Throws DiskError, BadTrace.
 */
export function undo(disk: Disk, folder: string): void {
  putBack(disk, folder, readSealedImage(readWhole(disk, beforeFile(folder))));
  letItCount(disk, folder);
}

function removeAll(disk: Disk, path: string, isFolder: boolean): void {
  if (!isFolder) {
    disk.remove(path);
    return;
  }
  for (const { name, kind } of disk.readFolder(path))
    removeAll(disk, posix.join(path, name), kind === "folder");
  disk.removeFolder(path);
}

function writeWhole(disk: Disk, path: string, bytes: Buffer): void {
  const file = disk.openFile(path, { create: "exclusive" });
  try {
    file.writeAt(0, bytes);
    file.syncNow();
  } finally {
    file.close();
  }
}
