/**
 * The runs of one test's broker: at most one at a time, each at the addresses of the one before.
 *
 * Owns the daemon that runs and the disk beneath it. Changes of it (restart, reset) come one after the other.
 * Invariant: while there is no daemon, or none that is whole, `isAway` says so.
 */
import type { Duplex } from "node:stream";
import type { Broker } from "@minikafka/broker";
import { type CrashSignal, MemoryDisk } from "@minikafka/core";
import { beginLife, emptyFolder, endLife, isUnused, type LifeEnd, placesOf } from "./life.ts";
import type { Plan } from "./start-options.ts";
import { closed, crashed, usage } from "./usage.ts";

/** What became of one run: its own, so that what is left of a run says nothing about the next. */
interface Fate {
  /** How its process has died; `null` while it lives. */
  crash: CrashSignal | null;
}

/** After a restart nothing is there that the test has deleted. */
export type Beginning = "start" | "restart" | "reset";

export class Lives {
  readonly #plan: Plan;
  readonly #mayEmpty: boolean;
  /** What is to be done with each before it counts as begun. */
  readonly #begun: (daemon: Broker, why: Beginning) => Promise<void>;
  #disk: MemoryDisk | null;
  #daemon: Broker | null = null;
  #turn: Promise<void> = Promise.resolve();
  #isAway = false;
  #fate: Fate = { crash: null };

  constructor(plan: Plan, begun: (daemon: Broker, why: Beginning) => Promise<void>) {
    this.#plan = plan;
    this.#begun = begun;
    this.#mayEmpty = plan.dir === null || isUnused(plan.dir);
    this.#disk = plan.dir === null ? new MemoryDisk() : null;
  }

  /** Throws CLOSED before the first. */
  get daemon(): Broker {
    if (this.#daemon === null) throw closed();
    return this.#daemon;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Throws CRASHED: a daemon that is dead can still be looked into, but what its kernel holds is no answer that anybody would get. */
  requireAlive(): void {
    const { crash } = this.#fate;
    if (crash !== null) throw crashed(crash.point);
  }

  /** A connection without a socket, for the SDK. Throws CRASHED, so that whoever cannot connect is told why. */
  connectInProcess(): Duplex {
    this.requireAlive();
    return this.daemon.connectInProcess();
  }

  /** Rejects as startBroker. */
  start(): Promise<void> {
    return this.#begin({}, "start");
  }

  /** Rejects with USAGE where a folder cannot be left so, and when it could not be made durable. */
  restart(end: LifeEnd): Promise<void> {
    if (end !== "stop" && this.#disk === null)
      throw usage(
        `after a ${end} a folder would be as the system has it, which lives on; storage: "memory" can do it`,
      );
    return this.#next(async (before) => {
      const nowMs = before.cluster.env.clock.nowMs();
      const { settings } = this.#plan;
      await endLife(before, this.#disk, end);
      const places = { ...placesOf(before), ...(settings.clock === "manual" && { start_time: nowMs }) };
      await this.#begin(places, "restart");
    });
  }

  /** Rejects with USAGE where the storage is a folder that was not empty at the start. */
  reset(beforehand: () => void): Promise<void> {
    if (!this.#mayEmpty) throw usage("reset would delete what lay in the folder before this broker came");
    return this.#next(async (before) => {
      beforehand();
      await endLife(before, this.#disk, "stop");
      if (this.#plan.dir === null) this.#disk = new MemoryDisk();
      else emptyFolder(this.#plan.dir);
      await this.#begin(placesOf(before), "reset");
    });
  }

  /** Resolves once what was asked for before is done. */
  settled(): Promise<void> {
    return this.#turn;
  }

  /** Rejects when a folder could not be made durable. */
  async end(): Promise<void> {
    if (this.#daemon !== null && !this.#isAway) await endLife(this.#daemon, this.#disk, "stop");
  }

  #next(change: (before: Broker) => Promise<void>): Promise<void> {
    const turn = this.#turn.then(async () => {
      const before = this.daemon;
      this.#isAway = true;
      await change(before);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #begin(places: Parameters<typeof beginLife>[2], why: Beginning): Promise<void> {
    const fate: Fate = { crash: null };
    this.#daemon = await beginLife(this.#plan, this.#disk, places, (crash) => {
      fate.crash = crash;
    });
    this.#fate = fate;
    this.#isAway = false;
    await this.#begun(this.#daemon, why);
  }
}
