/** `offsets`: what a group has committed, and a commit by hand. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { committedPlaces } from "../groups/committed-places.ts";
import { deleteOffsets } from "../groups/delete-offsets.ts";
import { requireEmpty } from "../groups/require-empty.ts";
import {
  collectOffsets,
  collectPartitions,
  type OffsetAssignment,
  type PartitionSpec,
} from "../input/partition-spec.ts";
import { examples } from "../output/examples.ts";
import { renderTable } from "../output/table.ts";
import { timeCell } from "../output/time.ts";
import { type Session, withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

interface CommitOptions {
  readonly metadata?: string;
}

export function declareOffsets(program: Command, perform: Perform): void {
  const offsets = program
    .command("offsets")
    .alias("offset")
    .summary("show, commit and delete a group's offsets")
    .description("Committed offsets: where a group goes on reading.");
  declareGet(offsets, perform);
  declareCommit(offsets, perform);
  declareDelete(offsets, perform);
  addSharedOptions(offsets);
}

function declareGet(offsets: Command, perform: Perform): void {
  const command = offsets
    .command("get")
    .summary("show what a group has committed")
    .description("Shows what a group has committed: all of it, or in the partitions that are named.")
    .argument("<group>", "the group's name")
    .argument("[topic[:partition]...]", "such as orders, orders:1 or orders:0,2", collectPartitions)
    .action((group: string, places: readonly PartitionSpec[], _options: unknown, self: Command) =>
      perform(self, (context) => get(context, group, places), { group }),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli offsets get billing",
        "minikafka-cli offsets get billing orders:1",
        "minikafka-cli offsets get billing -J | jq .offsets",
      ],
      "OFFSET is that of the next record to be read. A dash: nothing is committed. A group that is not there has exit code 3.",
    ),
  );
}

function declareCommit(offsets: Command, perform: Perform): void {
  const command = offsets
    .command("commit")
    .summary("commit offsets for a group without members")
    .description("Commits offsets for a group without members, all of them or none.")
    .argument("<group>", "the group's name")
    .argument("<topic:partition=offset...>", "such as orders:0=42", collectOffsets)
    .option("--metadata <text>", "a note beside each of them")
    .action((group: string, given: readonly OffsetAssignment[], options: CommitOptions, self: Command) =>
      perform(self, (context) => commit(context, group, given, options), { group }),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli offsets commit billing orders:0=42",
        "minikafka-cli offsets commit billing orders:0=42 orders:1=17 --metadata 'after the repair'",
      ],
      "An offset may lie anywhere, with a remark where the log ends before it; groups seek keeps to what is there. Members commit for themselves: while there\n" +
        "are some it is refused.",
    ),
  );
}

function declareDelete(offsets: Command, perform: Perform): void {
  const command = offsets
    .command("delete")
    .alias("rm")
    .summary("forget offsets of a group, of topics that no member reads")
    .description("Forgets what a group has committed for partitions of topics that no member subscribes to.")
    .argument("<group>", "the group's name")
    .argument("<topic[:partition]...>", "such as orders, orders:1 or orders:0,2", collectPartitions)
    .action((group: string, places: readonly PartitionSpec[], _options: unknown, self: Command) =>
      perform(self, (context) => deleteOffsets(context, group, places), { group }),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      ["minikafka-cli offsets delete billing orders", "minikafka-cli offsets delete billing orders:0,2"],
      "A topic alone means all of its partitions. What is refused does not keep the others. A group without members and without\n" +
        "offsets is gone; groups delete forgets a group with all that it has.",
    ),
  );
}

function get(
  context: Context,
  group: string,
  places: readonly PartitionSpec[] | undefined,
): Promise<undefined> {
  return withSession(context, async (session) => {
    const offsets = await committedPlaces(session, group, places?.length === 0 ? undefined : places);
    // As groups describe: a name that is mistyped looks like a group that has read nothing.
    if (offsets.every(({ offset }) => offset === null))
      await session.call("describe_group", { group_id: group });
    if (context.settings.json) {
      await context.data.json({ group_id: group, offsets });
      return undefined;
    }
    const rows = offsets.map((each) => [
      group,
      each.topic,
      each.partition,
      each.offset,
      timeCell(each.committed_ms),
      each.metadata,
    ]);
    await context.data.write(
      renderTable(["GROUP", "TOPIC", "PARTITION", "OFFSET", "COMMITTED", "METADATA"], rows),
    );
    if (rows.length === 0) context.notes.remark(`the group ${group} has committed nothing`);
    return undefined;
  });
}

function commit(
  context: Context,
  group: string,
  given: readonly OffsetAssignment[],
  { metadata = null }: { readonly metadata?: string | null },
): Promise<undefined> {
  return withSession(context, async (session) => {
    await requireEmpty(session, group);
    const offsets = given.map((each) => ({ ...each, metadata }));
    await session.call("commit_offsets", { group_id: group, offsets });
    if (context.settings.json) await context.data.json({ group_id: group, offsets });
    else
      for (const { topic, partition, offset } of offsets)
        await context.data.line(`${group} goes on at offset ${offset} of ${topic} [${partition}]`);
    await remarkBeyond(context, session, given);
    return undefined;
  });
}

/** Such an offset is reset by the next who reads from it, which loses the place silently. */
async function remarkBeyond(
  { notes }: Context,
  session: Session,
  given: readonly OffsetAssignment[],
): Promise<void> {
  for (const { topic, partition, offset } of given) {
    const { offset: end } = await session.call("list_offsets", { topic, partition, timestamp_ms: -1 });
    if (end === null || offset <= end) continue;
    notes.remark(
      `${topic} [${partition}] ends at ${end}: unless it has grown to ${offset} by then, who reads on begins where -o or ` +
        "autoOffsetReset says; groups seek keeps to what is there",
    );
  }
}
