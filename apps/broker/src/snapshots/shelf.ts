/**
 * Where snapshots are: in memory, and as files in the data folder.
 *
 * Owns those in memory.
 * Invariants: a name stands for one snapshot; a file is there whole or not at all; those in memory hold at most `memoryBytesMax`
 * together (memory-share.ts).
 */
import { posix } from "node:path";
import { BrokerError, type Disk, DiskError } from "@minikafka/core";
import { isSnapshotName } from "@minikafka/protocol";
import { SNAPSHOTS_FOLDER } from "../history/folder-image.ts";
import { type Trace, traceLines } from "../history/trace-lines.ts";
import { BadTrace, readTrace } from "../history/trace-reading.ts";
import { bytesOfAll, type MemoryShare } from "./memory-share.ts";
import { readWhole, replaceFile } from "./whole-file.ts";

export interface Snapshot {
  readonly name: string;
  readonly keep: "memory" | "folder";
  /** What the clock said. */
  readonly timeMs: number;
  readonly trace: Trace;
}

export interface NewSnapshot extends Snapshot, MemoryShare {}

/** A file that cannot be read; the others are there all the same. */
export interface DamagedSnapshot extends Pick<Snapshot, "name" | "keep"> {
  readonly problem: string;
}

const SUFFIX = ".ndjson";

export class Shelf {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #memoryBytesMax: number;
  readonly #inMemory = new Map<string, NewSnapshot>();

  constructor(disk: Disk, dataFolder: string, memoryBytesMax: number) {
    this.#disk = disk;
    this.#memoryBytesMax = memoryBytesMax;
    this.#folder = posix.join(dataFolder, SNAPSHOTS_FOLDER);
  }

  /** In place of one of that name. Throws SNAPSHOTS_FULL, STORAGE_ERROR. */
  put(snapshot: NewSnapshot): void {
    const { name, keep, timeMs, trace } = snapshot;
    if (keep === "folder") {
      const head = { ...trace.head, time_ms: timeMs };
      this.#onDisk(name, () => replaceFile(this.#disk, this.#path(name), traceLines({ ...trace, head })));
      this.#inMemory.delete(name);
      return;
    }
    this.#requireRoom(snapshot);
    this.#inMemory.set(name, snapshot);
    this.#removeFile(name);
  }

  #requireRoom(snapshot: NewSnapshot): void {
    const others = [...this.#inMemory.values()].filter(({ name }) => name !== snapshot.name);
    const bytes = bytesOfAll([...others, snapshot]);
    if (bytes <= this.#memoryBytesMax) return;
    const message = `with ${snapshot.name} the snapshots in memory would hold ${bytes} bytes, of ${this.#memoryBytesMax} that they may; delete others, keep it in the folder, or start the broker with a larger --snapshots-max-bytes`;
    throw new BrokerError("SNAPSHOTS_FULL", message, { bytes, bytes_max: this.#memoryBytesMax });
  }

  /** Throws UNKNOWN_SNAPSHOT, STORAGE_ERROR. */
  get(name: string): Snapshot {
    const kept = this.#inMemory.get(name);
    if (kept !== undefined) return kept;
    if (!this.#hasFile(name)) throw unknown(name);
    const trace = this.#onDisk(name, () => readTrace(readWhole(this.#disk, this.#path(name))));
    return { name, keep: "folder", timeMs: trace.head.time_ms ?? 0, trace };
  }

  /** By name. Throws STORAGE_ERROR where the folder itself cannot be read. */
  list(): (Snapshot | DamagedSnapshot)[] {
    const names = this.#names().filter((name) => !this.#inMemory.has(name));
    const kept = [...this.#inMemory.values(), ...names.map((name) => this.#found(name))];
    return kept.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  #found(name: string): Snapshot | DamagedSnapshot {
    try {
      return this.get(name);
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
      return { name, keep: "folder", problem: problem.message };
    }
  }

  /** Throws UNKNOWN_SNAPSHOT, STORAGE_ERROR. */
  remove(name: string): void {
    const wasKept = this.#inMemory.delete(name);
    if (!this.#removeFile(name) && !wasKept) throw unknown(name);
  }

  #removeFile(name: string): boolean {
    if (!this.#hasFile(name)) return false;
    this.#onDisk(name, () => {
      this.#disk.remove(this.#path(name));
      this.#disk.syncFolder(this.#folder);
    });
    return true;
  }

  #hasFile(name: string): boolean {
    return this.#onDisk(name, () => this.#disk.stat(this.#path(name)))?.kind === "file";
  }

  #names(): string[] {
    return this.#onDisk("", () => {
      if (this.#disk.stat(this.#folder)?.kind !== "folder") return [];
      const files = this.#disk.readFolder(this.#folder).filter(({ name }) => name.endsWith(SUFFIX));
      return files.map(({ name }) => name.slice(0, -SUFFIX.length)).filter(isSnapshotName);
    });
  }

  #path(name: string): string {
    return posix.join(this.#folder, `${name}${SUFFIX}`);
  }

  #onDisk<Result>(name: string, act: () => Result): Result {
    try {
      return act();
    } catch (problem) {
      if (problem instanceof BadTrace)
        throw new BrokerError("STORAGE_ERROR", `${this.#path(name)} is damaged: ${problem.message}`);
      if (problem instanceof DiskError) throw new BrokerError("STORAGE_ERROR", problem.message);
      throw problem;
    }
  }
}

function unknown(name: string): BrokerError {
  return new BrokerError(
    "UNKNOWN_SNAPSHOT",
    `there is no snapshot ${name}; list_snapshots names those that are`,
  );
}
