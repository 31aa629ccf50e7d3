/** One process at a time works on the state of a transfer: two would each take the other's batches for their own. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { CliError } from "../failure.ts";

/** Throws TRANSFER_RUNNING. The result lets go. A process that was killed holds nothing any more. */
export function takeLock(file: string): () => void {
  mkdirSync(dirname(file), { recursive: true });
  for (let attempt = 0; ; attempt += 1) {
    try {
      writeFileSync(file, `${process.pid}\n`, { flag: "wx" });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = holderOf(file);
    if (attempt > 0 || isAlive(holder))
      throw new CliError("TRANSFER_RUNNING", `process ${holder} has ${file}: it copies the same topic`);
    rmSync(file, { force: true });
  }
}

function holderOf(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  // Our own is of a process that had this number before.
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
