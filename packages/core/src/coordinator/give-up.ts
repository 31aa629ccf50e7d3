/** The end of a caller's patience, which is not the end of what was begun for the caller. */
import { BrokerError } from "../errors.ts";

/** How long a caller waits: until `giveUp` aborts, since the kernel has no timer. */
export interface Wait {
  readonly giveUp?: AbortSignal;
}

/**
 * Settles as `work` does, unless `giveUp` aborts first: then it rejects with REQUEST_TIMED_OUT, and `work` goes on without
 * anybody hearing of it.
 */
export function unlessGivenUp<Result>(
  work: Promise<Result>,
  { giveUp }: Wait,
  what: () => string,
): Promise<Result> {
  if (giveUp === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(new BrokerError("REQUEST_TIMED_OUT", `${what()} did not end in time`));
    if (giveUp.aborted) abort();
    else giveUp.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => giveUp.removeEventListener("abort", abort));
  });
}
