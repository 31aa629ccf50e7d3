/** Runs a lab: tells, asks, does, and shows what came of it. */
import { createInterface, type Interface } from "node:readline";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { CliError } from "../failure.ts";
import type { BrokerAddress } from "../input/arguments.ts";
import { withSession } from "../session.ts";
import { LabBroker } from "./lab-broker.ts";
import { requireFit } from "./lab-fit.ts";
import { LabPrinter } from "./lab-printer.ts";
import { type LabCommand, type LabLine, linesOf } from "./lab-script.ts";
import { LabTerminal } from "./lab-terminal.ts";
import { labNamed } from "./labs.ts";

export interface LabRunOptions {
  /** A line of stdin is waited for at each question. */
  readonly step: boolean;
  /** A broker that runs already; left out, the lab has one of its own. */
  readonly broker: BrokerAddress | null;
}

/** What has been read of one connection is printed while the next answers are waited for: parsed, handed over, written. */
const ROUND_TRIPS = 3;

/** Throws NOT_FOUND for a lab that is not there, what {@link requireFit} does, and UNEXPECTED when something came otherwise than it is told. */
export async function runLab(context: Context, name: string, options: LabRunOptions): Promise<undefined> {
  const lines = linesOf(labNamed(name).script);
  if (options.broker !== null) await requireFit(context, lines);
  // What its terminals wait for may take minutes, which nobody reads any more.
  const gone = new AbortController();
  context.data.onClosed(() => gone.abort());
  const interrupted = AbortSignal.any([context.interrupted, gone.signal]);
  const lab = new Lab({ ...context, interrupted }, options);
  try {
    for (const [index, line] of lines.entries()) {
      if (interrupted.aborted) break;
      await lab.take(line, lines[index + 1]);
    }
  } catch (error) {
    // Whoever runs the lab looks why nobody reads: a full disk is a failure, a reader that has gone is none.
    if (!context.data.isOpen) return undefined;
    throw options.broker === null ? error : otherThanTold(error);
  } finally {
    await lab.close();
  }
  return undefined;
}

/** On a broker that is not the lab's own it need not be a fault of this program. */
function otherThanTold(error: unknown): unknown {
  if (!(error instanceof CliError) || error.code !== "UNEXPECTED") return error;
  return new CliError("UNEXPECTED", error.message, {
    hint: "was the broker used before, or meanwhile, or started with other settings? Leave --broker out, and the lab has its own",
  });
}

class Lab {
  readonly #context: Context;
  readonly #printer: LabPrinter;
  readonly #broker: LabBroker;
  readonly #terminals = new Map<string, LabTerminal>();
  readonly #input: Interface | null;
  readonly #lines: AsyncIterator<string> | null;
  #isWatching = false;

  constructor(context: Context, { step, broker }: LabRunOptions) {
    this.#context = context;
    this.#printer = new LabPrinter(context);
    this.#broker = new LabBroker(context, broker);
    this.#input = step ? createInterface({ input: context.stdin }) : null;
    this.#lines = this.#input?.[Symbol.asyncIterator]() ?? null;
  }

  async take(line: LabLine, next: LabLine | undefined): Promise<void> {
    switch (line.kind) {
      case "told":
        this.#printer.say("told", line.text);
        break;
      case "asked":
        await this.#ask(line.text, next);
        break;
      case "awaited":
        await this.#printer.until(line.text);
        await this.#watched();
        break;
      case "broker":
        this.#act(`$ ${line.text}`);
        await this.#broker.start(line.text);
        break;
      case "befallen":
        this.#act(`! ${line.text}`);
        await this.#broker.befall(line.text);
        break;
      case "command":
        await this.#command(line, next);
        break;
      case "typed":
        this.#act(`${line.terminal}< ${line.text}`);
        this.#terminal(line.terminal).type(line.text);
    }
    await this.#printer.flushed();
  }

  async close(): Promise<void> {
    this.#input?.close();
    for (const terminal of this.#terminals.values()) await terminal.close();
    await this.#broker.close();
    await this.#printer.flushed();
  }

  #act(text: string): void {
    this.#printer.begin();
    this.#printer.say("done", text);
  }

  /** A question may take several lines. */
  async #ask(text: string, next: LabLine | undefined): Promise<void> {
    this.#printer.say("asked", text);
    if (this.#lines === null || next?.kind === "asked") return;
    await this.#printer.flushed();
    this.#context.notes.remark("Enter shows what comes of it");
    const { interrupted } = this.#context;
    if (interrupted.aborted) return;
    const stopped = new Promise((resolve) => interrupted.addEventListener("abort", resolve, { once: true }));
    await Promise.race([this.#lines?.next(), stopped]);
  }

  async #command({ terminal: name, text }: LabCommand, next: LabLine | undefined): Promise<void> {
    const [, piped = "", command = text] = /^(seq \d+ \d+ \| )(.*)$/.exec(text) ?? [];
    this.#act(`${name}> ${piped}minikafka-cli ${command}`);
    this.#isWatching ||= command.startsWith("watch ");
    const ended = this.#terminal(name).run(text, this.#broker.address);
    if (name !== "") return;
    const exitCode = await ended;
    await this.#watched();
    // What is refused on purpose is awaited in the next line.
    if (exitCode === EXIT.ok || next?.kind === "awaited" || this.#context.interrupted.aborted) return;
    throw new CliError("UNEXPECTED", `the lab ends here: ${text} ended with exit code ${exitCode}`);
  }

  /**
   * What a command has brought about stands before the next one: whoever watches has been sent it before another connection gets its
   * answer, and prints it while that one asks again.
   */
  async #watched(): Promise<void> {
    if (!this.#isWatching || this.#context.interrupted.aborted) return;
    const { address } = this.#broker;
    await withSession(
      {
        ...this.#context,
        settings: { ...this.#context.settings, broker: () => ({ address, context: null }) },
      },
      async (session) => {
        for (let trip = 0; trip < ROUND_TRIPS; trip++) await session.call("ping", {});
        return undefined;
      },
    );
  }

  #terminal(name: string): LabTerminal {
    const terminal = this.#terminals.get(name) ?? new LabTerminal(this.#context, this.#printer, name);
    this.#terminals.set(name, terminal);
    return terminal;
  }
}
