/** Something that is done again and again, until it is called off. */
import { type Cancel, systemClock } from "@minikafka/client";

export function every(periodMs: number, action: () => void): Cancel {
  let cancel: Cancel = () => undefined;
  const tick = () => {
    action();
    cancel = systemClock.after(periodMs, tick);
  };
  cancel = systemClock.after(periodMs, tick);
  return () => cancel();
}

/** Resolves after `delayMs`, or when `signal` aborts. */
export function passed(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      cancel();
      signal.removeEventListener("abort", over);
      resolve();
    };
    const cancel = systemClock.after(delayMs, over);
    if (signal.aborted) over();
    else signal.addEventListener("abort", over);
  });
}
