/**
 * The folders of partitions, seen from above: which are ours, and how they go.
 *
 * Never: a file removed that a log of ours did not make; a record removed of which no one said that it may go.
 */
import { posix } from "node:path";
import type { Disk } from "../env/disk.ts";
import type { FaultSite } from "../env/fault-order.ts";
import { isLogFileName } from "../log/files/file-names.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import { topicNameProblem } from "./topic-name.ts";

const BROKER_FOLDER_NAME = /^broker-(\d+)$/;
const FOLDER_NAME = /^(.+)-(0|[1-9]\d{0,8})$/;

/** Whose partition a folder of this name would hold, or `null` when it is not named like one. */
export function parsePartitionFolder(name: string): TopicPartition | null {
  const [, topic, partition] = FOLDER_NAME.exec(name) ?? [];
  if (topic === undefined || partition === undefined || topicNameProblem(topic) !== null) return null;
  return { topic, partition: Number(partition) };
}

/** Which broker's the file or folder at `path` is, and of which partition, as far as its name tells; for fault points. */
export function siteOfPath(dataFolder: string, path: string): FaultSite | undefined {
  const [brokerFolder = "", partitionFolder = ""] = posix.relative(dataFolder, path).split("/", 2);
  const brokerId = BROKER_FOLDER_NAME.exec(brokerFolder)?.[1];
  if (brokerId === undefined) return undefined;
  return { brokerId: Number(brokerId), ...parsePartitionFolder(partitionFolder) };
}

/**
 * Removes a log's files from `folder`, and the folder when nothing else is in it. Returns the paths of what is foreign and
 * stays. The folder above has still to be synced. Throws DiskError; then some are gone, and it can be tried again.
 */
export function removePartitionFolder(disk: Disk, folder: string): readonly string[] {
  if (disk.stat(folder)?.kind !== "folder") return [];
  const entries = disk.readFolder(folder);
  const isOurs = ({ name, kind }: (typeof entries)[number]) => kind === "file" && isLogFileName(name);
  for (const { name } of entries.filter(isOurs)) disk.remove(posix.join(folder, name));
  const foreign = entries.filter((entry) => !isOurs(entry));
  if (foreign.length === 0) disk.removeFolder(folder);
  else disk.syncFolder(folder);
  return foreign.map(({ name }) => posix.join(folder, name));
}
