/**
 * Replication in auto mode: a round right after whatever made one due, and further ones while followers are behind. It takes the
 * same step that manual mode leaves to whoever steps.
 *
 * Owns: the turn of the event loop that is asked for.
 * Invariants: one round at a time; all that fell behind within one turn of the event loop shares its round; what falls behind while
 * one is under way, up to its very end, has a round after it; one that fails is told, and tried again when somebody asks.
 */
import { timers } from "./system-timers.ts";

export interface ReplicatedCluster {
  /** Calls `listener` when a partition falls behind after none was. */
  onBehind(listener: () => void): void;
  /** One round; resolves with how many partitions need another one. */
  replicateBehind(): Promise<number>;
}

export class Replicator {
  readonly #cluster: ReplicatedCluster;
  readonly #onProblem: (error: unknown) => void;
  #turn: NodeJS.Immediate | null = null;
  #underWay: Promise<void> | null = null;
  /** Somebody has asked since the round under way began. It may have counted already what it leaves. */
  #isAskedMeanwhile = false;
  #isStopped = false;

  constructor(cluster: ReplicatedCluster, onProblem: (error: unknown) => void) {
    this.#cluster = cluster;
    this.#onProblem = onProblem;
    cluster.onBehind(() => this.#ask());
  }

  /** Takes no further round; resolves when the last one is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#turn !== null) timers.clearImmediate(this.#turn);
    await this.#underWay;
  }

  /** Requests that came in the same turn are appended before it. */
  #ask(): void {
    if (this.#underWay !== null) this.#isAskedMeanwhile = true;
    if (this.#isStopped || this.#turn !== null || this.#underWay !== null) return;
    this.#turn = timers.setImmediate(() => {
      this.#turn = null;
      this.#underWay = this.#round();
    });
  }

  async #round(): Promise<void> {
    let left = 0;
    this.#isAskedMeanwhile = false;
    try {
      left = await this.#cluster.replicateBehind();
    } catch (error) {
      this.#onProblem(error);
    }
    this.#underWay = null;
    if (left > 0 || this.#isAskedMeanwhile) this.#ask();
  }
}
