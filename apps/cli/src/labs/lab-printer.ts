/**
 * What a lab prints, and what was printed since its last act.
 *
 * Invariants: a line is whole; with -J it is a JSON object, else text, what commands print indented under them.
 */
import { PassThrough } from "node:stream";
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";

/** How long something that was foretold may take. */
const PATIENCE_MS = 20_000;

export class LabPrinter {
  readonly #context: Context;
  #printing: Promise<void> = Promise.resolve();
  #recent: string[] = [];
  #heard: () => void = () => undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** From here on is "since the last act". */
  begin(): void {
    this.#recent = [];
  }

  say(kind: string, text: string): void {
    this.#enqueue({ type: kind, text }, kind === "asked" && text !== "" ? `? ${text}` : text);
  }

  /** Where a command of a lab prints. `terminal`: named when it is one of its own. */
  streamOf(terminal: string): PassThrough {
    const stream = new PassThrough();
    let rest = "";
    const print = (line: string) => {
      this.#recent.push(terminal === "" ? line : `${terminal}: ${line}`);
      const named = terminal === "" ? {} : { terminal };
      this.#enqueue(
        { type: "output", ...named, text: line },
        `    ${terminal === "" ? "" : `${terminal}: `}${line}`,
      );
      this.#heard();
    };
    stream.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) print(line);
    });
    return stream;
  }

  /** Resolves once a line with `text` has been printed since the last act. Throws UNEXPECTED when it never is. */
  async until(text: string): Promise<void> {
    const { interrupted } = this.#context;
    const { systemClock } = await import("@minikafka/client");
    const wake = () => this.#heard();
    let isOver = false;
    const cancel = systemClock.after(PATIENCE_MS, () => {
      isOver = true;
      wake();
    });
    interrupted.addEventListener("abort", wake);
    try {
      while (!this.#recent.some((line) => line.includes(text)) && !interrupted.aborted) {
        if (isOver)
          throw new CliError(
            "UNEXPECTED",
            `the lab expected "${text}", and saw: ${this.#recent.join(" / ")}`,
          );
        await new Promise<void>((resolve) => {
          this.#heard = resolve;
        });
      }
    } finally {
      cancel();
      interrupted.removeEventListener("abort", wake);
    }
  }

  /** Resolves when all of it has been written. Throws OutputClosed. */
  flushed(): Promise<void> {
    return this.#printing;
  }

  #enqueue(document: object, line: string): void {
    const { settings, data } = this.#context;
    this.#printing = this.#printing.then(() => (settings.json ? data.json(document) : data.line(line)));
    this.#printing.catch(() => undefined);
  }
}
