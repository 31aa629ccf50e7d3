/** `version`: which one this program is. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";
import { version, versionDocument } from "../version.ts";

export function declareVersion(program: Command, perform: Perform): void {
  const command = program
    .command("version")
    .summary("print the version")
    .description(
      "Prints the version of this program, as -V does; with -J also that of Node. ping tells the broker's.",
    )
    .action((_options: unknown, self: Command) => perform(self, printVersion));
  addSharedOptions(command).addHelpText(
    "after",
    examples(["minikafka-cli version", "minikafka-cli version -J | jq -r .version"]),
  );
}

async function printVersion({ settings, data }: Context): Promise<undefined> {
  await (settings.json ? data.json(versionDocument()) : data.line(version()));
}
