/** `context`: brokers by names of one's own, one of them for every day. */
import { type Command, InvalidArgumentError } from "commander";
import type { Context, Perform } from "../context.ts";
import { changeContexts } from "../contexts/change-contexts.ts";
import { type Contexts, isContextName, NAME_EXPECTED, readContexts } from "../contexts/context-file.ts";
import { contextsFile } from "../contexts/context-place.ts";
import { requireContext } from "../contexts/target.ts";
import { CliError } from "../failure.ts";
import { type BrokerAddress, brokerText, parseBroker } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { renderTable } from "../output/table.ts";
import { addSharedOptions } from "../settings.ts";

const NOTE = `\
A broker is the one that -b or --context names on the line; else that of MINIKAFKA_BROKER or MINIKAFKA_CONTEXT; else the
current context's; else 127.0.0.1:9192. Two at once are refused, so that nothing is done to the wrong one.
Contexts are kept in minikafka/contexts.json in the folder of your settings: $XDG_CONFIG_HOME, ~/.config without it,
%APPDATA% on Windows. None of these commands connects to a broker.`;

const SHOWN = [
  "minikafka-cli context add local 127.0.0.1:9192 --use",
  "minikafka-cli context add spare 127.0.0.1:9193",
  "minikafka-cli context list",
  "minikafka-cli context use spare",
  "minikafka-cli context use --none",
  "minikafka-cli context remove spare",
];

export function declareContexts(program: Command, perform: Perform): void {
  const group = program
    .command("context")
    .alias("contexts")
    .summary("give brokers names, and choose one for every day")
    .description("Names of your own for brokers, one of which counts where no broker is named.");
  const add = group
    .command("add")
    .summary("name a broker")
    .description("Names a broker. Nobody asks whether it runs.")
    .argument("<name>", "letters, digits, dots, underscores and dashes", parseName)
    .argument("<host:port>", "where it listens", parseBroker)
    .option("--use", "make it the current one")
    .option("--replace", "also where the name is taken")
    .action((name: string, address: BrokerAddress, options: AddOptions, self: Command) =>
      perform(self, (context) => addOne(context, { name, address }, options)),
    );
  const use = group
    .command("use")
    .summary("choose the current context")
    .description("Makes a context the current one, which counts where no broker is named.")
    .argument("[name]", "which one")
    .option("--none", "none, so that the default counts again")
    .action((name: string | undefined, { none }: { readonly none?: true }, self: Command) =>
      perform(self, (context) => useOne(context, name, none === true)),
    );
  const list = group
    .command("list")
    .alias("ls")
    .summary("list the contexts")
    .description("Lists the contexts by name.")
    .action((_options: unknown, self: Command) => perform(self, listAll));
  const remove = group
    .command("remove")
    .alias("rm")
    .summary("forget a context")
    .description("Forgets a context; its broker hears nothing of it.")
    .argument("<name>", "which one")
    .action((name: string, _options: unknown, self: Command) =>
      perform(self, (context) => removeOne(context, name)),
    );
  for (const command of [group, add, use, list, remove])
    addSharedOptions(command).addHelpText("after", examples(SHOWN, NOTE));
}

function parseName(text: string): string {
  if (!isContextName(text)) throw new InvalidArgumentError(NAME_EXPECTED);
  return text;
}

interface AddOptions {
  readonly use?: true;
  readonly replace?: true;
}

async function addOne(
  context: Context,
  { name, address }: { readonly name: string; readonly address: BrokerAddress },
  { use, replace }: AddOptions,
): Promise<undefined> {
  const { current } = await changed(context, [name], ({ current, addresses }) => {
    const before = addresses.get(name);
    if (before !== undefined && replace === undefined)
      throw new CliError("CONTEXT_EXISTS", `the context ${name} is there, for ${brokerText(before)}`, {
        details: { context: name, broker: brokerText(before) },
      });
    return { current: use === true ? name : current, addresses: new Map(addresses).set(name, address) };
  });
  if (current !== name)
    context.notes.remark(
      `minikafka-cli context use ${name} makes it the current one; --context ${name} names it once`,
    );
}

async function useOne(context: Context, name: string | undefined, none: boolean): Promise<undefined> {
  if ((name === undefined) !== none) throw new CliError("USAGE", "expected a context's name, or --none");
  await changed(context, name === undefined ? [] : [name], (contexts) => {
    if (name !== undefined) requireContext(contexts, name);
    return { ...contexts, current: name ?? null };
  });
}

async function removeOne(context: Context, name: string): Promise<undefined> {
  let wasCurrent = false;
  await changed(context, [], (contexts) => {
    requireContext(contexts, name);
    wasCurrent = contexts.current === name;
    const addresses = new Map(contexts.addresses);
    addresses.delete(name);
    return { current: wasCurrent ? null : contexts.current, addresses };
  });
  if (wasCurrent) context.notes.remark("it was the current one; the default counts again");
}

async function listAll(context: Context): Promise<undefined> {
  const contexts = readContexts(contextsFile(context.env));
  await shown(context, contexts, [...contexts.addresses.keys()]);
  if (contexts.addresses.size === 0)
    context.notes.remark("there are none; minikafka-cli context add NAME HOST:PORT makes one");
}

async function changed(
  context: Context,
  names: readonly string[],
  change: (contexts: Contexts) => Contexts,
): Promise<Contexts> {
  const contexts = await changeContexts(contextsFile(context.env), change);
  await shown(context, contexts, names);
  return contexts;
}

/** What the file says now of those that the command was about; as JSON, of the current one too. */
async function shown(
  { settings, data }: Context,
  { current, addresses }: Contexts,
  names: readonly string[],
): Promise<void> {
  const rows = names.map((name) => ({
    name,
    broker: brokerText(addresses.get(name) as BrokerAddress),
    current: name === current,
  }));
  if (settings.json) return data.json({ current, contexts: rows });
  await data.write(
    renderTable(
      ["NAME", "BROKER", "CURRENT"],
      rows.map((row) => [row.name, row.broker, row.current ? "*" : null]),
    ),
  );
}
