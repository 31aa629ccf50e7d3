/**
 * Whether a log may be used.
 *
 *   online    -> offline   the file holds something that could not be taken back, or somebody has removed it; nothing is read or
 *                          written any more
 *   online    -> failed    a sync failed, so that nobody knows what is on the disk; reads go on, they check every batch
 *   any other -> closed
 *
 * Never: a way back. Only opening the log anew, which checks what is there, makes it usable again.
 */
import { DiskError } from "../../env/disk.ts";
import type { Env } from "../../env/env.ts";
import type { ReplicaPlace } from "../../env/trace.ts";
import { BrokerError } from "../../errors.ts";

type State =
  | { readonly kind: "online" | "closed" }
  | { readonly kind: "offline" | "failed"; readonly problem: string };

export class LogState {
  readonly #folder: string;
  readonly #place: ReplicaPlace;
  readonly #env: Env;
  #isCut = false;
  #isClosing = false;
  #state: State = { kind: "online" };

  constructor({ folder, place, env }: { folder: string; place: ReplicaPlace; env: Env }) {
    this.#folder = folder;
    this.#place = place;
    this.#env = env;
  }

  get isOffline(): boolean {
    return this.#state.kind === "offline";
  }

  get isClosed(): boolean {
    return this.#state.kind === "closed";
  }

  get isWritable(): boolean {
    return this.#state.kind === "online";
  }

  /** For whoever has waited: the log may have been closed meanwhile. Throws STORAGE_ERROR. */
  requireOpen(): void {
    if (this.isClosed) throw this.refusal();
  }

  /** Throws STORAGE_ERROR with the reason. */
  requireReadable(): void {
    if (this.#state.kind === "offline" || this.#state.kind === "closed") throw this.refusal();
  }

  /** STORAGE_ERROR with the reason why nothing can be read. */
  refusal(): BrokerError {
    const reason = "problem" in this.#state ? this.#state.problem : "it was closed";
    return new BrokerError("STORAGE_ERROR", `the log in ${this.#folder} is off line: ${reason}`, {
      file: this.#folder,
    });
  }

  /** Throws STORAGE_ERROR or BROKER_FAILED with the reason. */
  requireWritable(): void {
    this.requireReadable();
    if (this.#state.kind === "failed") throw this.#brokerFailed(this.#state.problem);
  }

  /** While `act` is under way the end of the log moves back, and nothing may be appended. */
  async withoutAppends<Result>(act: () => Promise<Result>): Promise<Result> {
    this.#isCut = true;
    try {
      return await act();
    } finally {
      this.#isCut = false;
    }
  }

  /** From now on nothing is appended, while what was is made durable. */
  beginClosing(): void {
    this.#isClosing = true;
  }

  /** Throws STORAGE_ERROR or BROKER_FAILED with the reason. */
  requireAppendable(): void {
    this.requireWritable();
    if (!this.#isCut && !this.#isClosing) return;
    const what = this.#isClosing ? "closed" : "truncated";
    throw new BrokerError("STORAGE_ERROR", `the log in ${this.#folder} is being ${what}`, {
      file: this.#folder,
    });
  }

  goOffline(problem: string): void {
    if (this.#state.kind === "closed" || this.isOffline) return;
    this.#state = { kind: "offline", problem };
    this.#env.trace({ kind: "log_offline", ...this.#place, problem });
  }

  /**
   * Runs `act`; when it meets a file that is not there, and `path`, which the end of the log is written to, is not there either, the
   * log goes off line: somebody has taken away what it held, and what comes next could not be found. Throws what `act` throws.
   */
  noticingLoss<Result>(path: string, act: () => Result): Result {
    try {
      return act();
    } catch (problem) {
      // While its end is being cut, files come and go.
      if (problem instanceof DiskError && !this.#isCut && this.#isGone(path, problem))
        this.goOffline(`${problem.message}: somebody has removed it`);
      throw problem;
    }
  }

  #isGone(path: string, { code }: DiskError): boolean {
    if (code !== "ENOENT" && code !== "ENOTDIR") return false;
    try {
      return this.#env.disk.stat(path) === null;
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
      return false;
    }
  }

  /** A sync failed. Returns the error that tells of it. */
  fail(problem: string): BrokerError {
    if (this.#state.kind === "online") this.#state = { kind: "failed", problem };
    return this.#brokerFailed(problem);
  }

  close(): void {
    this.#state = { kind: "closed" };
  }

  #brokerFailed(problem: string): BrokerError {
    const sentence = "what was written may not be on the disk, and nothing more is taken until a restart";
    return new BrokerError("BROKER_FAILED", `${problem}; ${sentence}`, { file: this.#folder });
  }
}
