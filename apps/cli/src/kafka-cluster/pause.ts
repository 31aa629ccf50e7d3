/** A wait between two attempts. */
import { systemClock } from "@minikafka/client";

/** Resolves when the time is over, or the signal wants an end. */
export function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = systemClock.after(waitMs, end);
    signal.addEventListener("abort", end);
  });
}
