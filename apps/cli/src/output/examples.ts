/** The end of a help page: commands to copy, then what is worth knowing. */
import type { Command } from "commander";

const TITLE = "Examples:";

export function examples(commands: readonly string[], note?: string): string {
  const lines = commands.map((command) => `  ${command}`).join("\n");
  return `\n${TITLE}\n${lines}${note === undefined ? "" : `\n\n${note}`}`;
}

/** The commands to copy that the help of `command` ends with, a line each; none where it has no examples. */
export function examplesOf(command: Command): string[] {
  let help = "";
  const writeOut = (text: string) => {
    help += text;
  };
  command.configureOutput({ writeOut }).outputHelp();
  const [, below = ""] = help.split(`\n${TITLE}\n`);
  const [lines = ""] = below.split("\n\n");
  return lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** The commands to copy of a whole tree, each once, in the order of the reference. */
export function everyExample(program: Command): string[] {
  const below = (command: Command): string[] => [
    ...examplesOf(command),
    ...command.commands.flatMap((each) => below(each)),
  ];
  return [...new Set(below(program))];
}
