/** A line as commander takes it: a command runs, or it ends otherwise, with help or a refusal. */
import { type Command, CommanderError, type OutputConfiguration } from "commander";
import type { Perform } from "./context.ts";
import { partsNamed } from "./parts.ts";
import { createProgram } from "./program.ts";

/** How commander ended it instead of a command, and where in the tree. */
export interface Ended {
  readonly error: CommanderError;
  readonly command: Command;
}

/** `null` when a command ran. */
export async function parsed(program: Command, argv: readonly string[]): Promise<Ended | null> {
  let at = program;
  const watch = (command: Command): void => {
    command.exitOverride((error) => {
      at = command;
      throw error;
    });
    for (const inner of command.commands) watch(inner);
  };
  watch(program);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { error, command: at };
  }
}

const SILENT: OutputConfiguration = {
  writeOut: () => undefined,
  writeErr: () => undefined,
  outputError: () => undefined,
};

/** Whether a command ran in a tree with the part alone that the line names. Help and refusals are for the whole tree to give. */
export async function ranAlone(argv: readonly string[], perform: Perform): Promise<boolean> {
  const parts = partsNamed(argv);
  return parts.length > 0 && (await parsed(createProgram(perform, SILENT, parts), argv)) === null;
}
