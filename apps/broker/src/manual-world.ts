/** What a daemon with a manual clock stands on: a disk that is prompt and stays held, and where it begins. */
import {
  DataFolderRefused,
  type Disk,
  dataFolderRefusalOf,
  NodeDisk,
  PromptDisk,
  SystemClock,
} from "@minikafka/core";
import type { Settings } from "./config.ts";
import { FolderSurvey } from "./history/folder-image.ts";
import { HeldDisk } from "./history/held-disk.ts";
import { type Origin, originOf } from "./history/origin.ts";
import { BadTrace } from "./history/trace-reading.ts";
import { WatchedDisk } from "./history/watched-disk.ts";
import { dataFolderOf } from "./kernel.ts";
import { isInTheMiddle, undo } from "./snapshots/folder-restore.ts";

/** By it a folder is known as a cluster's, which may be held before it is opened; nobody else's is touched. */
const IDENTITY_FILE_NAME = "meta.properties.json";

export interface ManualWorld {
  readonly disk: HeldDisk;
  /** Below it. */
  readonly watched: WatchedDisk;
  readonly origin: Origin;
}

/** Holds the folder, if it is a cluster's; in any other lies nothing that a cluster begins with. Rejects with DataFolderRefused. */
export async function openManualWorld(settings: Settings, given: Disk | undefined): Promise<ManualWorld> {
  const startTimeMs = settings.start_time ?? 0;
  const folder = dataFolderOf(settings);
  // A program's own disk is as prompt as the program wants it to be, and knows no time but the stepped one.
  const watched = new WatchedDisk(given ?? new PromptDisk(new NodeDisk()), folder);
  const disk = new HeldDisk(watched, given === undefined ? new SystemClock().nowMs() : startTimeMs);
  const wishes = { startTimeMs, seed: settings.seed ?? 0, bytesMax: settings.history_max_bytes };
  try {
    await undoLoad(disk, folder);
    const isCluster = disk.stat(`${folder}/${IDENTITY_FILE_NAME}`) !== null;
    if (isCluster) await disk.lock(folder);
    return { disk, watched, origin: originOf(isCluster ? new FolderSurvey(disk, folder) : null, wishes) };
  } catch (problem) {
    await disk.letGo();
    throw dataFolderRefusalOf(problem, folder);
  }
}

/**
 * Puts back what the folder held before a snapshot was loaded, where the daemon died in the middle of that. Rejects with
 * DataFolderRefused.
 */
export async function undoLoad(disk: Disk, folder: string): Promise<void> {
  try {
    if (!isInTheMiddle(disk, folder)) return;
    const lock = await disk.lock(folder, new SystemClock().nowMs());
    try {
      undo(disk, folder);
    } finally {
      await lock.release();
    }
  } catch (problem) {
    throw problem instanceof BadTrace ? damaged(folder, problem) : dataFolderRefusalOf(problem, folder);
  }
}

function damaged(folder: string, { message }: BadTrace): DataFolderRefused {
  const sentence = `is in the middle of the load of a snapshot, and what it held before is damaged: ${message}`;
  return new DataFolderRefused("damaged", folder, sentence);
}
