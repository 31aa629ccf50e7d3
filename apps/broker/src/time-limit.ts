/** How long somebody waits for what others have to acknowledge. */
import { setMaxListeners } from "node:events";
import { BrokerError } from "@minikafka/core";
import type { Deadlines, Waiter } from "./deadlines.ts";

/** As a produce that names none. Kafka: request.timeout.ms of the client, 30 s; offsets.commit.timeout.ms of the broker, 5 s. */
export const ANSWER_MS = 30_000;

/**
 * What `begin` brings, which it begins at once, unless `timeoutMs` of the broker's time are over first: then REQUEST_TIMED_OUT, and
 * what was begun goes on without anybody hearing of it. `of` tells whose wait it is.
 *
 * No time at all is for others, and not for the disk: what waits for nobody else is acknowledged when the disk has answered, within
 * `ANSWER_MS`. Its client would write again what lies there already (Kafka tries to complete a DelayedProduce before its time counts).
 */
export function withinTime<Result>(
  timeoutMs: number,
  deadlines: Deadlines,
  of: Waiter,
  begin: (giveUp: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timedOut = giveUpOfMany();
  const begun = begin(timedOut.signal);
  return new Promise((resolve, reject) => {
    const outOfTime = () => {
      const until = deadlines.hasEndedWaits ? "before the broker stopped" : `within ${timeoutMs} ms`;
      return new BrokerError("REQUEST_TIMED_OUT", `not acknowledged by all ${until}`);
    };
    const onDue = () => {
      reject(outOfTime());
      timedOut.abort();
    };
    const onNoTime = () => {
      timedOut.abort(outOfTime());
      deadline = deadlines.after(ANSWER_MS, onDue, "answer", of);
    };
    let deadline = deadlines.after(timeoutMs, timeoutMs === 0 ? onNoTime : onDue, "answer", of);
    begun.then(resolve, reject).finally(() => deadline.cancel());
    // No time at all is over at once, also where time stands still; what needed no waiting is answered before.
    if (timeoutMs === 0) deadlines.fireSoon();
  });
}

/**
 * The same for a pass over many, of which one may wait for ever: `pass` itself has to end when it is to give up, and tells what was
 * done until then, and what was not.
 */
export async function passWithin<Report>(
  timeoutMs: number,
  deadlines: Deadlines,
  of: Waiter,
  pass: (giveUp: AbortSignal) => Promise<Report>,
): Promise<Report> {
  const timedOut = giveUpOfMany();
  const deadline = deadlines.after(timeoutMs, () => timedOut.abort(), "answer", of);
  try {
    return await pass(timedOut.signal);
  } finally {
    deadline.cancel();
  }
}

/** One step may wait for a thousand groups, and that is no leak. */
function giveUpOfMany(): AbortController {
  const timedOut = new AbortController();
  setMaxListeners(0, timedOut.signal);
  return timedOut;
}
