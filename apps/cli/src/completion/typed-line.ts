/** A command line that is still being typed, read as commander would read it: which command it has come to, and what it expects. */
import type { Command, Option } from "commander";

export interface TypedLine {
  /** The innermost command that is named. */
  readonly command: Command;
  /** Its arguments before the word that is being typed. */
  readonly given: readonly string[];
  /** The last value of each option, by its long name, whichever command it was given to. */
  readonly values: ReadonlyMap<string, string>;
  /** The option whose value is being typed. */
  readonly expecting: Option | null;
  /** What stands before that value in the same word: `--isolation=`. */
  readonly lead: string;
  /** The rest of that word: what is there to be completed. */
  readonly typed: string;
  /** `--` has been typed: what follows is no option. */
  readonly optionsEnded: boolean;
  /** The command is asked for its help: one of its own may follow, and nothing else. */
  readonly asksForHelp: boolean;
}

/** `words` are those behind the program's own name; the last one is being typed, and empty when it has not begun. */
export function readTypedLine(program: Command, words: readonly string[]): TypedLine {
  const walk = new Walk(program);
  for (const word of words.slice(0, -1)) walk.take(word);
  return walk.at(words.at(-1) ?? "");
}

class Walk {
  #command: Command;
  #given: string[] = [];
  #expecting: Option | null = null;
  #optionsEnded = false;
  #asksForHelp = false;
  readonly #values = new Map<string, string>();

  constructor(program: Command) {
    this.#command = program;
  }

  take(word: string): void {
    if (this.#expecting !== null) {
      this.#values.set(nameOf(this.#expecting), word);
      this.#expecting = null;
    } else if (this.#optionsEnded || !word.startsWith("-") || word === "-") this.#takeArgument(word);
    else if (word === "--") this.#optionsEnded = true;
    else this.#takeOption(word);
  }

  at(word: string): TypedLine {
    const opened = this.#expecting === null && !this.#optionsEnded ? this.#attached(word) : null;
    return {
      command: this.#command,
      given: this.#given,
      values: this.#values,
      expecting: opened?.option ?? this.#expecting,
      lead: opened?.lead ?? "",
      typed: opened === null ? word : word.slice(opened.lead.length),
      optionsEnded: this.#optionsEnded,
      asksForHelp: this.#asksForHelp,
    };
  }

  #takeArgument(word: string): void {
    const mayDescend = this.#given.length === 0 && !this.#asksForHelp;
    const inner = mayDescend ? subcommand(this.#command, word) : undefined;
    if (inner !== undefined) this.#command = inner;
    else if (word === "help" && mayDescend && this.#command.commands.length > 0) this.#asksForHelp = true;
    else this.#given.push(word);
  }

  #takeOption(word: string): void {
    const opened = this.#attached(word);
    if (opened !== null) this.#values.set(nameOf(opened.option), word.slice(opened.lead.length));
    else this.#expecting = this.#waiting(word);
  }

  /** The option whose value stands in the same word, as in `--acks=all` and `-p0`. */
  #attached(word: string): { readonly option: Option; readonly lead: string } | null {
    const long = /^(--[^=]+)=/.exec(word);
    if (long !== null) {
      const option = this.#option(long[1] ?? "");
      return option?.required ? { option, lead: long[0] } : null;
    }
    if (!/^-[^-]./.test(word)) return null;
    for (let end = 2; end < word.length; end++) {
      const option = this.#option(`-${word[end - 1]}`);
      if (option?.required) return { option, lead: word.slice(0, end) };
    }
    return null;
  }

  /** The option that takes the next word for its value. */
  #waiting(word: string): Option | null {
    const option = this.#option(word.startsWith("--") ? word : `-${word.at(-1)}`);
    return option?.required ? option : null;
  }

  #option(flag: string): Option | undefined {
    return this.#command.options.find(({ long, short }) => long === flag || short === flag);
  }
}

function subcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((each) => each.name() === word || each.aliases().includes(word));
}

/** The long name, or the short one where there is no other. */
export function nameOf(option: Option): string {
  return option.long ?? option.short ?? option.flags;
}
