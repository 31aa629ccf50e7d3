/**
 * For what cannot happen. The world's misbehaviour is answered with a BrokerError (errors.ts); a broken assertion means
 * that the program itself is wrong, and going on would spread the damage: nothing catches it, and the broker stops.
 */

/** A promise that the program made to itself is broken. Never caught but by the daemon, which then exits. */
export class AssertionFailure extends Error {
  override readonly name = "AssertionFailure";
}

/** Stops with `message` unless `condition` holds. The message carries the values seen; pass a function when it is dear. */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (condition) return;
  throw new AssertionFailure(typeof message === "string" ? message : message());
}

/** The branch that a complete `switch` never takes: a forgotten case is a type error first, and this after it. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`a value outside its type: ${JSON.stringify(value)}`);
}
