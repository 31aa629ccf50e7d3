/**
 * One process at a time works on the state of a transfer: two would each take the other's batches for their own.
 *
 * The same hold as a broker has on its data folder: the operating system gives it to one process, and takes it back when that one is gone,
 * so that nothing is judged by a number in a file, which may be another process's by now. The folder that is held stays.
 */
import { mkdirSync } from "node:fs";
import { FolderHeldError, NodeDisk } from "@minikafka/core/log";
import { CliError } from "../failure.ts";
import { stateProblem } from "./state-problem.ts";

/** Throws TRANSFER_RUNNING, INVALID_INPUT where `folder` cannot be one, and STORAGE_ERROR where the disk refuses it. The result lets go. */
export async function takeLock(folder: string): Promise<() => Promise<void>> {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST" && code !== "ENOTDIR") throw stateProblem(folder, error);
    throw new CliError("INVALID_INPUT", `${folder} cannot be made, there is a file: ${message}`, {
      hint: "--state names a folder; a file that ends in .lock may be removed",
    });
  }
  try {
    const lock = await new NodeDisk().lock(folder, Date.now());
    return () => lock.release();
  } catch (error) {
    if (!(error instanceof FolderHeldError)) throw stateProblem(folder, error);
    throw new CliError("TRANSFER_RUNNING", `${error.message}: it copies the same topic`);
  }
}
