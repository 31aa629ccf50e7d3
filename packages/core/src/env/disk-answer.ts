/** What a disk's refusal is to whom it concerns: STORAGE_ERROR for the client whose request met it. */
import { BrokerError, storageError } from "../errors.ts";
import { DiskError } from "./disk.ts";

/** Runs `act`; a DiskError that leaves it becomes STORAGE_ERROR, about the file that was refused. All else passes as it is. */
export function answeringForDisk<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (problem) {
    throw answerTo(problem);
  }
}

/** The same for what waits. */
export async function answeringForDiskLater<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (problem) {
    throw answerTo(problem);
  }
}

/** As answeringForDisk(), about `path`, whichever file of it was refused. */
export function onDisk<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (problem) {
    throw answerTo(problem, path);
  }
}

/** The same for what waits. */
export async function onDiskLater<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (problem) {
    throw answerTo(problem, path);
  }
}

/** True for what the world does, as opposed to a broken assertion or a crash, after which nothing may be tidied up. */
export function isRefusal(problem: unknown): problem is DiskError | BrokerError {
  return problem instanceof DiskError || problem instanceof BrokerError;
}

/** Whether it, or what caused it, is that there is no room on the disk. */
export function isDiskFull(problem: unknown): boolean {
  if (problem instanceof DiskError) return problem.code === "ENOSPC" || problem.code === "EDQUOT";
  return problem instanceof Error && isDiskFull(problem.cause);
}

function answerTo(problem: unknown, path?: string): unknown {
  return problem instanceof DiskError ? storageError(problem, { file: path ?? problem.path }) : problem;
}
