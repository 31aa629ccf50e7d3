/** A page of the documentation as its reader types it: its `sh` blocks, one after the other, so that none is passed over. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { startDaemon } from "./daemon.ts";
import { startStated } from "./stated-broker.ts";
import { type Typed, TypedShell } from "./typed-shell.ts";

/** A line that starts a broker, which runs on in a terminal of its own. */
const BROKER_LINE = /^(?:node_modules\/\.bin\/|npx )?(?:minikafka-|@minikafka\/)broker .*(?:\\\n.*)*$/gm;

export interface PageOptions {
  /** Its brokers are processes, for what ends them. */
  readonly realBrokers?: boolean;
}

export interface TypeOptions {
  /** Commands that end with another code than 0, by their words, with the ports of the page. */
  readonly fails?: { readonly [words: string]: number };
  /** Ctrl-C for each command as soon as it has said what this finds: it would go on. */
  readonly until?: RegExp;
  /** Another terminal than the first. */
  readonly terminal?: string;
  /** That terminal's commands are processes, since one of them reads while it waits. */
  readonly realCommands?: boolean;
}

type Started = Pick<Awaited<ReturnType<typeof startStated>>, "port"> &
  Partial<Awaited<ReturnType<typeof startStated>>>;

export class Page {
  readonly #path: string;
  readonly #blocks: readonly string[];
  readonly #options: PageOptions;
  readonly #terminals = new Map<string, TypedShell>();
  /** By the ports that stand on the page. */
  readonly #brokers = new Map<string, Started>();
  readonly #folder: string;
  /** The line that says which broker commands talk to, which is typed in each terminal. */
  #exported = "";
  #next = 0;

  private constructor(path: string, terminal: TypedShell, options: PageOptions) {
    this.#path = path;
    this.#blocks = blocksOf(path);
    this.#terminals.set("", terminal);
    this.#folder = terminal.folder;
    this.#options = options;
  }

  /** `path` from the repository's root. */
  static async open(path: string, options: PageOptions = {}): Promise<Page> {
    return new Page(path, await TypedShell.open(), options);
  }

  /**
   * Types the next block, which has to begin with `beginning`, and waits for its end. Brokers that it starts run on; the addresses that stand
   * on the page are theirs.
   */
  async types(beginning: string, options: TypeOptions = {}): Promise<Typed> {
    const block = this.#take(beginning);
    for (const [line] of block.matchAll(BROKER_LINE)) await this.start(line);
    const typed = await this.line(block.replaceAll(BROKER_LINE, ""), options);
    const failed = typed.commands.filter(({ code }) => code !== 0);
    const told = Object.fromEntries(failed.map(({ words, code }) => [this.#asOnPage(words.join(" ")), code]));
    expect(told, `${beginning}: ${typed.stderr}`).toEqual(options.fails ?? {});
    return typed;
  }

  /** Types what is no block of the page. */
  async line(text: string, { terminal = "", realCommands = false, until }: TypeOptions = {}): Promise<Typed> {
    const [exported] = /^export MINIKAFKA_BROKER=\S+/m.exec(text) ?? [];
    if (exported !== undefined) this.#exported = this.#addressed(exported);
    let shell = this.#terminals.get(terminal);
    if (shell === undefined) {
      shell = await TypedShell.open({ realCommands });
      this.#terminals.set(terminal, shell);
      await shell.type(this.#exported);
    }
    const heard = (said: string) => void (until?.test(said) === true && this.interrupts(terminal));
    return shell.type(this.#addressed(text), until === undefined ? {} : { heard });
  }

  /** Passes over the next block, which `file`, from the repository's root, takes from the page, too, and types. */
  leaves(beginning: string, file: string): string {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    expect(text, `${file} is said to read the page`).toContain(this.#path);
    return this.#take(beginning);
  }

  /** Passes over the next block, which nothing types. */
  excuses(beginning: string, reason: string): string {
    expect(reason.length).toBeGreaterThan(20);
    return this.#take(beginning);
  }

  /** Starts a broker by a line as it stands on the page, also once more. */
  async start(line: string): Promise<void> {
    const whole = line.replaceAll(/\\\n\s*/g, "");
    const started = await this.#started(whole);
    this.#brokers.set(/--port (\d+)/.exec(whole)?.[1] ?? "9192", started);
    const [, http] = /--http-port (\d+)/.exec(whole) ?? [];
    if (http !== undefined) this.#brokers.set(http, { port: started.broker?.httpAddress?.port ?? 0 });
  }

  /** Ctrl-C in a terminal. */
  interrupts(terminal: string): void {
    this.#terminals.get(terminal)?.interrupt();
  }

  /** Resolves when the broker at a port of the page does the next thing of this kind to `topic`. */
  async next(port: number, kind: string, topic: string): Promise<void> {
    const { broker } = this.#brokers.get(String(port)) ?? {};
    if (broker === undefined) throw new Error(`${this.#path} has started no broker at ${port}`);
    await new Promise<void>((resolve) => {
      const end = broker.onEvent((event) => {
        if (event.kind !== kind || !("topic" in event) || event.topic !== topic) return;
        end();
        resolve();
      });
    });
  }

  /** Fails when a block was neither typed nor excused. */
  ends(): void {
    const left = this.#blocks.slice(this.#next);
    expect(left, `blocks of ${this.#path} that are neither typed nor excused`).toEqual([]);
  }

  async #started(line: string): Promise<Started> {
    if (this.#options.realBrokers !== true) return startStated(line, this.#folder);
    const [, data = "", ...flags] = /--data (\S+)(.*)$/.exec(line) ?? [];
    const own = flags
      .join(" ")
      .replace(/--port \d+/, "")
      .split(" ")
      .filter(Boolean);
    return startDaemon(`${this.#folder}/${data}`, own);
  }

  #take(beginning: string): string {
    const block = this.#blocks[this.#next] ?? "";
    expect(block.slice(0, beginning.length), `the next block of ${this.#path}`).toBe(beginning);
    this.#next += 1;
    return block;
  }

  /** A broker's own port says nothing to who reads a test. */
  #asOnPage(text: string): string {
    return text.replaceAll(/127\.0\.0\.1:(\d+)/g, (address, own: string) => {
      const [port] = [...this.#brokers].find(([, broker]) => broker.port === Number(own)) ?? [];
      return port === undefined ? address : `127.0.0.1:${port}`;
    });
  }

  #addressed(text: string): string {
    return text.replaceAll(/127\.0\.0\.1:(\d+)/g, (_, port: string) => {
      const broker = this.#brokers.get(port);
      if (broker === undefined) throw new Error(`${this.#path} has started no broker at ${port}`);
      return `127.0.0.1:${broker.port}`;
    });
  }
}

function blocksOf(path: string): string[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
}
