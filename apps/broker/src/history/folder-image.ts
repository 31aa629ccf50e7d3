/**
 * A data folder as a value: what lay in it before a cluster was opened there. With it, a seed and the requests a cluster can be
 * made again byte by byte.
 */
import { posix } from "node:path";
import type { Disk } from "@minikafka/core";
import { fingerprint } from "./fingerprint.ts";

/** Snapshots of a cluster, which are no part of it. */
export const SNAPSHOTS_FOLDER = "snapshots";
/** Of the folder's holder, or of its file system. */
const NOT_OF_THE_CLUSTER: ReadonlySet<string> = new Set([
  "lock",
  "lock.hold",
  "lost+found",
  SNAPSHOTS_FOLDER,
]);

/** Whether a name at the top of a data folder is the cluster's. */
export function isOfTheCluster(name: string): boolean {
  return !NOT_OF_THE_CLUSTER.has(name);
}

/** Paths are relative to the folder, and sorted, each behind its parents. */
export interface FolderImage {
  readonly entries: readonly ImageEntry[];
  /** Of all files. */
  readonly sizeBytes: number;
}

/** `bytes` is `null` for a folder. */
export interface ImageEntry {
  readonly path: string;
  readonly bytes: Buffer | null;
}

interface Found {
  readonly path: string;
  /** `null` for a folder. */
  readonly sizeBytes: number | null;
}

/** What lies in a folder, without its bytes. */
export class FolderSurvey {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #found: readonly Found[];

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
    this.#found = [...under(disk, folder, "")];
  }

  get sizeBytes(): number {
    return this.#found.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
  }

  /** All of it. Throws DiskError. */
  image(): FolderImage {
    const entries = this.#found.map(({ path, sizeBytes }) => ({
      path,
      bytes: sizeBytes === null ? null : bytesOf(this.#disk, posix.join(this.#folder, path), sizeBytes),
    }));
    return { entries, sizeBytes: this.sizeBytes };
  }

  /** A number for names and sizes alone: of a folder that is too large to be read. */
  fingerprint(): string {
    return fingerprint(this.#found.flatMap(({ path, sizeBytes }) => [path, String(sizeBytes)]));
  }
}

/** A number for all of it: equal folders have equal ones. */
export function fingerprintOf(image: FolderImage): string {
  return fingerprint(
    image.entries.flatMap(({ path, bytes }) => [path, bytes === null ? "folder" : "file", bytes ?? ""]),
  );
}

function* under(disk: Disk, folder: string, path: string): Generator<Found> {
  for (const { name, kind } of disk.readFolder(posix.join(folder, path))) {
    if (path === "" && !isOfTheCluster(name)) continue;
    const inner = posix.join(path, name);
    if (kind === "file")
      yield { path: inner, sizeBytes: disk.stat(posix.join(folder, inner))?.sizeBytes ?? 0 };
    if (kind !== "folder") continue;
    yield { path: inner, sizeBytes: null };
    yield* under(disk, folder, inner);
  }
}

function bytesOf(disk: Disk, path: string, sizeBytes: number): Buffer {
  const file = disk.openFile(path, { readOnly: true });
  try {
    return file.readAt(0, sizeBytes);
  } finally {
    file.close();
  }
}
