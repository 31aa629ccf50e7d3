/** From what the user names to the folders of partitions. */
import { resolve } from "node:path";
import { type NodeDisk, partitionFolders } from "@minikafka/core/log";
import { CliError } from "../failure.ts";

/** The partitions at or below `path`. Throws USAGE for what is no folder of ours. */
export function partitionsAt(disk: NodeDisk, path: string, command: "dump" | "verify" | "find"): string[] {
  // The kernel's paths have the slashes of URLs on every system.
  const folder = resolve(path).replaceAll("\\", "/");
  const sought = command === "find" ? " --offset 0" : "";
  const hint = `for a topic of a running broker name its partition: minikafka-cli log ${command} ${path} -p 0${sought}`;
  if (disk.stat(folder)?.kind !== "folder")
    throw new CliError("USAGE", `there is no folder ${path}`, { hint });
  const folders = partitionFolders(disk, folder);
  if (folders.length > 0) return folders;
  throw new CliError("USAGE", `${path} holds no partition`, {
    hint: "name a data folder such as ./data, or a partition's such as ./data/broker-1/orders-0",
  });
}
