/**
 * The hand that a test steps its broker with: steps are orders to a process, and one that is gone takes none. A client waits for one
 * that comes back, as it would over a network; whoever orders is told at once that nobody is there to obey.
 */
import type { Session } from "@minikafka/client";

/** `session`, but that whatever is asked of it fails with what `requireObeyed` throws. */
export function livingSession(session: Session, requireObeyed: () => void): Session {
  const { clock, random, frameBytesMax, requestTimeoutMs } = session;
  return {
    clock,
    random,
    frameBytesMax,
    requestTimeoutMs,
    call: async (name, fields, options) => {
      requireObeyed();
      return session.call(name, fields, options);
    },
    callOneWay: async (name, fields, options) => {
      requireObeyed();
      return session.callOneWay(name, fields, options);
    },
    watch: (fields, shape, signal) => {
      requireObeyed();
      return session.watch(fields, shape, signal);
    },
    own: (part) => session.own(part),
  };
}
