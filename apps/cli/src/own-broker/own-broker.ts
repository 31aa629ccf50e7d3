/**
 * A broker of this command's own: a child process on a folder of its own and a free port.
 *
 * Owns the process. Invariants: it is ready when start() resolves; it has ended when stop() or kill() resolves, and when start() rejects;
 * it ends by itself when this process is gone, whatever ended that; a Ctrl-C in the terminal reaches this process alone, which is to stop
 * it in its turn.
 * Never: a folder made or removed; that is for whoever gave it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { CliError, Interrupted } from "../failure.ts";
import type { BrokerAddress } from "../input/arguments.ts";
import { brokerProgram } from "./broker-program.ts";

export interface OwnBrokerOptions {
  readonly dataFolder: string;
  /** Besides the folder, the port and the level of logging: as `minikafka-broker --help` has them. */
  readonly flags: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  /** Ends it while it starts. */
  readonly signal: AbortSignal;
}

/** Of what it says on stderr; enough for the reason why it did not start. */
const STDERR_CHARACTERS_MAX = 4_000;

export class OwnBroker {
  readonly address: BrokerAddress;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess, ended: Promise<unknown>, address: BrokerAddress) {
    this.#child = child;
    this.#ended = ended;
    this.address = address;
  }

  /** Throws UNEXPECTED with what the broker said when it does not come up, NOT_FOUND when there is none to start, and Interrupted. */
  static async start({ dataFolder, flags, env, signal }: OwnBrokerOptions): Promise<OwnBroker> {
    const own = ["--data", dataFolder, "--port", "0", "--log-level", "error"];
    if (signal.aborted) throw new Interrupted();
    const child = spawn(process.execPath, [brokerProgram(env), ...own, ...flags], {
      env: withoutSettings(env),
      // The channel is for its closing. A group of its own, since a terminal interrupts groups.
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true,
      windowsHide: true,
    });
    const end = () => {
      child.kill("SIGKILL");
    };
    // Who is told to stop twice, or for too long, exits wherever he is.
    process.once("exit", end);
    signal.addEventListener("abort", end);
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-STDERR_CHARACTERS_MAX);
    });
    const ended = once(child, "close").finally(() => process.off("exit", end));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const failed = ended.then(() => {
      throw new CliError("UNEXPECTED", `the broker did not start: ${said.trim()}`);
    });
    // Once it is ready nobody asks for it any more.
    failed.catch(() => undefined);
    try {
      const [line] = (await Promise.race([once(lines, "line"), failed])) as [string];
      return new OwnBroker(child, ended, addressOf(line));
    } catch (error) {
      end();
      await ended.catch(() => undefined);
      throw signal.aborted ? new Interrupted() : error;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** A clean end. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#ended;
  }

  /** As the death of the process. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}

/** Of the line that says that it is ready. */
function addressOf(line: string): BrokerAddress {
  const { host, port } = JSON.parse(line) as { readonly host: string; readonly port: number };
  return { host, port };
}

/** Settings of a broker that stand in the environment are for another one. */
function withoutSettings(env: OwnBrokerOptions["env"]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("MINIKAFKA_")));
}
