/**
 * What snapshots hold in memory. Those of one life of the cluster have all in common that had happened until the earlier of them, and
 * what lay in the folder is there once, however many begin with it.
 */
import type { Trace } from "../history/trace-lines.ts";

export interface MemoryShare {
  readonly name: string;
  readonly trace: Trace;
  /** Which life of the cluster it is of; each load of a snapshot begins another one, also where the same happens in both. */
  readonly life: number;
  /** What had happened, as the history counts it. */
  readonly entriesBytes: number;
}

/** What it takes to name an entry that others name as well. */
const ENTRY_BYTES = 8;
/** Name, settings and all else that a snapshot has beside what happened, about. */
const SNAPSHOT_BYTES = 1024;

/** Of all of them together. */
export function bytesOfAll(snapshots: readonly MemoryShare[]): number {
  const lives = new Map<number, number>();
  const images = new Set<Trace["image"]>();
  let bytes = 0;
  for (const { trace, life, entriesBytes } of snapshots) {
    bytes += SNAPSHOT_BYTES + ENTRY_BYTES * trace.entries.length;
    lives.set(life, Math.max(lives.get(life) ?? 0, entriesBytes));
    images.add(trace.image);
  }
  for (const entriesBytes of lives.values()) bytes += entriesBytes;
  for (const { sizeBytes } of images) bytes += sizeBytes;
  return bytes;
}
