/**
 * The runs of one test's broker: at most one at a time, each at the addresses of the one before.
 *
 * Owns the daemon that runs and the disk beneath it. Changes of it (restart, reset) come one after the other.
 * Invariants: from the first moment of a change to its last nobody is to look, or after it where it has failed, and `requireBegun` says why; a change
 * that has failed, at whichever step, may be asked for again, or another one.
 */
import { existsSync } from "node:fs";
import type { Duplex } from "node:stream";
import { AddressUnavailable, type Broker } from "@minikafka/broker";
import type { MiniKafkaError } from "@minikafka/client";
import { BrokerError, MemoryDisk } from "@minikafka/core";
import { beginLife, emptyFolder, endLife, isUnused, type LifeEnd, type Places, placesOf } from "./life.ts";
import type { Plan } from "./start-options.ts";
import { closed, crashed, faultsForgotten, gone, usage } from "./usage.ts";

/** What was closed is told to its other end in the next turn of the event loop, and by that to whom it belongs. */
const TURNS_TO_HEAR = 2;
/** Taken now: a test may put timers of its own in the place of the system's. */
const inNextTurn = setImmediate;

/** One run, with what became of it: its own, so that what is left of a run says nothing about the next. */
interface Life {
  readonly daemon: Broker;
  /** Where its process has died; `null` while it lives. */
  readonly diedAt: () => string | null;
  /** Aborted as it dies or comes to be ended, whichever is first, with why. */
  readonly over: AbortController;
  isEnding: boolean;
}

/** After a restart nothing is there that the test has deleted. */
export type Beginning = "start" | "restart" | "reset";

export class Lives {
  readonly #plan: Plan;
  readonly #mayEmpty: boolean;
  readonly #hadFolder: boolean;
  /** What is to be done with each before it counts as begun. */
  readonly #begun: (daemon: Broker, why: Beginning) => Promise<void>;
  #disk: MemoryDisk | null;
  /** The last one that there was. */
  #life: Life | null = null;
  /** Of the next one. */
  #places: Places = {};
  /** All was deleted, and what a start makes has not been made since. */
  #isBare = false;
  #turn: Promise<void> = Promise.resolve();
  /** Why there is nothing to be looked at; `null` where there is. */
  #absence: string | null = null;
  /** That is the outcome of a change, and not one under way. */
  #isLost = false;
  readonly #waiting = new Set<(why: MiniKafkaError) => void>();

  constructor(plan: Plan, begun: (daemon: Broker, why: Beginning) => Promise<void>) {
    this.#plan = plan;
    this.#begun = begun;
    this.#mayEmpty = plan.dir === null || isUnused(plan.dir);
    this.#hadFolder = plan.dir !== null && existsSync(plan.dir);
    this.#disk = plan.dir === null ? new MemoryDisk() : null;
  }

