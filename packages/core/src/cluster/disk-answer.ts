/** A disk's refusal, turned into an answer for the client whose request met it. */
import { DiskError } from "../env/disk.ts";
import { BrokerError, storageError } from "../errors.ts";

/** Runs `act`; a DiskError that leaves it becomes STORAGE_ERROR. Everything else passes as it is. */
export function answeringForDisk<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (problem) {
    throw problem instanceof DiskError ? storageError(problem, { file: problem.path }) : problem;
  }
}

/** True for what the world does, as opposed to a broken assertion or a crash, after which nothing may be tidied up. */
export function isRefusal(problem: unknown): problem is DiskError | BrokerError {
  return problem instanceof DiskError || problem instanceof BrokerError;
}
