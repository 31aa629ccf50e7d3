/** How a command is called. */
import type { Command } from "commander";

/** The command that speaks as a monitor's plugin, also of what is wrong with its line. */
export const CHECK = "check";

/** Its words below the program's own name, such as `topics create`. */
export function wordsOf(command: Command): string {
  const words: string[] = [];
  for (let at = command; at.parent !== null; at = at.parent) words.unshift(at.name());
  return words.join(" ");
}
