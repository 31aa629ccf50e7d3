/** Where the state of a transfer is. */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Context } from "../context.ts";
import type { Ends } from "./ends.ts";

/** By the clusters' ids, so that an address may change. */
export function stateFolder({ env }: Context, { source, target }: Ends): string {
  const safe = (text: string) => text.replace(/[^\w.-]/g, "-");
  const home = env.HOME ?? env.USERPROFILE ?? homedir();
  return join(home, ".minikafka", "transfers", `${safe(source.clusterId)}_${safe(target.clusterId)}`);
}

/** A file's name has 255 characters nearly everywhere, a topic's up to 249; what stands behind it is at most `.jsonl.lock`. */
const NAME_LENGTH_MAX = 240;
const HASH_LENGTH = 32;

/** Between two names, and twice before a hash: no topic's name has it. */
const SEPARATOR = "~";

/** One name for each pair, and no two pairs have one. What is too long for a file ends in a hash. */
export function stateFileName(topic: string, targetTopic: string): string {
  const name = topic === targetTopic ? topic : `${topic}${SEPARATOR}${targetTopic}`;
  if (name.length <= NAME_LENGTH_MAX) return `${name}.jsonl`;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  const end = `${SEPARATOR}${SEPARATOR}${hash}`;
  return `${name.slice(0, NAME_LENGTH_MAX - end.length)}${end}.jsonl`;
}
