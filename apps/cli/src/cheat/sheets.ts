/** The cheat sheets, taken apart: each command with the remark above it. */

import { nearest } from "@minikafka/record";
import { CliError } from "../failure.ts";
import { SHEET_TEXTS, type SheetText } from "./sheet-texts.ts";

export interface SheetCommand {
  /** `null` where the one before says it. */
  readonly about: string | null;
  readonly command: string;
}

/** Throws NOT_FOUND. */
export function sheetNamed(name: string): SheetText {
  const sheet = SHEET_TEXTS.find((each) => each.name === name);
  if (sheet !== undefined) return sheet;
  const meant = nearest(
    name,
    SHEET_TEXTS.map((each) => each.name),
  );
  throw new CliError("NOT_FOUND", `there is no cheat sheet ${name}`, {
    hint: meant === null ? "minikafka-cli cheat lists them" : `did you mean ${meant}?`,
  });
}

export function commandsOf({ text }: SheetText): readonly SheetCommand[] {
  const commands: SheetCommand[] = [];
  let about: string | null = null;
  for (const line of text.trim().split("\n")) {
    if (line.startsWith("# ")) about = line.slice(2);
    else {
      commands.push({ about, command: line });
      about = null;
    }
  }
  return commands;
}

/** As it is read on a terminal, and typed from there. */
export function sheetText({ title, broker, text }: SheetText): string {
  return `# ${title}; with ${broker}\n${text}\n`;
}
