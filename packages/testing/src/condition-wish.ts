/** What a test waits for in its own words. */
import { shownValue } from "@minikafka/record";
import { requireFunction, requireNoPromise, requireText, usage } from "./usage.ts";
import type { Wish } from "./waits.ts";

/** That `holds()` is true. Throws USAGE, and where `holds` returns anything but true or false, its look does. */
export function conditionWish(what: string, holds: () => boolean): Wish<boolean> {
  requireText("what", what);
  requireFunction("holds", holds);
  return {
    what,
    look() {
      const seen: unknown = holds();
      requireNoPromise("holds", seen);
      // As good as true may be a slip, such as a generator, which has not run yet; as good as false, a return that was forgotten.
      if (typeof seen !== "boolean")
        throw usage(`holds returned ${shownKind(seen)}; expected true or false, as a comparison gives`);
      return seen;
    },
    missing: (seen) => (seen ? null : "it does not hold"),
  };
}

/** JSON has nothing of a generator, a Map or a Set: of these the kind. */
function shownKind(value: unknown): string {
  const kind = Object.prototype.toString.call(value);
  const isPlain =
    typeof value !== "object" || ["[object Object]", "[object Array]", "[object Null]"].includes(kind);
  return isPlain ? shownValue(value) : kind;
}
