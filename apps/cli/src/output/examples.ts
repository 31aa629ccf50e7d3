/** The end of a help page: commands to copy, then what is worth knowing. */
export function examples(commands: readonly string[], note?: string): string {
  const lines = commands.map((command) => `  ${command}`).join("\n");
  return `\nExamples:\n${lines}${note === undefined ? "" : `\n\n${note}`}`;
}
