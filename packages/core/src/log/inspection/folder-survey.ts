/**
 * Which folders of partitions lie at or below a path, and which of them a topic stands for, as `metadata.json` says.
 *
 * Works on the folder of a stopped broker and of one that runs. A folder that no topic stands for is left over: nothing in it is
 * served, so that nothing in it is damage. Where there is no metadata (a partition's folder that was copied away), nothing is.
 * Never: a byte written; a folder called left over that a topic stands for, whatever is missing in it.
 */
import { posix } from "node:path";
import type { Disk } from "../../env/disk.ts";
import { LIMITS } from "../../limits.ts";
import { isSegmentFileName, MANIFEST_FILE_NAME } from "../files/file-names.ts";
import { fieldsOf, integerOf, listOf, textOf } from "../files/parsed-json.ts";
import { lookAtCheckpoint } from "./checkpoint-look.ts";
import { partitionFolders } from "./inspection.ts";

export const METADATA_FILE_NAME = "metadata.json";
const BROKER_FOLDER = /^broker-\d+$/;

/**
 * Why a folder is left over. `unfinished`: it has no record, and the creation of its topic never came to its end. `deleted`: its
 * topic was deleted, and its removal has not come to its end. `unnamed`: it has records, and no topic stands for it.
 */
export type LeftOver = "unfinished" | "deleted" | "unnamed";

export interface FolderSurvey {
  /** By path. */
  readonly partitions: readonly { readonly folder: string; readonly leftOver: LeftOver | null }[];
  /** A metadata file that cannot be read, and folders that it names and that are not there. */
  readonly damage: readonly { readonly file: string; readonly problem: string }[];
}

/** Paths of the folders that stand for topics, and for topics that were deleted. */
interface NamedFolders {
  readonly kept: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
}

/** `path` is a partition's folder, a broker's, or a data folder. Throws DiskError for a folder that cannot be listed. */
export function surveyFolders(disk: Disk, path: string): FolderSurvey {
  const folders = partitionFolders(disk, path);
  const file = metadataOf(disk, path);
  const partitions = folders.map((folder) => ({ folder, leftOver: null }));
  if (file === null) return { partitions, damage: [] };
  const named = lookAtCheckpoint(disk, file, (payload) => namedFoldersIn(payload, posix.dirname(file)));
  if (typeof named === "string") return { partitions, damage: [{ file, problem: named }] };
  const found = new Set(folders);
  const isBelow = (folder: string) => folder === path || folder.startsWith(`${path}/`);
  const missing = [...named.kept].filter((folder) => isBelow(folder) && !found.has(folder)).sort();
  return {
    partitions: folders.map((folder) => ({ folder, leftOver: leftOverOf(disk, folder, named) })),
    damage: missing.map((folder) => ({ file: folder, problem: "it has no log; the metadata names it" })),
  };
}

function leftOverOf(disk: Disk, folder: string, { kept, deleted }: NamedFolders): LeftOver | null {
  if (kept.has(folder)) return null;
  if (deleted.has(folder)) return "deleted";
  return holdsRecords(disk, folder) ? "unnamed" : "unfinished";
}

/** Whether a segment in `folder` has bytes. Throws DiskError. */
export function holdsRecords(disk: Disk, folder: string): boolean {
  return disk
    .readFolder(folder)
    .filter(({ name, kind }) => kind === "file" && isSegmentFileName(name))
    .some(({ name }) => (disk.stat(posix.join(folder, name))?.sizeBytes ?? 0) > 0);
}

/** The id of the topic that the log in `folder` belongs to, as its manifest says; `null` when it does not. */
export function ownerOf(disk: Disk, folder: string): string | null {
  const file = posix.join(folder, MANIFEST_FILE_NAME);
  const looked = lookAtCheckpoint(disk, file, (payload) => ({
    topicId: textOf(fieldsOf(payload, "the manifest").get("topic_id"), "topic_id"),
  }));
  return typeof looked === "string" ? null : looked.topicId;
}

/** The metadata file of the data folder that `path` is, or lies in. */
function metadataOf(disk: Disk, path: string): string | null {
  const above = posix.dirname(path);
  const dataFolders = [
    path,
    ...(BROKER_FOLDER.test(posix.basename(path)) ? [above] : []),
    ...(BROKER_FOLDER.test(posix.basename(above)) ? [posix.dirname(above)] : []),
  ];
  const files = dataFolders.map((folder) => posix.join(folder, METADATA_FILE_NAME));
  return files.find((file) => disk.stat(file)?.kind === "file") ?? null;
}

function namedFoldersIn(payload: unknown, dataFolder: string): NamedFolders {
  const fields = fieldsOf(payload, "the metadata");
  const foldersIn = (name: string) =>
    new Set(listOf(fields.get(name), name).flatMap((topic) => foldersOf(topic, dataFolder)));
  return { kept: foldersIn("topics"), deleted: foldersIn("deletions") };
}

/** One topic's folders. Of its fields only those are read that say where its partitions lie. */
function foldersOf(value: unknown, dataFolder: string): string[] {
  const fields = fieldsOf(value, "a topic");
  const topic = textOf(fields.get("topic"), "a topic's name");
  return listOf(fields.get("partitions"), `partitions of ${topic}`).flatMap((partition, index) =>
    listOf(fieldsOf(partition, `a partition of ${topic}`).get("replicas"), `replicas of ${topic}`)
      .map((id) => integerOf(id, `a replica of ${topic}`, { min: 0, max: LIMITS.brokerIdMax }))
      .map((brokerId) => posix.join(dataFolder, `broker-${brokerId}`, `${topic}-${index}`)),
  );
}
