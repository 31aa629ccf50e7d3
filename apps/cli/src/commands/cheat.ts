/** `cheat`: commands to copy, a screen for each subject. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { examples } from "../output/examples.ts";
import { renderTable } from "../output/table.ts";
import { addSharedOptions } from "../settings.ts";

const NOTE =
  "They need no broker to be printed. Each can be typed as it stands beside the broker that its first line names.";

export function declareCheat(program: Command, perform: Perform): void {
  const command = program
    .command("cheat")
    .summary("show commands to copy, a screen for each subject")
    .description("Shows a cheat sheet: commands to copy. Without a name it lists the sheets.")
    .argument("[sheet]", "its name")
    .action((name: string | undefined, _options: unknown, self: Command) =>
      perform(self, (context) => (name === undefined ? list(context) : show(context, name))),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(["minikafka-cli cheat", "minikafka-cli cheat produce", "minikafka-cli cheat kafka"], NOTE),
  );
}

async function list({ settings, data }: Context): Promise<undefined> {
  const { SHEET_TEXTS } = await import("../cheat/sheet-texts.ts");
  const sheets = SHEET_TEXTS.map(({ name, title }) => ({ name, title }));
  if (settings.json) return data.json({ sheets }).then(() => undefined);
  const rows = sheets.map(({ name, title }) => [name, title]);
  await data.write(renderTable(["SHEET", "TITLE"], rows));
  return undefined;
}

async function show({ settings, data }: Context, name: string): Promise<undefined> {
  const { commandsOf, sheetNamed, sheetText } = await import("../cheat/sheets.ts");
  const sheet = sheetNamed(name);
  const { title, broker } = sheet;
  if (settings.json) await data.json({ name, title, broker, commands: commandsOf(sheet) });
  else await data.write(sheetText(sheet));
  return undefined;
}
