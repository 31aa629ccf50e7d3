/**
 * The broker that a lab is about: its own, on a temporary folder, or one that runs already.
 *
 * Owns the process and the folder. Invariant: after close() neither is there.
 */
import { mkdtemp, readdir, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../context.ts";
import type { BrokerAddress } from "../input/arguments.ts";
import { OwnBroker } from "../own-broker/own-broker.ts";
import { wordsOf } from "./lab-script.ts";

export class LabBroker {
  readonly #context: Context;
  /** `null`: the lab has one of its own. */
  readonly #given: BrokerAddress | null;
  #folder: string | null = null;
  #own: OwnBroker | null = null;
  #dataFolder = "";

  constructor(context: Context, given: BrokerAddress | null) {
    this.#context = context;
    this.#given = given;
  }

  get address(): BrokerAddress {
    const address = this.#given ?? this.#own?.address;
    if (address === undefined) throw new Error("the lab has no broker yet");
    return address;
  }

  /** `minikafka-broker --data NAME …`. One that runs already has been found to be what is asked for (lab-fit.ts). */
  async start(command: string): Promise<void> {
    if (this.#given !== null) return;
    const [, ...flags] = wordsOf(command);
    await this.stop();
    this.#folder ??= await mkdtemp(join(tmpdir(), "minikafka-lab-"));
    const at = flags.indexOf("--data");
    this.#dataFolder = join(this.#folder, flags[at + 1] ?? "");
    const { env, interrupted: signal } = this.#context;
    const dataFolder = this.#dataFolder;
    this.#own = await OwnBroker.start({ dataFolder, flags: flags.toSpliced(at, 2), env, signal });
  }

  /** `kill -9`, `ctrl-c`, or `cut N bytes off FOLDER`, while it does not run. */
  async befall(text: string): Promise<void> {
    const [, bytes, folder] = /^cut (\d+) bytes off (\S+)$/.exec(text) ?? [];
    if (text === "kill -9") {
      await this.#own?.kill();
      this.#own = null;
    } else if (text === "ctrl-c") await this.stop();
    else if (folder !== undefined) await cut(join(this.#dataFolder, folder), Number(bytes));
    else throw new Error(`nothing that befalls a broker: ${text}`);
  }

  async stop(): Promise<void> {
    const own = this.#own;
    this.#own = null;
    await own?.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The end of the last segment is gone, as a power cut may take it. */
async function cut(folder: string, bytes: number): Promise<void> {
  const segments = (await readdir(folder)).filter((name) => name.endsWith(".log")).sort();
  const path = join(folder, segments.at(-1) ?? "");
  await truncate(path, (await stat(path)).size - bytes);
}
