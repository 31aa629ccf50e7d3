/**
 * Who is told what a kernel does: the log, and those who watch.
 *
 * Invariant: only the kernel that came last is heard. The log is told of what happens, not of what is done once more.
 */
import type { Tracer } from "@minikafka/core";
import type { EventFeed } from "./event-feed.ts";

export class Tracers {
  readonly #log: Tracer;
  readonly #events: EventFeed;
  #last = 0;

  constructor(log: Tracer, events: EventFeed) {
    this.#log = log;
    this.#events = events;
  }

  /** For another kernel; the one before is not heard any more. */
  next(): Tracer {
    this.#last += 1;
    const number = this.#last;
    return (event) => {
      if (number !== this.#last) return;
      if (!this.#events.isQuiet) this.#log(event);
      this.#events.trace(event);
    };
  }
}
