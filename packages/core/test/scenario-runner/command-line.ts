/** A command line, taken apart by the usage line of its command, as `minikafka-cli` spells it. */

/** `produce <topic> [-v --value TEXT] [-e --exit]`: words, then arguments; an option with a word in capitals takes a value. */
export interface Usage {
  readonly words: readonly string[];
  /** The names of its arguments, and whether each may be left out. */
  readonly arguments: readonly { readonly name: string; readonly isOptional: boolean }[];
  /** By each spelling: its long name, and whether it takes a value. */
  readonly options: ReadonlyMap<string, { readonly name: string; readonly takesValue: boolean }>;
}

export function parseUsage(text: string): Usage {
  const words: string[] = [];
  const taken: { name: string; isOptional: boolean }[] = [];
  const options = new Map<string, { name: string; takesValue: boolean }>();
  for (const [, option, argument, optional, word] of text.matchAll(
    /\[(-[^\]]+)\]|<(\w+)>|\[(\w+)\]|(\S+)/g,
  )) {
    if (word !== undefined) words.push(word);
    else if (argument !== undefined) taken.push({ name: argument, isOptional: false });
    else if (optional !== undefined) taken.push({ name: optional, isOptional: true });
    else {
      const spellings = (option ?? "").split(" ");
      const flags = spellings.filter((spelling) => spelling.startsWith("-"));
      const name = (flags.at(-1) ?? "").replace(/^-+/, "");
      for (const flag of flags) options.set(flag, { name, takesValue: flags.length < spellings.length });
    }
  }
  return { words, arguments: taken, options };
}

/** What was given, by name. */
export class Given {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  text(name: string): string | undefined {
    return this.all(name)[0];
  }

  required(name: string): string {
    const text = this.text(name);
    if (text === undefined) throw new Error(`${name} is missing`);
    return text;
  }

  /** A whole number. */
  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^-?\d+$/.test(text)) throw new Error(`${name} is ${text}; expected a number`);
    return Number(text);
  }
}

/** The words of a line, as a shell has them. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  const pattern = /\s*((?:'[^']*'|"[^"]*"|[^\s'"]+)+)/gy;
  let end = 0;
  for (const match of line.matchAll(pattern)) {
    end = match.index + match[0].length;
    words.push((match[1] ?? "").replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
  }
  if (line.slice(end).trim() !== "") throw new Error(`cannot be read from here on: ${line.slice(end)}`);
  return words;
}

/** `words`: behind those of the command. Throws for an option that it does not have, and for too many or too few arguments. */
export function given(usage: Usage, words: readonly string[]): Given {
  const values = new Map<string, string[]>();
  const add = (name: string, value: string) => values.set(name, [...(values.get(name) ?? []), value]);
  const bare: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    const option = usage.options.get(word);
    if (option !== undefined) add(option.name, option.takesValue ? (words[++index] ?? "") : "");
    else if (/^--?[a-zA-Z]/.test(word)) throw new Error(`${word} is no option of ${usage.words.join(" ")}`);
    else bare.push(word);
  }
  for (const { name, isOptional } of usage.arguments) {
    const value = bare.shift();
    if (value !== undefined) add(name, value);
    else if (!isOptional) throw new Error(`${usage.words.join(" ")}: <${name}> is missing`);
  }
  if (bare.length > 0) throw new Error(`${usage.words.join(" ")}: ${bare.join(" ")} is too much`);
  return new Given(values);
}

/** The partition that is named; the first, where none is. */
export function placeOf(given: Given): { topic: string; partition: number } {
  return { topic: given.required("topic"), partition: given.number("partition") ?? 0 };
}

/** `500ms`, `10s`, `1h`. */
export function durationMs(text: string): number {
  const [, count, unit = ""] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit];
  if (unitMs === undefined) throw new Error(`${text} is no duration; expected such as 500ms, 10s or 1h`);
  return Number(count) * unitMs;
}
