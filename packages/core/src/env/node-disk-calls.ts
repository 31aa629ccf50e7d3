/** Calls of the system: what fails is a DiskError that names the call and the path. */
import fs from "node:fs";
import { DiskError, type DiskOperationName } from "./disk.ts";

export function onDisk<Result>(operation: DiskOperationName, path: string, act: () => Result): Result {
  try {
    return act();
  } catch (problem) {
    throw asDiskError(operation, path, problem);
  }
}

/** The same for a call off the thread, which says at its end how it went. */
export async function onDiskLater(
  operation: DiskOperationName,
  path: string,
  begin: (end: (problem: Error | null) => void) => void,
): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) =>
      begin((problem) => (problem === null ? resolve() : reject(problem))),
    );
  } catch (problem) {
    throw asDiskError(operation, path, problem);
  }
}

/** A failed system call as a DiskError. Everything else is a mistake of this program and goes on as it is. */
export function asDiskError(operation: DiskOperationName, path: string, problem: unknown): DiskError {
  if (!(problem instanceof Error) || !("code" in problem) || typeof problem.code !== "string") throw problem;
  if (!("syscall" in problem)) throw problem;
  return new DiskError(operation, path, problem.code, { cause: problem });
}

/**
 * The descriptor is given back whatever the system says of it (close(2): on Linux also when it fails). What was to be durable
 * has been synced before, and nothing else was promised.
 */
export function closeQuietly(descriptor: number): void {
  try {
    fs.closeSync(descriptor);
  } catch {
    // Said above.
  }
}
