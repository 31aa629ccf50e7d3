/**
 * How a daemon ends: in order, or as a process does that is killed.
 *
 * Owns the order of stopping: nobody new, answers that are owed, background work, cluster. Invariants: once either has resolved there is no
 * socket, no timer and no open file left; what has died, or dies while it is closed, is killed, since what a dead process has in memory is
 * nothing to be written.
 */
import { CrashSignal } from "@minikafka/core";
import type { Sequence } from "./connections/sequence.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Doors } from "./doors.ts";
import { Grace } from "./grace.ts";
import type { Replicator } from "./replicator.ts";
import type { Stage } from "./stage.ts";
import type { Ticker } from "./ticker.ts";

export interface EndingParts {
  readonly doors: Doors;
  /** Of which another kernel may take possession. */
  readonly stage: Stage;
  readonly realTime: Deadlines;
  /** With a manual clock; else `null`. */
  readonly sequence: Sequence | null;
  /** `null` with a manual clock, as is the replicator. */
  readonly ticker: Ticker | null;
  readonly replicator: Replicator | null;
  readonly graceMs: number;
  /** A fault has let the process die in the middle of its end. */
  readonly onCrash: (crash: CrashSignal) => void;
}

export class Ending {
  readonly #parts: EndingParts;
  #closing: Promise<void> | null = null;
  #killing: Promise<void> | null = null;

  constructor(parts: EndingParts) {
    this.#parts = parts;
  }

  get hasBegun(): boolean {
    return this.#closing !== null;
  }

  /** From now on nothing is carried out, and nothing done by itself. Returns false where that was so before. */
  die(): boolean {
    const { doors, ticker, replicator } = this.#parts;
    if (!doors.die()) return false;
    void replicator?.stop();
    void ticker?.stop();
    this.#parts.stage.past?.giveUp("all");
    return true;
  }

  /** Answers what is in hand, flushes, and lets the data folder go. Rejects when something could not be made durable. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Nobody is answered, nothing is written or waited for, also in the middle of a close. Lets the data folder go. */
  kill(): Promise<void> {
    this.#killing ??= this.#kill();
    this.#closing ??= this.#killing;
    return this.#killing;
  }

  async #close(): Promise<void> {
    const { doors, onCrash } = this.#parts;
    try {
      if (!doors.isDead) await this.#closeInOrder();
    } catch (problem) {
      if (problem instanceof CrashSignal) onCrash(problem);
      // What fails since a kill has come in between is a part of that.
      else if (!doors.isDead) throw problem;
    }
    if (doors.isDead) await this.kill();
  }

  async #closeInOrder(): Promise<void> {
    const { doors, stage, realTime, sequence, ticker, replicator, graceMs } = this.#parts;
    await this.#loadOver();
    doors.beginToClose();
    stage.parking.endAll();
    stage.faults.releaseAll();
    stage.delays.end();
    const { deadlines } = stage;
    const cutOff = () => doors.connections.destroyAll();
    const grace = new Grace({ realTime, deadlines, sequence, graceMs, cutOff });
    await doors.close();
    grace.end();
    await sequence?.settled();
    await replicator?.stop();
    if (doors.isDead) return;
    // A compaction under way may have long to go: the closing of its log ends it.
    const stopped = ticker?.stop();
    deadlines.close();
    realTime.close();
    try {
      // Half of a state would only be taken for one.
      await (stage.past?.isHalf ? stage.cluster.crash() : stage.cluster.close());
    } finally {
      await stopped;
      // The last, so that whoever asks is told that the broker stops as long as it does.
      await doors.http?.close();
    }
  }

  /**
   * What is made once more in memory alone, has touched nothing and is given up at once. In the folder it is given its time: what is refused
   * meanwhile would be missing from it. The next start puts back what a load has not come to the end of.
   */
  async #loadOver(): Promise<void> {
    const { stage, realTime, graceMs } = this.#parts;
    const { past } = stage;
    past?.giveUp("rehearsals");
    if (!past?.loading) return;
    realTime.keepAwake();
    const grace = realTime.after(graceMs, () => past.giveUp("all"));
    await past.loading;
    grace.cancel();
  }

  async #kill(): Promise<void> {
    const { doors, stage, realTime } = this.#parts;
    this.die();
    const dropped = doors.drop();
    stage.deadlines.close();
    realTime.close();
    // One that is being made again is given up, and goes within a few turns.
    await stage.past?.loading;
    await stage.cluster.crash().catch((problem: unknown) => {
      // Its disk is as dead as it is.
      if (!(problem instanceof CrashSignal)) throw problem;
    });
    await dropped;
  }
}
