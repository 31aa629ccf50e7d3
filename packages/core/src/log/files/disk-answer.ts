/** A disk that refuses is answered with STORAGE_ERROR. Everything else goes on as it is. */
import { DiskError } from "../../env/disk.ts";
import { storageError } from "../../errors.ts";

/** `path`: what `act` is about. */
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

function answerTo(problem: unknown, path: string): unknown {
  return problem instanceof DiskError ? storageError(problem, { file: path }) : problem;
}