  /** Also one that has ended, until the next has begun. Throws CLOSED before the first. */
  get daemon(): Broker {
    if (this.#life === null) throw closed();
    return this.#life.daemon;
  }

  /** One that has crashed, and is still to be started again; `null` where there is none such. */
  get dead(): Broker | null {
    return this.#life !== null && this.#absence === null && this.#life.diedAt() !== null ? this.daemon : null;
  }

  /** Why nobody answers until the test starts it again, though it has not crashed; `null` while somebody does, or is about to. */
  get lost(): MiniKafkaError | null {
    if (this.#absence !== null) return this.#isLost ? gone(this.#absence) : null;
    const life = this.#life;
    if (life === null || life.isEnding || !life.daemon.hasEnded || life.diedAt() !== null) return null;
    return gone("the daemon was ended by hand; restart() or reset() starts it again");
  }

  /** Calls `act` when a change comes to nothing. Returns how to be forgotten. */
  onLost(act: (why: MiniKafkaError) => void): () => void {
    this.#waiting.add(act);
    return () => this.#waiting.delete(act);
  }

  /** Aborts as the run that there is, or was last, comes to its end: with CRASHED, or the reason that {@link over} was given. */
  get ended(): AbortSignal {
    return this.#life?.over.signal ?? AbortSignal.abort(closed());
  }

  /** What ends with the run is over, for whatever is about to end that. */
  over(why: MiniKafkaError): void {
    this.#life?.over.abort(why);
  }

  /** Throws LEADER_NOT_AVAILABLE where there is no daemon, or not all of it yet. */
  requireBegun(): void {
    if (this.#absence !== null) throw new BrokerError("LEADER_NOT_AVAILABLE", this.#absence);
  }

  /** The same, CRASHED, and CONNECTION: a daemon that is gone can still be looked into, but what its kernel holds is no answer that anybody would get. */
  requireAlive(): void {
    this.requireBegun();
    this.#requireNoCrash();
    this.#requireNotLost();
  }

  /** A connection without a socket, for the SDK. Throws so that whoever cannot connect is told why. */
  connectInProcess(): Duplex {
    if (this.#life?.isEnding === true) this.requireBegun();
    this.#requireNoCrash();
    this.#requireNotLost();
    return this.daemon.connectInProcess();
  }

  /** Rejects as startBroker; then nothing lies in a folder in which nothing lay. */
  async start(): Promise<void> {
    try {
      await this.#begin("start");
    } catch (problem) {
      // What was refused before is held by others, or by nobody.
      const wasHeld = this.#life !== null || problem instanceof AddressUnavailable;
      const { dir } = this.#plan;
      if (wasHeld && dir !== null && this.#mayEmpty) emptyFolder(dir, this.#hadFolder);
      throw problem;
    }
  }

  /** Rejects with USAGE where a folder cannot be left so, when it could not be made durable, with CRASHED, and as startBroker. */
  restart(end: LifeEnd): Promise<void> {
    if (end !== "stop" && this.#disk === null)
      throw usage(
        `a ${end === "kill" ? "kill" : "power cut"} cannot be played over a folder, since the system that holds it lives on; use storage: "memory"`,
      );
    return this.#next(async () => {
      this.over(faultsForgotten("restarted"));
      await this.#end(end);
      await this.#begin(this.#isBare ? "reset" : "restart");
    });
  }

  /** Rejects with USAGE where the storage is a folder that was not empty at the start, and as startBroker. */
  reset(beforehand: () => void): Promise<void> {
    if (!this.#mayEmpty) throw usage("reset would delete what lay in the folder before this broker came");
    return this.#next(async () => {
      beforehand();
      this.over(faultsForgotten("reset"));
      // What is deleted need not be written before.
      await this.#end("kill");
      this.#empty();
      await this.#begin("reset");
    });
  }

  /** Resolves once what was asked for before is done. */
  settled(): Promise<void> {
    return this.#turn;
  }

  /** Rejects when a folder could not be made durable. */
  async end(): Promise<void> {
    await this.#end("stop");
  }

  #next(change: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(async () => {
      this.#absence = "the broker is being restarted";
      this.#isLost = false;
      try {
        await change();
        this.#absence = null;
      } catch (problem) {
        const why = problem instanceof Error ? problem.message : String(problem);
        this.#absence = `the broker was ended and could not be started again (${why}); restart() or reset() tries it once more`;
        this.#isLost = true;
        for (const act of this.#waiting) act(gone(this.#absence));
        throw problem;
      }
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Rejects as endLife; also then it has ended. */
  async #end(end: LifeEnd): Promise<void> {
    const life = this.#life;
    if (life === null || life.isEnding) return;
    life.isEnding = true;
    const { daemon } = life;
    const nowMs = daemon.cluster.env.clock.nowMs();
    this.#places = {
      ...placesOf(daemon),
      ...(this.#plan.settings.clock === "manual" && { start_time: nowMs }),
    };
    await endLife(daemon, this.#disk, end);
    // Clients in this process hear that their sockets were closed before there is another daemon at the same place.
    for (let turn = 0; turn < TURNS_TO_HEAR; turn += 1) await new Promise((resolve) => inNextTurn(resolve));
  }

  #empty(): void {
    const { start_time: _anew, ...places } = this.#places;
    this.#places = places;
    this.#isBare = true;
    if (this.#plan.dir === null) this.#disk = new MemoryDisk();
    else emptyFolder(this.#plan.dir, true);
  }

  async #begin(why: Beginning): Promise<void> {
    let at: string | null = null;
    const over = new AbortController();
    const daemon = await beginLife(this.#plan, this.#disk, this.#places, (point) => {
      at ??= point;
      over.abort(crashed(point));
    });
    const diedAt = () => at;
    this.#life = { daemon, diedAt, over, isEnding: false };
    try {
      await this.#begun(daemon, why);
    } catch (problem) {
      // There is none, or a whole one.
      await this.#end("stop").catch(() => undefined);
      this.#requireNoCrash();
      throw problem;
    }
    this.#isBare = false;
  }

  #requireNotLost(): void {
    const { lost } = this;
    if (lost !== null) throw lost;
  }

  #requireNoCrash(): void {
    const at = this.#life?.diedAt() ?? null;
    if (at !== null) throw crashed(at);
  }
}
