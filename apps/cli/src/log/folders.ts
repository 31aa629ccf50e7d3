/** From what the user names to the folders of partitions. */
import { resolve } from "node:path";
import { type LeftOver, type NodeDisk, partitionFolders, surveyFolders } from "@minikafka/core/log";
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import type { DamageReport } from "./damage.ts";

type LogCommand = "dump" | "verify" | "find";

const LEFT_OVER: Readonly<Record<LeftOver, string>> = {
  unfinished: "its topic never came to exist; the next start removes it",
  deleted: "its topic was deleted; the next start removes it",
  unnamed: "it has records and no topic; no start touches it, and naming it itself has it checked",
};

/** The partitions at or below `path`. Throws USAGE for what is no folder of ours. */
export function partitionsAt(disk: NodeDisk, path: string, command: LogCommand): string[] {
  const folders = partitionFolders(disk, folderAt(disk, path, command));
  if (folders.length > 0) return folders;
  throw noPartition(path);
}

/**
 * The same, without those that no topic stands for: each is told and is no damage, nor is anything in it, since nobody serves
 * it. One with records that is named itself is taken all the same. A partition that is not there is told as damage.
 */
export async function servedPartitionsAt(
  disk: NodeDisk,
  path: string,
  command: LogCommand,
  { context, report }: { readonly context: Context; readonly report: DamageReport },
): Promise<string[]> {
  const folder = folderAt(disk, path, command);
  const { partitions, damage } = surveyFolders(disk, folder);
  if (partitions.length + damage.length === 0) throw noPartition(path);
  for (const { file, problem } of damage) await report.damage({ where: { file }, position: null, problem });
  const served: string[] = [];
  for (const { folder: partition, leftOver } of partitions) {
    if (leftOver === null || (leftOver === "unnamed" && partition === folder)) served.push(partition);
    else await tellLeftOver(context, partition, leftOver);
  }
  return served;
}

function tellLeftOver({ settings, data }: Context, folder: string, leftOver: LeftOver): Promise<void> {
  if (settings.json) return data.json({ type: "left_over", folder, reason: leftOver });
  return data.line(`${folder}: left over (${leftOver}), ${LEFT_OVER[leftOver]}`);
}

function folderAt(disk: NodeDisk, path: string, command: LogCommand): string {
  // The kernel's paths have the slashes of URLs on every system.
  const folder = resolve(path).replaceAll("\\", "/");
  const sought = command === "find" ? " --offset 0" : "";
  const hint = `for a topic of a running broker name its partition: minikafka-cli log ${command} ${path} -p 0${sought}`;
  if (disk.stat(folder)?.kind === "folder") return folder;
  throw new CliError("USAGE", `there is no folder ${path}`, { hint });
}

function noPartition(path: string): CliError {
  return new CliError("USAGE", `${path} holds no partition`, {
    hint: "name a data folder such as ./data, or a partition's such as ./data/broker-1/orders-0",
  });
}
