/** `groups`: what there is, how far each is behind, who reads what; where it goes on, until when to wait, forget one. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { DRY_RUN_HELP, showGroupDeletion } from "../deletions/dry-run.ts";
import { whenThere } from "../deletions/when-there.ts";
import { CliError } from "../failure.ts";
import { describeGroups, type GroupAspect } from "../groups/group-description.ts";
import { examples } from "../output/examples.ts";
import { renderTable } from "../output/table.ts";
import { type Session, withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { declareSeek } from "./group-seek.ts";
import { declareWait } from "./group-wait.ts";

interface DescribeOptions {
  readonly members?: true;
  readonly state?: true;
}

type Listed = ParsedResponse<"list_groups">;

interface DeleteOptions {
  readonly ifExists?: true;
  readonly dryRun?: true;
}

export function declareGroups(program: Command, perform: Perform): void {
  const groups = program
    .command("groups")
    .alias("group")
    .summary("list, describe, seek, wait for and delete consumer groups")
    .description("Consumer groups: what there is, how far each is behind, who reads what, where it goes on.");
  declareList(groups, perform);
  declareDescribe(groups, perform);
  declareSeek(groups, perform);
  declareWait(groups, perform);
  declareDelete(groups, perform);
  addSharedOptions(groups);
}

function declareList(groups: Command, perform: Perform): void {
  const command = groups
    .command("list")
    .alias("ls")
    .summary("list the groups by name")
    .description(
      "Lists the groups by name: those with members, and those with committed offsets. What cannot be listed now is told.",
    )
    .action((_options: unknown, self: Command) => perform(self, list));
  addSharedOptions(command).addHelpText(
    "after",
    examples(["minikafka-cli groups list", "minikafka-cli groups list -J | jq -r '.groups[].group_id'"]),
  );
}

function declareDescribe(groups: Command, perform: Perform): void {
  const command = groups
    .command("describe")
    .summary("show how far groups are behind, who is in them, or why they were rebalanced")
    .description("Shows how far groups are behind, partition by partition; of all groups when none is named.")
    .argument("[group...]", "the names")
    .option("--members", "who is in it instead, with what each has, waits for and has still to let go")
    .option("--state", "its state instead, and why it was rebalanced last")
    .action((names: string[], options: DescribeOptions, self: Command) =>
      perform(self, (context) => describe(context, names, options), { group: names[0] }),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli groups describe billing",
        "minikafka-cli groups describe billing --members",
        "minikafka-cli groups describe billing -J | jq '.groups[0].partitions[].lag'",
      ],
      "LAG is LOG-END-OFFSET, which is the end of what can be read, less CURRENT-OFFSET, where the group goes on.\n" +
        "A dash: nothing is committed, or nobody has the partition; as LAG also where CURRENT-OFFSET lies past the end, so that\n" +
        "the next read resets. The markers of transactions count in LAG until they are passed over. -J has all three views in one.",
    ),
  );
}

function declareDelete(groups: Command, perform: Perform): void {
  const command = groups
    .command("delete")
    .alias("rm")
    .summary("forget groups without members")
    .description("Forgets groups without members, with all that they have committed.")
    .argument("<group...>", "the names")
    .option("--if-exists", "succeed for those that are not there")
    .option("--dry-run", DRY_RUN_HELP)
    .action((names: string[], options: DeleteOptions, self: Command) =>
      perform(self, (context) => remove(context, names, options), { group: names[0] }),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples([
      "minikafka-cli groups delete billing --dry-run",
      "minikafka-cli groups delete billing",
      "minikafka-cli groups delete billing shipping --if-exists",
    ]),
  );
}

function list(context: Context): Promise<undefined> {
  return withSession(context, async (session) => {
    const { groups, unreadable } = await session.call("list_groups", {});
    if (context.settings.json) {
      await context.data.json({ groups, unreadable });
      return undefined;
    }
    const rows = groups.map((each) => [
      each.group_id,
      each.state,
      each.generation,
      each.members,
      each.coordinator_id,
      each.type,
    ]);
    await context.data.write(
      renderTable(["GROUP", "STATE", "GENERATION", "MEMBERS", "COORDINATOR", "TYPE"], rows),
    );
    remarkUnreadable(context, unreadable);
    if (rows.length + unreadable.length === 0)
      context.notes.remark("no groups yet; the first is made by: minikafka-cli consume TOPIC -g NAME");
    return undefined;
  });
}

function describe(
  context: Context,
  names: readonly string[],
  { members, state }: DescribeOptions,
): Promise<undefined> {
  if (members === true && state === true)
    throw new CliError("USAGE", "--members and --state exclude each other; -J shows both");
  const aspect: GroupAspect = members === true ? "members" : state === true ? "state" : "offsets";
  return withSession(context, async (session) => {
    const wanted = names.length > 0 ? names : await allGroups(context, session);
    await describeGroups(context, session, wanted, aspect);
    return undefined;
  });
}

async function allGroups(context: Context, session: Session): Promise<string[]> {
  const { groups, unreadable } = await session.call("list_groups", {});
  remarkUnreadable(context, unreadable);
  return groups.map((each) => each.group_id);
}

/** Groups are missing then, and nobody can tell which. */
function remarkUnreadable({ notes }: Context, unreadable: Listed["unreadable"]): void {
  for (const { partition, code, message } of unreadable)
    notes.remark(`the groups in __consumer_offsets [${partition}] are missing: ${code}: ${message}`);
  if (unreadable.length > 0)
    notes.remark(
      "minikafka-cli describe shows which brokers run, promote __consumer_offsets BROKER -p N lets another one lead",
    );
}

function remove(context: Context, names: readonly string[], options: DeleteOptions): Promise<undefined> {
  if (new Set(names).size < names.length) throw new CliError("USAGE", "a group is named twice");
  return withSession(context, async (session) => {
    const act = options.dryRun === true ? showGroupDeletion : removeOne;
    for (const group of names) {
      if (await whenThere(options, "UNKNOWN_GROUP", () => act(context, session, group))) continue;
      if (context.settings.json) await context.data.json({ group_id: group, deleted: false });
      else await context.data.line(`there is no group ${group}`);
    }
    return undefined;
  });
}

async function removeOne(context: Context, session: Session, group: string): Promise<void> {
  await session.call("delete_group", { group_id: group });
  if (context.settings.json) await context.data.json({ group_id: group, deleted: true });
  else await context.data.line(`deleted group ${group}`);
}
