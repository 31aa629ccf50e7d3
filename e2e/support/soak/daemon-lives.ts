/**
 * One daemon after the other on one folder, each with options of its own, behind one address. How each life ends is drawn: mostly as by
 * kill -9, also while it starts, and no hand is needed before the next one.
 */
import { type FSWatcher, watch } from "node:fs";
import { connect, MiniKafkaError } from "@minikafka/client";
import { expect } from "vitest";
import type { CuttingProxy } from "../cutting-proxy.ts";
import { type Daemon, launchDaemon, temporaryFolder } from "../daemon.ts";
import type { Dice } from "../dice.ts";
import { drawOptions } from "./daemon-options.ts";
import type { Progress } from "./progress.ts";

export const BROKERS = 3;

export class DaemonLives {
  readonly data = temporaryFolder();
  readonly #proxy: CuttingProxy;
  readonly #below: Dice;
  readonly #progress: Progress;
  readonly #said: Daemon["output"][] = [];
  #daemon!: Daemon;
  /** From the launch until clients can work. */
  slowestStartMs = 0;
  slowestCleanEndMs = 0;
  /** Of the daemon that runs now. */
  options: readonly string[] = [];

  constructor(proxy: CuttingProxy, below: Dice, progress: Progress) {
    this.#proxy = proxy;
    this.#below = below;
    this.#progress = progress;
  }

  /** All that any of them has logged as an error. */
  get complaints(): string {
    return this.#said.map(({ stderr }) => stderr).join("");
  }

  /** Starts the next one, perhaps after some that died on the way. */
  async start(mayDie = false): Promise<void> {
    while (mayDie && this.#below(4) === 0) await this.#dieEarly();
    const launchedMs = performance.now();
    this.#daemon = await this.#launch().ready;
    this.#said.push(this.#daemon.output);
    await this.#requireAllLed();
    this.slowestStartMs = Math.max(this.slowestStartMs, performance.now() - launchedMs);
    this.#progress.note("starts");
    this.#proxy.target = this.#daemon.port;
  }

  /** Ends the one that runs: killed, asked to end, or stopped for a while first. */
  async end(): Promise<void> {
    const drawn = this.#below(10);
    if (drawn < 3) await this.#hold();
    if (drawn === 2) return;
    await (drawn === 3 || drawn === 4 ? this.endCleanly() : this.kill());
    await this.start(true);
  }

  async kill(): Promise<void> {
    const { ended } = this.#daemon;
    this.#daemon.signal("SIGKILL");
    this.#proxy.target = null;
    expect(await ended).toMatchObject({ signal: "SIGKILL" });
    this.#progress.note("SIGKILL");
  }

  async endCleanly(): Promise<void> {
    const askedMs = performance.now();
    const ended = await this.#daemon.end("SIGTERM");
    this.#proxy.target = null;
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    this.slowestCleanEndMs = Math.max(this.slowestCleanEndMs, performance.now() - askedMs);
    this.#progress.note("SIGTERM");
  }

  /** Stands still until one of its clients has lost its patience. */
  async #hold(): Promise<void> {
    const client = await connect({ port: this.#daemon.port });
    this.#daemon.signal("SIGSTOP");
    const timeoutMs = 50 + this.#below(this.#below(4) === 0 ? 2_000 : 400);
    await expect(client.call("ping", {}, { timeoutMs })).rejects.toBeInstanceOf(MiniKafkaError);
    this.#daemon.signal("SIGCONT");
    this.#progress.note("SIGSTOP");
    await client.close();
  }

  /** Killed when it has touched so many files, unless it is ready by then. */
  async #dieEarly(): Promise<void> {
    const starting = this.#launch();
    const watcher = watch(this.data);
    const isReady = starting.ready.then(
      () => true,
      () => false,
    );
    await Promise.race([isReady, this.#someTouches(watcher)]);
    starting.signal("SIGKILL");
    await starting.ended;
    watcher.close();
    this.#progress.note("SIGKILL");
    this.#progress.note((await isReady) ? "killed when just ready" : "killed while starting");
  }

  #someTouches(watcher: FSWatcher): Promise<void> {
    let left = 1 + this.#below(10);
    return new Promise((resolve) => {
      watcher.on("change", () => {
        left -= 1;
        if (left === 0) resolve();
      });
    });
  }

  #launch() {
    this.options = ["--brokers", `${BROKERS}`, "--lab", "--log-level", "error", ...drawOptions(this.#below)];
    return launchDaemon(this.data, this.options);
  }

  /** Before any client can lend a hand. */
  async #requireAllLed(): Promise<void> {
    const client = await connect({ port: this.#daemon.port });
    const { brokers } = await client.admin().describeCluster();
    expect(brokers.map(({ state, offlinePartitions }) => [state, offlinePartitions])).toEqual(
      brokers.map(() => ["running", 0]),
    );
    await client.close();
  }
}
