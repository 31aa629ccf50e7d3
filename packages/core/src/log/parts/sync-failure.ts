/**
 * What a log makes of a disk that refused while something was being made durable. Where nobody can tell any more what is
 * on the disk, the log takes nothing until it is opened anew, a mark for that opening is left (sync-doubt.ts), and the
 * broker is told. Everything else is an answer to whoever asked.
 */
import { DiskError, isOutOfDescriptors } from "../../env/disk.ts";
import { BrokerError, storageError } from "../../errors.ts";
import type { LogContext } from "../context/log-context.ts";
import type { LogState } from "../context/log-state.ts";
import { checkpointOutcome } from "../files/checkpoint-outcome.ts";
import { noteDoubt, type OnUnmarked } from "./sync-doubt.ts";

/** Told of each failure after which nothing that was written can be trusted. */
export type OnFailedSync = (problem: string) => void;

export interface SyncFailureListeners {
  readonly onFailedSync: OnFailedSync;
  readonly onUnmarked: OnUnmarked;
}

export class SyncFailure {
  readonly #context: LogContext;
  readonly #state: LogState;
  readonly #listeners: SyncFailureListeners;

  constructor(context: LogContext, state: LogState, listeners: SyncFailureListeners) {
    this.#context = context;
    this.#state = state;
    this.#listeners = listeners;
  }

  /** What to throw for what a sync threw. */
  ofSync(problem: unknown): unknown {
    if (!(problem instanceof DiskError)) return problem;
    // Too many files are open to begin a sync: nothing was synced, and nothing was lost either.
    if (isOutOfDescriptors(problem)) return storageError(problem, { file: problem.path });
    // A handle that was closed under a sync says nothing about the disk.
    return this.#state.isClosed ? this.#state.refusal() : this.#failed(problem.message);
  }

  /** What to throw when the manifest was not replaced. One that may not survive a power cut is as bad as a failed sync. */
  ofCommit(problem: unknown): unknown {
    if (!(problem instanceof BrokerError) || checkpointOutcome(problem) !== "unknown") return problem;
    return this.#failed(problem.message);
  }

  #failed(problem: string): BrokerError {
    const { onFailedSync, onUnmarked } = this.#listeners;
    const noted = noteDoubt(this.#context, problem, onUnmarked);
    const error = this.#state.fail(noted);
    onFailedSync(noted);
    return error;
  }
}
