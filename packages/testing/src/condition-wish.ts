/** What a test waits for in its own words. */
import { requireFunction, requireNoPromise, requireText } from "./usage.ts";
import type { Wish } from "./waits.ts";

/** That `holds()` is true. Throws USAGE, and where `holds` returns a promise, its look does. */
export function conditionWish(what: string, holds: () => boolean): Wish<boolean> {
  requireText("what", what);
  requireFunction("holds", holds);
  return {
    what,
    look() {
      const seen = holds();
      requireNoPromise("holds", seen);
      return seen;
    },
    missing: (seen) => (seen ? null : "it does not hold"),
  };
}
