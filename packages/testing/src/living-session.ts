/**
 * The hand that a test has on its broker: steps and faults are orders to a process, and one that has died takes none. A client waits for one
 * that comes back, as it would over a network; whoever orders is told at once that nobody is there to obey.
 */
import type { Session } from "@minikafka/client";

/** `session`, but that whatever is asked of it fails with what `requireNoCrash` throws. */
export function livingSession(session: Session, requireNoCrash: () => void): Session {
  const { clock, random, frameBytesMax, requestTimeoutMs } = session;
  return {
    clock,
    random,
    frameBytesMax,
    requestTimeoutMs,
    call: async (name, fields, options) => {
      requireNoCrash();
      return session.call(name, fields, options);
    },
    callOneWay: async (name, fields, options) => {
      requireNoCrash();
      return session.callOneWay(name, fields, options);
    },
    watch: (fields, shape, signal) => {
      requireNoCrash();
      return session.watch(fields, shape, signal);
    },
    own: (part) => session.own(part),
  };
}
