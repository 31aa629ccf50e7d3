/**
 * What a broker tells of one fault as it acts, and questions that are put beside that.
 *
 * Owns a watch of the events, which is read at once. A watch never comes back: its end is that of the broker, as far as a client can see,
 * where a question is put again to whoever answers next, and so outlives the connection that the fault itself has closed.
 * Invariant: nothing counts but an event of this very fault. That a broker has gone says nothing about what of.
 */
import type { WatchedEvent } from "@minikafka/protocol";
import { onAbort } from "./abort.ts";
import { hasCode, MiniKafkaError } from "./errors.ts";
import type { EventStream } from "./event-stream.ts";
import type { CallOptions, Session } from "./session.ts";

/** Events of all faults from when this resolves. Its options are those of the opening alone. Rejects as a call does. */
export async function openFaultEvents(
  session: Session,
  { timeoutMs, signal }: CallOptions,
): Promise<EventStream<WatchedEvent>> {
  const opening = new AbortController();
  const forget = signal && onAbort(signal, () => opening.abort(signal.reason));
  if (signal?.aborted === true) opening.abort(signal.reason);
  const cancel =
    timeoutMs === undefined ? null : session.clock.after(timeoutMs, () => opening.abort(tooLate(timeoutMs)));
  const events = session.watch({ kinds: ["fault_fired"] }, (event) => event, opening.signal);
  try {
    await events.open();
    return events;
  } catch (error) {
    await events.close();
    throw error;
  } finally {
    forget?.();
    cancel?.();
  }
}

function tooLate(timeoutMs: number): MiniKafkaError {
  const details = { operation: "watch", timeoutMs };
  return new MiniKafkaError("TIMEOUT", `watch got no answer in ${timeoutMs} ms`, { details });
}

export class FaultWatch {
  readonly #events: EventStream<WatchedEvent>;
  readonly #id: number;
  #seen = 0;
  #lastHit = 0;
  #end: { readonly error: unknown } | null = null;
  #waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];

  /** Of the fault of that number. */
  constructor(events: EventStream<WatchedEvent>, id: number) {
    this.#events = events;
    this.#id = id;
    void this.#read();
  }

  /** How often it was seen to act. */
  get seen(): number {
    return this.#seen;
  }

  /** Which of its hits it acted on last; 0 before the first. */
  get lastHit(): number {
    return this.#lastHit;
  }

  /** Nothing will be seen any more. */
  get isOver(): boolean {
    return this.#end !== null;
  }

  /** Resolves at the next event, also of another fault. Rejects with what has ended the watch: CONNECTION, CLOSED, or a signal's reason. */
  changed(): Promise<void> {
    if (this.#end !== null) return Promise.reject(this.#end.error);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async close(): Promise<void> {
    await this.#events.close();
  }

  async #read(): Promise<void> {
    try {
      for await (const event of this.#events) {
        if (event.kind === "fault_fired" && event.rule_id === this.#id) {
          this.#seen += 1;
          this.#lastHit = Number(event.hit);
        }
        for (const { resolve } of this.#waiting.splice(0)) resolve();
      }
      this.#over(new MiniKafkaError("CLOSED", "the client is closed, or the fault disarmed"));
    } catch (error) {
      this.#over(error);
    }
  }

  #over(error: unknown): void {
    this.#end = { error };
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/**
 * The answer to `ask`, which is put again where the connection goes under it; or `null` once `told` has resolved. Rejects as `told` does: no
 * question waits for a broker that is not there any more.
 */
export async function askedBeside<Answer>(
  told: Promise<unknown>,
  ask: (options: CallOptions) => Promise<Answer>,
  options: CallOptions,
): Promise<Answer | null> {
  const over = new AbortController();
  const signal = options.signal === undefined ? over.signal : AbortSignal.any([options.signal, over.signal]);
  try {
    return await Promise.race([again(ask, { ...options, signal }), told.then(() => null)]);
  } finally {
    over.abort();
  }
}

async function again<Answer>(
  ask: (options: CallOptions) => Promise<Answer>,
  options: CallOptions,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask(options);
    } catch (error) {
      if (!hasCode(error, "CONNECTION") || error.details.sent !== true) throw error;
    }
  }
}
