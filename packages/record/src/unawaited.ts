/** What a caller's function returns where nobody waits: a promise there is a mistake, and is told as one. */
import { types } from "node:util";

/**
 * Whether `made` is a promise, or what `await` would wait for like one, such as the query of a database that begins when it is waited for: its
 * `then` is not called, so that it does not begin. What a promise fails with is nobody's from then on: unheard, it would end the process.
 */
export function isUnawaited(made: unknown): made is PromiseLike<unknown> {
  if (types.isPromise(made)) {
    made.catch(() => {});
    return true;
  }
  const canHave = (typeof made === "object" && made !== null) || typeof made === "function";
  return canHave && "then" in made && typeof made.then === "function";
}
