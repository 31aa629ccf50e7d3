/** `snapshot`: states of a cluster with a manual clock, to be gone back to. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { counted } from "../log/sizes-text.ts";
import { examples } from "../output/examples.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

/** A load and a diff do once more all that had happened. */
const PATIENCE_MS = 10 * 60 * 1000;

const NOTE =
  "Snapshots need a broker with --clock manual. A load closes every other connection, since their clients know of\n" +
  "things that have not happened any more; what was not saved is lost. It is refused, and nothing is touched, where\n" +
  "what happened does not come out as it was, which another version of the broker or a changed file brings about;\n" +
  "with --accept-difference it is loaded all the same, and the exit code is 6.";

type Snapshot = ParsedResponse<"save_snapshot">;

export function declareSnapshot(program: Command, perform: Perform): void {
  const snapshot = program
    .command("snapshot")
    .alias("snapshots")
    .summary("name a state of the cluster, and go back to it")
    .description("Names states of a cluster with a manual clock, so that an experiment can be taken back.");
  const save = snapshot
    .command("save")
    .summary("name the present state")
    .description("Names the present state; one of that name is replaced.")
    .argument("<name>", "letters, digits, dots, underscores and dashes")
    .option("-f, --folder", "keep it in the broker's data folder, not only until the broker ends")
    .action((name: string, options: { readonly folder?: boolean }, self: Command) =>
      perform(self, (context) => saveOne(context, name, options.folder === true)),
    );
  const load = snapshot
    .command("load")
    .summary("go back to a state")
    .description("Makes the cluster be as it was, to the last byte and what was only in memory.")
    .argument("<name>", "which one")
    .option("--accept-difference", "also where it does not come out as it was; says where")
    .action((name: string, options: { readonly acceptDifference?: boolean }, self: Command) =>
      perform(self, (context) => loadOne(context, name, options.acceptDifference === true)),
    );
  const list = snapshot
    .command("list")
    .alias("ls")
    .summary("list the snapshots")
    .description("Lists the snapshots by name.")
    .action((_options: unknown, self: Command) => perform(self, listAll));
  const remove = snapshot
    .command("delete")
    .alias("rm")
    .summary("forget a snapshot")
    .description("Forgets a snapshot; the cluster stays as it is.")
    .argument("<name>", "which one")
    .action((name: string, _options: unknown, self: Command) =>
      perform(self, (context) => deleteOne(context, name)),
    );
  const diff = snapshot
    .command("diff")
    .summary("show where two states differ")
    .description("Shows where a state differs from another one, or from the present.")
    .argument("<from>", "a snapshot")
    .argument("[to]", "another one; left out: the cluster as it is now")
    .action((from: string, to: string | undefined, _options: unknown, self: Command) =>
      perform(self, (context) => showDiff(context, from, to)),
    );
  const texts = examples(
    [
      "minikafka-cli snapshot save before",
      "minikafka-cli snapshot diff before",
      "minikafka-cli snapshot load before",
      "minikafka-cli snapshot list -J",
    ],
    NOTE,
  );
  for (const command of [snapshot, save, load, list, remove, diff])
    addSharedOptions(command).addHelpText("after", texts);
}

function saveOne(context: Context, name: string, inFolder: boolean): Promise<undefined> {
  return withSession(context, async (session) => {
    const saved = await session.call("save_snapshot", { name, keep: inFolder ? "folder" : "memory" });
    await printOne(context, saved);
    return undefined;
  });
}

async function loadOne(context: Context, name: string, accept: boolean): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  await withSession(
    context,
    async (session) => {
      const { difference, ...loaded } = await session.call("load_snapshot", {
        name,
        ...(accept ? { accept_difference: true } : {}),
      });
      if (context.settings.json) await context.data.json({ ...loaded, difference });
      else await printOne(context, loaded);
      if (difference === null) return undefined;
      const { entry, saved, replayed } = difference;
      context.notes.remark(`entry ${entry + 1} is another one than it was`);
      context.notes.remark(`was ${saved ?? "-"}`);
      context.notes.remark(`is  ${replayed ?? "-"}`);
      code = EXIT.damaged;
      return undefined;
    },
    PATIENCE_MS,
  );
  return code;
}

function listAll(context: Context): Promise<undefined> {
  return withSession(context, async (session) => {
    const { snapshots } = await session.call("list_snapshots", {});
    if (context.settings.json) {
      for (const each of snapshots) await context.data.json(each);
      return undefined;
    }
    const rows = snapshots.map(({ name, keep, entries, time_ms }): Cell[] => [
      name,
      keep,
      entries ?? "-",
      time_ms ?? "-",
    ]);
    if (rows.length > 0)
      await context.data.write(renderTable(["NAME", "KEPT-IN", "ENTRIES", "TIME-MS"], rows));
    for (const { name, problem } of snapshots)
      if (problem !== undefined) context.notes.remark(`${name} cannot be read: ${problem}`);
    return undefined;
  });
}

function deleteOne(context: Context, name: string): Promise<undefined> {
  return withSession(context, async (session) => {
    const gone = await session.call("delete_snapshot", { name });
    if (context.settings.json) await context.data.json(gone);
    return undefined;
  });
}

function showDiff(context: Context, from: string, to: string | undefined): Promise<undefined> {
  return withSession(
    context,
    async (session) => {
      const fields = to === undefined ? { from } : { from, to };
      const { differences } = await session.call("diff_snapshots", fields);
      for (const each of differences) {
        if (context.settings.json) await context.data.json(each);
        else await context.data.line(`${each.path}: ${shown(each.from)} -> ${shown(each.to)}`);
      }
      if (differences.length === 0) context.notes.remark("no difference");
      return undefined;
    },
    PATIENCE_MS,
  );
}

async function printOne(context: Context, { name, keep, entries, time_ms }: Snapshot): Promise<void> {
  if (context.settings.json) await context.data.json({ name, keep, entries, time_ms });
  else
    await context.data.line(
      `${name}: ${entries === null ? "-" : counted(entries, "entry", "entries")}, at ${time_ms} ms`,
    );
}

function shown(value: unknown): string {
  return value === undefined ? "-" : JSON.stringify(value);
}
