/** A daemon behind a proxy whose place another one takes, on the same folder: its clients see connections break, no more. */
import type { CuttingProxy } from "./cutting-proxy.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./daemon.ts";

export class RestartedDaemon {
  readonly #data = temporaryFolder();
  readonly #proxy: CuttingProxy;
  readonly #arguments: readonly string[];
  readonly #said: Daemon["output"][] = [];
  #daemon: Daemon | null = null;

  constructor(proxy: CuttingProxy, arguments_: readonly string[] = []) {
    this.#proxy = proxy;
    this.#arguments = arguments_;
  }

  async start(): Promise<void> {
    this.#daemon = await startDaemon(this.#data, ["--log-level", "error", ...this.#arguments]);
    this.#said.push(this.#daemon.output);
    this.#proxy.target = this.#daemon.port;
  }

  /** What all of them have complained of. */
  get complaints(): string {
    return this.#said.map(({ stderr }) => stderr).join("");
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#proxy.target = null;
    const ended = await this.#daemon?.end(signal);
    return ended?.code ?? null;
  }
}
