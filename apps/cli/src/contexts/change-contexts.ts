/**
 * One command at a time changes the file of contexts: two that read it in the same instant would each write without the other's change.
 *
 * The folder is held as a broker holds its data folder: the operating system gives it to one process, and takes it back when that one is
 * gone, so that what a killed command has left is in nobody's way. Reading needs no hold, since a file is whole whenever it is read.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { CliError } from "../failure.ts";
import { type Contexts, notWritable, readContexts, writeContexts } from "./context-file.ts";

/** A change takes milliseconds: whoever holds the folder for longer has been stopped, or hangs. */
const PATIENCE_MS = 5_000;
const LOOK_AGAIN_MS = 20;

/**
 * Puts what `change` makes of the contexts in their place, and resolves with it. What `change` throws is thrown, and leaves the file
 * and its folder as they were. Rejects with INVALID_CONTEXTS for a file that is none or cannot be written, and with CONTEXTS_IN_USE
 * where another command has not ended its change within `patienceMs`.
 */
export async function changeContexts(
  file: string,
  change: (contexts: Contexts) => Contexts,
  patienceMs: number = PATIENCE_MS,
): Promise<Contexts> {
  // What is refused makes no folder either.
  change(readContexts(file));
  const letGo = await heldFolder(file, patienceMs);
  try {
    const changed = change(readContexts(file));
    writeContexts(file, changed);
    return changed;
  } finally {
    await letGo();
  }
}

async function heldFolder(file: string, patienceMs: number): Promise<() => Promise<void>> {
  // Loaded here only: no other command needs the kernel's disk for its contexts.
  const { FolderHeldError, NodeDisk } = await import("@minikafka/core/log");
  const folder = dirname(file);
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    try {
      mkdirSync(folder, { recursive: true });
      const lock = await new NodeDisk().lock(folder, Date.now());
      return () => lock.release();
    } catch (error) {
      if (!(error instanceof FolderHeldError)) throw notWritable(file, error);
      if (waitedMs >= patienceMs)
        throw new CliError("CONTEXTS_IN_USE", `${error.message}: it changes the contexts`, {
          details: { file },
        });
    }
    const { systemClock } = await import("@minikafka/client");
    await new Promise<void>((resolve) => systemClock.after(LOOK_AGAIN_MS, resolve));
  }
}
