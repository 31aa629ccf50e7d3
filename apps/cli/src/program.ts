/**
 * The tree of commands, or of those that a line needs. Only declarations: each command loads what it needs when it runs, so that `--help` is
 * quick.
 */
import { Command, type OutputConfiguration } from "commander";
import type { Perform } from "./context.ts";
import { EXIT, EXIT_MEANINGS } from "./exit-codes.ts";
import { examples } from "./output/examples.ts";
import { PARTS, type Part } from "./parts.ts";
import { addSharedOptions } from "./settings.ts";
import { version } from "./version.ts";

export function createProgram(
  perform: Perform,
  output: OutputConfiguration,
  parts: readonly Part[] = PARTS,
): Command {
  const program = new Command("minikafka-cli")
    .description("Talks to a MiniKafka broker: topics, records, groups, and a look inside.")
    .exitOverride()
    .configureOutput(output)
    // Options after a command's name are that command's: without this, commander would take `-v -q` apart.
    .enablePositionalOptions()
    .version(version(), "-V, --version", "print the version")
    .helpCommand("help [command]", "show a command's help");
  for (const [declare] of parts) declare(program, perform);
  addSharedOptions(program);
  return program.addHelpText(
    "after",
    examples(
      [
        "minikafka-cli topics create orders -p 2",
        "echo created | minikafka-cli produce orders -k alice",
        "minikafka-cli fetch orders -p 1 -e -J",
        "minikafka-cli consume orders -g billing",
      ],
      `Data goes to stdout, all else to stderr. Exit codes:\n${exitCodes()}.\n` +
        "minikafka-cli cheat has commands to copy, a screen for each subject.",
    ),
  );
}

function exitCodes(): string {
  const codes = Object.entries(EXIT_MEANINGS) as [keyof typeof EXIT, string][];
  return codes.map(([name, meaning]) => `${EXIT[name]} ${meaning}`).join(", ");
}
