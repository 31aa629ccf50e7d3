/** What may stand in place of the word that is being typed. */
import type { Command } from "commander";
import { type Kind, kindsOfArgument, kindsOfValue, type LiveKind, type OwnKind } from "./kinds.ts";
import { readTypedLine, type TypedLine } from "./typed-line.ts";

export interface Candidate {
  readonly word: string;
  /** For shells that show it beside the word. */
  readonly about?: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Names of files may stand there as well, which the shell knows best. */
  readonly files: boolean;
}

/** Asks whoever knows; nothing when nobody answers. Never throws. */
export type NamesOf = (kind: LiveKind | OwnKind, line: TypedLine) => Promise<readonly Candidate[]>;

/** `words` as {@link readTypedLine} takes them. */
export async function completionOf(
  program: Command,
  words: readonly string[],
  namesOf: NamesOf,
): Promise<Completion> {
  const line = readTypedLine(program, words);
  const found = await everythingAt(line, namesOf);
  const candidates = found.candidates
    .filter(({ word }) => word.startsWith(line.typed))
    .map((candidate) => ({ ...candidate, word: line.lead + candidate.word }));
  return { candidates, files: found.files };
}

async function everythingAt(line: TypedLine, namesOf: NamesOf): Promise<Completion> {
  const { command, expecting } = line;
  if (line.asksForHelp)
    return { candidates: line.given.length === 0 ? subcommandsOf(command) : [], files: false };
  if (expecting !== null) return ofKinds(kindsOfValue(command, expecting) ?? [], line, namesOf);
  if (line.typed.startsWith("-") && !line.optionsEnded)
    return { candidates: optionsOf(command), files: false };
  const inner = line.given.length === 0 ? subcommandsOf(command) : [];
  const own = await ofKinds(argumentKinds(line), line, namesOf);
  return { candidates: [...inner, ...own.candidates], files: own.files };
}

function argumentKinds({ command, given }: TypedLine): readonly Kind[] {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[given.length] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? [] : (kindsOfArgument(command, argument) ?? []);
}

async function ofKinds(kinds: readonly Kind[], line: TypedLine, namesOf: NamesOf): Promise<Completion> {
  const candidates: Candidate[] = [];
  for (const kind of kinds) {
    if (kind === "files") continue;
    if (typeof kind === "object") candidates.push(...kind.choices.map((word) => ({ word })));
    else candidates.push(...(await namesOf(kind, line)));
  }
  // A name twice is refused by every command that takes several.
  const fresh = candidates.filter(({ word }) => line.expecting !== null || !line.given.includes(word));
  return { candidates: fresh, files: kinds.includes("files") };
}

function subcommandsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ word: each.name(), about: each.summary() || each.description() }));
}

function optionsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ word: long ?? short ?? "", about: description }));
}
