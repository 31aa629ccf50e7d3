/** What a process that a fault has killed leaves in the process that runs the tests. */
import { CrashSignal } from "../../src/env/fault-order.ts";

/**
 * From now on nobody is told of promises that were rejected because their process is dead, with nobody left to await them; of all
 * others everybody is, as before. Returns how to end that.
 */
export function leaveTheDeadAlone(): () => void {
  const listeners = process.listeners("unhandledRejection");
  const tell: NodeJS.UnhandledRejectionListener = (problem, promise) => {
    if (problem instanceof CrashSignal) return;
    for (const listener of listeners) listener(problem, promise);
  };
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", tell);
  return () => {
    process.off("unhandledRejection", tell);
    for (const listener of listeners) process.on("unhandledRejection", listener);
  };
}
