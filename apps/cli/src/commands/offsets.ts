/** `offsets`: what a group has committed, and a commit by hand. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { committedPlaces } from "../groups/committed-places.ts";
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
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

interface CommitOptions {
  readonly metadata?: string;
}

export function declareOffsets(program: Command, perform: Perform): void {
  const offsets = program
    .command("offsets")
    .alias("offset")
    .summary("show and commit a group's offsets")
    .description("Committed offsets: where a group goes on reading.");
  declareGet(offsets, perform);
  declareCommit(offsets, perform);
  addSharedOptions(offsets);
}

function declareGet(offsets: Command, perform: Perform): void {
  const command = offsets
    .command("get")
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
      "OFFSET is that of the next record to be read. A dash: nothing is committed.",
    ),
  );
}

function declareCommit(offsets: Command, perform: Perform): void {
  const command = offsets
    .command("commit")
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
      "An offset may lie anywhere; groups seek keeps to those that the log has. Members commit for themselves: while there\n" +
        "are some it is refused.",
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
    return undefined;
  });
}
