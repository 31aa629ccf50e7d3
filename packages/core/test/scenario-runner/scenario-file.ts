/**
 * A scenario as a file: what is done and, under it, what it showed. The same text is read as input and as expectation.
 *
 *     # prose, for the reader
 *     $ minikafka-broker --data ./lab --clock manual     starts a broker
 *     > step replicate orders                            a command of minikafka-cli
 *     a> produce orders -v x --acks all                  the same in a terminal of its own, where it may wait
 *     a< some text                                       typed into the command that waits in terminal a; ^D ends the input
 *     ! kill -9                                          what befalls the machine
 *         indented by four: what it showed
 */

export interface Act {
  readonly kind: "act";
  /** In the file, from 1. */
  readonly line: number;
  /** `$`, `>`, `!`, or with the name of a terminal before it: `a>`, `a<`. */
  readonly prompt: string;
  readonly text: string;
}

export type Part = Act | { readonly kind: "text"; readonly text: string };

const ACT = /^(\$|!|>|[a-z]+>|[a-z]+<) (.*)$/;
const INDENT = "    ";

/** Throws for a line that is none of a scenario's, and for an expectation that stands under no act. */
export function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  const lines = text.replace(/\n$/, "").split("\n");
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    const act = ACT.exec(line);
    if (act !== null) parts.push({ kind: "act", line: number, prompt: act[1] ?? "", text: act[2] ?? "" });
    else if (line === "" || line === "#" || line.startsWith("# ")) parts.push({ kind: "text", text: line });
    else if (!line.startsWith(INDENT)) throw new Error(`line ${number} is no line of a scenario: ${line}`);
    else if (parts.at(-1)?.kind !== "act")
      throw new Error(`line ${number} is expected of nothing that was done: ${line}`);
  }
  return parts;
}

/** The file again, with what each act showed now. */
export function renderParts(parts: readonly Part[], shown: ReadonlyMap<Part, readonly string[]>): string {
  const lines = parts.flatMap((part) => {
    if (part.kind === "text") return [part.text];
    return [`${part.prompt} ${part.text}`, ...(shown.get(part) ?? []).map((line) => `${INDENT}${line}`)];
  });
  return `${lines.join("\n")}\n`;
}
