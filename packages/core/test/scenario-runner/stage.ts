/**
 * A broker of a scenario: the kernel on a disk that forgets, with a clock that only commands move, and the terminals in which the
 * commands run.
 *
 * Invariant: between two acts everything has come to rest that needs no further act.
 */
import { BrokerCluster } from "../../src/cluster/cluster.ts";
import type { ClusterConfig } from "../../src/cluster/config.ts";
import { ManualClock } from "../../src/env/clock.ts";
import type { Env } from "../../src/env/env.ts";
import { FaultPoints } from "../../src/env/fault-points.ts";
import { MemoryDisk } from "../../src/env/memory-disk.ts";
import type { Crash } from "../../src/env/memory-nodes.ts";
import { SeededRandom } from "../../src/env/random.ts";
import { BrokerError } from "../../src/errors.ts";
import type { Given } from "./command-line.ts";
import { shownEvent, USUAL_WATCHING, type Watching, withoutCopies } from "./shown-events.ts";
import { Terminal, type TypedInput } from "./terminal.ts";

/** What a command has: the broker, what was given, what is typed, and where its answer goes. */
export interface Run {
  readonly stage: Stage;
  readonly given: Given;
  readonly input: TypedInput;
  /** Lines that another program pipes into it, all there at once; `null`: it reads what is typed. */
  readonly piped: readonly string[] | null;
  readonly print: (...lines: readonly string[]) => void;
}

export type Command = (run: Run) => Promise<void> | void;

/** Turns of the microtask queue in which everything that can come to rest does, with room to spare. */
const TURNS = 1000;

export class Stage {
  readonly clock = new ManualClock(0);
  readonly disk = new MemoryDisk();
  watching: Watching = USUAL_WATCHING;
  readonly #dataFolder: string;
  readonly #env: Env;
  readonly #terminals = new Map<string, Terminal>();
  #cluster: BrokerCluster | null = null;
  #shown: string[] = [];
  /** Whose answer needs no name before it. */
  #foreground: Terminal | null = null;

  /** `data`: the name of its folder. */
  constructor(data: string) {
    this.#dataFolder = `/${data.replace(/^[./]+/, "")}`;
    const trace: Env["trace"] = (event) => {
      const line = shownEvent(event, this.watching);
      if (line !== null) this.#shown.push(line);
    };
    this.#env = {
      clock: this.clock,
      disk: this.disk,
      random: new SeededRandom(1),
      trace,
      faults: new FaultPoints({ trace }),
    };
  }

  get isRunning(): boolean {
    return this.#cluster !== null;
  }

  get cluster(): BrokerCluster {
    if (this.#cluster === null) throw new Error("no broker runs");
    return this.#cluster;
  }

  /** What this shows of `act`. */
  async show(act: () => Promise<void> | void): Promise<readonly string[]> {
    this.#shown = [];
    this.#foreground = null;
    await act();
    await settle();
    for (const terminal of this.#terminals.values()) terminal.requireSound();
    return withoutCopies(this.#shown);
  }

  async start(config: Omit<ClusterConfig, "dataFolder">): Promise<void> {
    if (this.#cluster !== null) throw new Error("the broker runs already");
    this.#cluster = await BrokerCluster.open({ dataFolder: this.#dataFolder, ...config }, this.#env);
  }

  /** Ctrl-C: a clean end. */
  async stop(): Promise<void> {
    const { cluster } = this;
    await cluster.close();
    this.#ended();
  }

  /** The process dies, and with `crash` other than kept the machine loses what it had not synced. */
  async die(crash: Crash): Promise<void> {
    const { cluster } = this;
    await cluster.crash();
    this.disk.crash(crash);
    this.#ended();
  }

  /** A disk loses the end of the last segment in a folder, while nobody runs. */
  lose(folder: string, bytes: number): void {
    if (this.#cluster !== null) throw new Error("the broker runs, and would notice");
    const path = `${this.#dataFolder}/${folder}`;
    const names = this.disk.readFolder(path).map(({ name }) => name);
    const file = this.disk.openFile(`${path}/${names.filter((name) => name.endsWith(".log")).at(-1)}`);
    file.truncate(file.sizeBytes() - bytes);
    file.syncNow();
    file.close();
  }

  /** Begins a command in a terminal; without a name, it has to end before the next act. */
  async command(name: string, command: Command, given: Given, piped: Run["piped"] = null): Promise<void> {
    const terminal = this.#terminals.get(name) ?? new Terminal(name);
    this.#terminals.set(name, terminal);
    this.#foreground = terminal;
    terminal.run(async () => {
      const { input } = terminal;
      const run = { stage: this, given, input, piped, print: this.#printer(terminal) };
      try {
        await command(run);
      } catch (problem) {
        if (!(problem instanceof BrokerError)) throw problem;
        run.print(`${problem.code}: ${problem.message}`);
      }
    });
    await settle();
    terminal.requireSound();
    if (name === "" && terminal.isBusy)
      throw new Error("the command waits; give it a terminal of its own, such as a>");
  }

  /** Types a line into the command that waits in a terminal. */
  async type(name: string, line: string): Promise<void> {
    const terminal = this.#terminals.get(name);
    if (terminal?.isBusy !== true) throw new Error(`nothing in terminal ${name} reads what is typed`);
    this.#foreground = terminal;
    terminal.input.type(line);
  }

  #printer(terminal: Terminal): Run["print"] {
    return (...lines) => {
      const prefix = terminal === this.#foreground ? "" : `${terminal.name}: `;
      this.#shown.push(...lines.map((line) => `${prefix}${line}`));
    };
  }

  #ended(): void {
    this.#cluster = null;
    this.#terminals.clear();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
}
