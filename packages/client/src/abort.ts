/**
 * What is to happen when a signal aborts.
 *
 * Owns one listener for each signal that is waited with, however many waits there are: a program that hands one signal to
 * twenty requests leaks nothing, and node warns of a leak from the eleventh listener on.
 * Invariant: with the last wait the signal's listener is gone.
 */
interface Waits {
  readonly acts: Set<() => void>;
  readonly listener: () => void;
}

const waitsOf = new WeakMap<AbortSignal, Waits>();

/** Calls `act` once, when `signal` aborts. Returns how to be forgotten, which may be called again. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const waits = waitsOf.get(signal) ?? listenTo(signal);
  // The same function may wait twice.
  const own = () => act();
  waits.acts.add(own);
  return () => {
    waits.acts.delete(own);
    if (waits.acts.size > 0 || waitsOf.get(signal) !== waits) return;
    signal.removeEventListener("abort", waits.listener);
    waitsOf.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Waits {
  const acts = new Set<() => void>();
  const listener = () => {
    for (const act of acts) act();
  };
  const waits = { acts, listener };
  waitsOf.set(signal, waits);
  signal.addEventListener("abort", listener);
  return waits;
}
