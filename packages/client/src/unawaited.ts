/** What a caller's function returns where nobody waits: a promise there is a mistake, and is told as one. */
import { types } from "node:util";

/** Whether `made` is a promise. What one fails with is nobody's from then on: unheard, it would end the process. */
export function isUnawaited(made: unknown): made is Promise<unknown> {
  if (typeof made !== "object" || !types.isPromise(made)) return false;
  made.catch(() => {});
  return true;
}
