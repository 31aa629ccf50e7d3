/**
 * The system's timers, and the time that they go by.
 *
 * Taken as this is loaded: the tests of a program that embeds a broker may put timers of their own in the place of the system's, and a broker
 * that waited for those would never end.
 */
export interface SystemTimers {
  readonly setTimeout: typeof setTimeout;
  readonly clearTimeout: typeof clearTimeout;
  readonly setInterval: typeof setInterval;
  readonly clearInterval: typeof clearInterval;
  readonly setImmediate: typeof setImmediate;
  readonly clearImmediate: typeof clearImmediate;
  /** Monotonic, in milliseconds. */
  readonly nowMs: () => number;
}

/** Those that are there in this instant. */
export function presentTimers(): SystemTimers {
  return {
    setTimeout,
    clearTimeout,
    setInterval,
    clearInterval,
    setImmediate,
    clearImmediate,
    nowMs: performance.now.bind(performance),
  };
}

/** For all of the daemon. Its own tests put theirs in it. */
export const timers: SystemTimers = presentTimers();
