/** Which groups' offsets are carried over, and that nobody moves them meanwhile. */
import { CliError } from "../failure.ts";
import type { KafkaLink } from "../kafka-cluster/kafka-link.ts";
import { committedOffsets, groupStates } from "../kafka-cluster/offsets.ts";
import type { TopicShape } from "../kafka-cluster/topics.ts";
import type { Ends } from "./ends.ts";
import { ALL_GROUPS, type TransferOptions } from "./transfer-options.ts";

const QUIET: readonly unknown[] = ["Empty", "Dead"];

/** Their names. Throws UNKNOWN_GROUP, and GROUP_NOT_EMPTY for one with members: in the source unless `--force`, in the target always, which takes no commit for it. */
export async function carriedGroups(
  { source, target }: Ends,
  { groups, force }: TransferOptions,
  topics: readonly TopicShape[],
): Promise<string[]> {
  if (groups === undefined) return [];
  const here = await groupStates(source);
  const there = await groupStates(target);
  const names = groups.includes(ALL_GROUPS)
    ? await readersOf(source, topics, [...here.keys()].sort())
    : [...new Set(groups)];
  const stranger = names.find((name) => !here.has(name));
  if (stranger !== undefined)
    throw new CliError("UNKNOWN_GROUP", `there is no group ${stranger} at ${source.where}`, {
      hint: `--groups ${ALL_GROUPS} takes those that there are: ${[...here.keys()].sort().slice(0, 10).join(", ") || "none"}`,
      details: { group_id: stranger },
    });
  const busy = names.filter((name) => !QUIET.includes(here.get(name)));
  if (busy.length > 0 && force !== true)
    throw notEmpty(busy, source.where, "; --force carries over where they are now");
  const busyThere = names.filter((name) => there.has(name) && !QUIET.includes(there.get(name)));
  if (busyThere.length > 0) throw notEmpty(busyThere, target.where, "");
  return names;
}

/** Those that have committed something of one of the topics: what others do is no matter here. */
async function readersOf(
  source: KafkaLink,
  topics: readonly TopicShape[],
  groups: readonly string[],
): Promise<string[]> {
  const readers: string[] = [];
  for (const group of groups) {
    for (const { topic, partitions } of topics) {
      if ((await committedOffsets(source, group, topic, partitions)).length === 0) continue;
      readers.push(group);
      break;
    }
  }
  return readers;
}

/** GROUP_NOT_EMPTY, with what may be done `otherwise`. */
export function notEmpty(names: readonly string[], where: string, otherwise: string): CliError {
  const which = names.length === 1 ? `group ${names[0]} has` : `groups ${names.join(", ")} have`;
  return new CliError("GROUP_NOT_EMPTY", `${which} members at ${where}, which would move on meanwhile`, {
    hint: `stop the members first, or wait for the end of their sessions${otherwise}`,
    details: { group_id: names[0] },
  });
}
