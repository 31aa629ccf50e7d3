/**
 * The kernel's events, on their way to those who watch.
 *
 * Owns the count of events and who watches them.
 * Invariants: events are numbered from 1 as they happen, whether or not anybody watches; each watcher sees those that it
 * wants, in that order; an event is put into words at most once, and only when somebody takes it.
 * Never: keeps an event, waits for a watcher, or calls the kernel.
 */
import type { Clock, TraceEvent, Tracer } from "@minikafka/core";
import { eventText } from "./event-text.ts";

/** An event as it is handed round. */
export class NumberedEvent {
  /** Counts the events since the broker started. */
  readonly number: number;
  /** On the broker's clock. */
  readonly timeMs: number;
  readonly event: TraceEvent;
  #line: string | null = null;

  constructor(number: number, timeMs: number, event: TraceEvent) {
    this.number = number;
    this.timeMs = timeMs;
    this.event = event;
  }

  /** The line of it, ended by a newline. */
  get line(): string {
    this.#line ??= eventText(this.number, this.timeMs, this.event);
    return this.#line;
  }
}

export interface Watcher {
  wants(event: TraceEvent): boolean;
  /** Called from within the kernel: must not throw, nor call back into it. The event is only good until this returns. */
  take(event: NumberedEvent): void;
}

export class EventFeed {
  #clock: Clock;
  #keeper: Pick<Watcher, "take"> | null = null;
  #isQuiet = false;
  readonly #watchers = new Set<Watcher>();
  #number = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many watch. */
  get size(): number {
    return this.#watchers.size;
  }

  readonly trace: Tracer = (event) => {
    this.#number += 1;
    let numbered: NumberedEvent | null = null;
    if (this.#keeper !== null) {
      numbered = new NumberedEvent(this.#number, this.#clock.nowMs(), event);
      this.#keeper.take(numbered);
    }
    if (this.#isQuiet) return;
    for (const watcher of this.#watchers) {
      if (!watcher.wants(event)) continue;
      numbered ??= new NumberedEvent(this.#number, this.#clock.nowMs(), event);
      watcher.take(numbered);
    }
  };

  /** Whether nobody is told. */
  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  /** Sees everything, before all others, also what is not told to those. */
  keepWith(keeper: Pick<Watcher, "take">): void {
    this.#keeper = keeper;
  }

  /** Another cluster comes: its events are numbered from 1, and told to nobody until `speak`. */
  beginAnew(clock: Clock): void {
    this.#clock = clock;
    this.#number = 0;
    this.#isQuiet = true;
  }

  speak(): void {
    this.#isQuiet = false;
  }

  /** From now on `watcher` sees what happens. Returns how to end that. */
  add(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}
