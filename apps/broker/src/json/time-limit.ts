/** How long a request waits for what others have to acknowledge. */
import { setMaxListeners } from "node:events";
import { BrokerError } from "@minikafka/core";
import type { Deadlines } from "../deadlines.ts";
import { aTurnForOthers } from "../ticker.ts";

/**
 * What `begin` brings, which it begins at once, unless `timeoutMs` of the broker's time are over first: then REQUEST_TIMED_OUT, and
 * what was begun goes on without anybody hearing of it.
 */
export function withinTime<Result>(
  timeoutMs: number,
  deadlines: Deadlines,
  begin: (giveUp: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timedOut = new AbortController();
  // One step may wait for a thousand groups, and that is no leak.
  setMaxListeners(0, timedOut.signal);
  const begun = begin(timedOut.signal);
  return new Promise((resolve, reject) => {
    const deadline = deadlines.after(timeoutMs, () => {
      reject(new BrokerError("REQUEST_TIMED_OUT", `not acknowledged by all within ${timeoutMs} ms`));
      timedOut.abort();
    });
    begun.then(resolve, reject).finally(() => deadline.cancel());
    // No time at all is over at once, also where time stands still; what needed no waiting is answered before.
    if (timeoutMs === 0) void aTurnForOthers().then(() => deadlines.fireDue());
  });
}
