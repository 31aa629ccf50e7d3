/**
 * A lab as a text: what is told, asked and done, line by line.
 *
 *     # told to the reader; the first line is the title
 *     ? asked before the outcome
 *     $ minikafka-broker --data lab --clock manual     starts a broker, or starts it again on what it has left
 *     > topics create orders                           a command of minikafka-cli
 *     a> produce orders -v x --acks all                the same in a terminal of its own, where it may wait
 *     a< some text                                     typed into the command that waits in terminal a; ^D ends its input
 *     ! kill -9                                        what befalls the broker
 *     ~ offset 0                                       goes on once this has been printed since the last act; fails when it never is
 */

export type LabLine =
  | { readonly kind: "told" | "asked" | "awaited" | "befallen" | "broker"; readonly text: string }
  | LabCommand
  | { readonly kind: "typed"; readonly terminal: string; readonly text: string };

export interface LabCommand {
  readonly kind: "command";
  /** Empty for the lab's own. */
  readonly terminal: string;
  readonly text: string;
}

const PLAIN = { "#": "told", "?": "asked", "~": "awaited", "!": "befallen", $: "broker" } as const;

/** Throws for a line that is none of a lab's: labs are a part of this program. */
export function linesOf(script: string): readonly LabLine[] {
  return script
    .trim()
    .split("\n")
    .map((line): LabLine => {
      if (line === "" || line === "#") return { kind: "told", text: "" };
      const [, mark = "", text = ""] = /^(\S+) (.*)$/.exec(line) ?? [];
      if (Object.hasOwn(PLAIN, mark)) return { kind: PLAIN[mark as keyof typeof PLAIN], text };
      const [, terminal, sign] = /^([a-z]?)([<>])$/.exec(mark) ?? [];
      if (terminal === undefined) throw new Error(`no line of a lab: ${line}`);
      return sign === ">" ? { kind: "command", terminal, text } : { kind: "typed", terminal, text };
    });
}

/** The words of a line, as a shell has them. */
export function wordsOf(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? "",
  );
}
