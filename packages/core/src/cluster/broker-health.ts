/**
 * Whether a broker serves.
 *
 *   running -> failed    a sync failed: reads go on, and it takes no writes
 *   running, failed -> stopped -> running
 *
 * Invariant: a broker whose disk failed a sync stays failed until it is started anew, since the system may have dropped what
 * it did not write; what the next start has to know of it is noted as soon as the disk allows.
 */
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";

export type BrokerState = "running" | "failed" | "stopped";

export abstract class BrokerHealth {
  readonly brokerId: number;
  protected readonly env: Env;
  #failure: string | null = null;
  /** Each leaves a mark for the next start that the disk has refused so far, and tells whether it is there. */
  #unmarked: (() => boolean)[] = [];
  #isStopped = false;

  constructor(brokerId: number, env: Env) {
    this.brokerId = brokerId;
    this.env = env;
  }

  get state(): BrokerState {
    if (this.#isStopped) return "stopped";
    return this.#failure === null ? "running" : "failed";
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  get isRunning(): boolean {
    return this.state === "running";
  }

  /** Throws BROKER_NOT_AVAILABLE or BROKER_FAILED when it takes no writes. */
  requireRunning(): void {
    if (this.#isStopped) {
      const details = { broker_id: this.brokerId };
      throw new BrokerError("BROKER_NOT_AVAILABLE", `broker ${this.brokerId} is stopped`, details);
    }
    this.requireNotFailed();
  }

  /** Throws BROKER_FAILED. */
  requireNotFailed(): void {
    this.leaveMarks();
    if (this.#failure === null) return;
    throw new BrokerError(
      "BROKER_FAILED",
      `broker ${this.brokerId} takes no writes until it is restarted: ${this.#failure}`,
      { broker_id: this.brokerId },
    );
  }

  /** From here on it takes no writes, for `problem`. Reads go on. */
  fail(problem: string): void {
    if (this.#failure !== null) return;
    this.#failure = problem;
    this.env.trace({ kind: "broker_failed", brokerId: this.brokerId, problem });
  }

  /** The next start has to know of a failed sync, and the disk has refused the note: it is tried again. See log/parts/sync-doubt.ts. */
  protected markLater(leaveMark: () => boolean): void {
    this.#unmarked.push(leaveMark);
  }

  protected leaveMarks(): void {
    if (this.#unmarked.length === 0) return;
    this.#unmarked = this.#unmarked.filter((leaveMark) => !leaveMark());
  }

  protected noteStop(): void {
    this.#isStopped = true;
  }

  /** Whatever failed before is behind it; what is not noted of that yet is tried before anything is opened, and from then on. */
  protected noteStart(): void {
    this.leaveMarks();
    this.#failure = null;
    this.#isStopped = false;
  }
}
