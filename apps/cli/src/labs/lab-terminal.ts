/** One terminal of a lab: a command line of this program at a time, its streams, and its end. */
import { PassThrough } from "node:stream";
import type { Context } from "../context.ts";
import { BROKER_VARIABLE, CONTEXT_VARIABLE } from "../contexts/target.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { BrokerAddress } from "../input/arguments.ts";
import { brokerText } from "../input/arguments.ts";
import type { LabPrinter } from "./lab-printer.ts";
import { wordsOf } from "./lab-script.ts";

/** As after Ctrl-C. */
const WIND_UP_MS = 2_000;

export class LabTerminal {
  readonly #context: Context;
  readonly #printer: LabPrinter;
  readonly #name: string;
  #stdin = new PassThrough();
  #interrupt = new AbortController();
  #running: Promise<ExitCode> = Promise.resolve(EXIT.ok);

  constructor(context: Context, printer: LabPrinter, name: string) {
    this.#context = context;
    this.#printer = printer;
    this.#name = name;
  }

  /**
   * Begins a command; `seq A B | …` pipes numbers into it, `… >/dev/null` drops what it prints but for remarks and errors. Resolves
   * with its exit code when it has ended.
   */
  run(text: string, broker: BrokerAddress): Promise<ExitCode> {
    const [, shown = text, silenced] = /^(.*) (>\/dev\/null)$/.exec(text) ?? [];
    const [, first, last, piped] = /^seq (\d+) (\d+) \| (.*)$/.exec(shown) ?? [];
    this.#stdin = new PassThrough();
    for (let number = Number(first); number <= Number(last); number++) this.#stdin.write(`${number}\n`);
    // What nobody types into, in the terminal of the lab itself, has no more to read.
    if (this.#name === "" || piped !== undefined) this.#stdin.end();
    this.#interrupt = new AbortController();
    const { env, interrupted } = this.#context;
    const stream = this.#printer.streamOf(this.#name);
    this.#running = this.#context.runAnother(wordsOf(piped ?? shown), {
      stdin: this.#stdin,
      stdout: silenced === undefined ? stream : new PassThrough().resume(),
      stderr: stream,
      env: { ...env, [BROKER_VARIABLE]: brokerText(broker), [CONTEXT_VARIABLE]: "" },
      interrupted: AbortSignal.any([interrupted, this.#interrupt.signal]),
    });
    return this.#running;
  }

  type(text: string): void {
    if (text === "^D") this.#stdin.end();
    else if (text === "^C") this.#interrupt.abort();
    else this.#stdin.write(`${text}\n`);
  }

  /** Ctrl-C, and the end of whatever ran; what goes on for longer than a command may after Ctrl-C, ends with the process. */
  async close(): Promise<void> {
    this.#interrupt.abort();
    this.#stdin.end();
    const { systemClock } = await import("@minikafka/client");
    let cancel: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = systemClock.after(WIND_UP_MS, resolve);
    });
    await Promise.race([this.#running, late]);
    cancel();
  }
}
