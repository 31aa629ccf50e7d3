/** Standard error, where everything goes that is not data: errors always, hints and remarks unless `-q`. */
import type { Failure } from "../failure.ts";
import type { OutputStream } from "./data-sink.ts";
import { printable } from "./printable.ts";

export interface NotesOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  /** `NO_COLOR` is honoured; see https://no-color.org. */
  readonly env: { readonly [name: string]: string | undefined };
}

const RED = 31;
const CYAN = 36;
/** Back to the beginning of the line, and nothing on it any more. */
const ERASE_LINE = "\r\u001b[2K";
const COLUMNS_DEFAULT = 80;

export class Notes {
  readonly #stream: OutputStream;
  readonly #options: NotesOptions;
  readonly #coloured: boolean;
  /** A line of progress stands there, for the next one to take its place. */
  #inProgress = false;

  constructor(stream: OutputStream, options: NotesOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#coloured = stream.isTTY === true && (options.env.NO_COLOR ?? "") === "";
  }

  /** A remark for a person, kcat's `% …`. Programs, which asked for JSON or quiet, don't get it. */
  remark(text: string): void {
    if (!this.#options.quiet && !this.#options.json) this.#write(`% ${printable(text)}\n`);
  }

  /** As it is: help that nobody has asked for. */
  text(text: string): void {
    this.#write(text);
  }

  /** How far long work has come: one line, on a terminal alone, that the next thing written takes the place of. */
  progress(text: string): void {
    if (!this.showsProgress) return;
    const wide = (this.#stream as { readonly columns?: number }).columns || COLUMNS_DEFAULT;
    this.#write(`% ${printable(text)}`.slice(0, wide - 1));
    this.#inProgress = true;
  }

  /** Ends the line of progress, so that what comes on stdout has the terminal's line for itself. */
  progressDone(): void {
    this.#write("");
  }

  get showsProgress(): boolean {
    return this.#stream.isTTY === true && !this.#options.quiet && !this.#options.json;
  }

  /** `error:` and `hint:`, one line each; with `--json` one object. A hint is advice, so `-q` drops it. */
  failure(failure: Failure, hint: string | null): void {
    if (this.#options.json) {
      const { code, retriable, message, details } = failure;
      const advice = hint === null ? {} : { hint };
      this.#write(`${JSON.stringify({ error: { code, retriable, message, details, ...advice } })}\n`);
      return;
    }
    this.#write(`${this.#paint("error:", RED)} ${failure.code}: ${printable(failure.message)}\n`);
    if (hint !== null && !this.#options.quiet)
      this.#write(`${this.#paint("hint:", CYAN)} ${printable(hint)}\n`);
  }

  #paint(text: string, colour: number): string {
    return this.#coloured ? `\u001b[${colour}m${text}\u001b[0m` : text;
  }

  #write(text: string): void {
    const over = this.#inProgress ? ERASE_LINE : "";
    this.#inProgress = false;
    if (!this.#stream.writable || over + text === "") return;
    try {
      this.#stream.write(over + text);
    } catch {
      // A file refuses at once (a full disk). There is nowhere left to say so, and the work goes on.
    }
  }
}
