/**
 * The kernel's events, on their way to those who watch; and between them the requests, for those who watch these too.
 *
 * Owns the count of events, that of requests, that of what watchers were too slow for, and who watches.
 * Invariants: events are numbered from 1 as they happen, whether or not anybody watches; so are requests, in a count of their own, and
 * what is told of them has the number of the event before it: what a watcher sees changes no number. Each watcher sees what it
 * wants, in that order; an event is put into words at most once, and only when somebody takes it.
 * Never: keeps an event, waits for a watcher, or calls the kernel.
 */
import type { Clock, TraceEvent, Tracer } from "@minikafka/core";
import { eventText } from "./event-text.ts";
import type { Refused, RequestEvent } from "./request-event.ts";

/** An event as it is handed round. */
export class NumberedEvent {
  /** Counts the events since the broker started; of a request, that of the event before it. */
  readonly number: number;
  /** On the broker's clock. */
  readonly timeMs: number;
  readonly event: TraceEvent | RequestEvent;
  #line: string | null = null;

  constructor(number: number, timeMs: number, event: TraceEvent | RequestEvent) {
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

/** What one may choose requests by. */
export interface RequestSubject {
  /** All that it names. */
  readonly topics: ReadonlySet<string>;
  /** How many had been counted when it was taken, itself included; rises also where another cluster came and numbers began anew. */
  readonly ordinal: number;
}

export interface Watcher {
  wants(event: TraceEvent): boolean;
  /** Whether it may want to be told of requests. */
  readonly wantsRequests?: boolean;
  wantsRequest?(event: RequestEvent, subject: RequestSubject): boolean;
  /** Whether it wants to be told of requests that cannot be read. */
  readonly wantsRefusals?: boolean;
  /** Called from within the kernel: must not throw, nor call back into it. The event is only good until this returns. */
  take(event: NumberedEvent): void;
}

export class EventFeed {
  #clock: Clock;
  #keeper: Pick<Watcher, "take"> | null = null;
  #isQuiet = false;
  readonly #watchers = new Set<Watcher>();
  #number = 0;
  #requests = 0;
  #requestsEver = 0;
  #dropped = 0;
  #era = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many watch. */
  get size(): number {
    return this.#watchers.size;
  }

  /** The number of the event that came last; 0 before the first. */
  get lastNumber(): number {
    return this.#number;
  }

  /** How often numbers began anew. */
  get era(): number {
    return this.#era;
  }

  /** How many events watchers were too slow for. */
  get dropped(): number {
    return this.#dropped;
  }

  /** A watcher was not told of one. */
  countDropped(): void {
    this.#dropped += 1;
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

  /** How many requests were counted, also before another cluster came. */
  get requestsEver(): number {
    return this.#requestsEver;
  }

  /** Another request is taken; returns its number. */
  countRequest(): number {
    this.#requests += 1;
    this.#requestsEver += 1;
    return this.#requests;
  }

  /** Whether it is of use to tell of requests. */
  get hasWatcherOfRequests(): boolean {
    if (this.#isQuiet) return false;
    for (const { wantsRequests } of this.#watchers) if (wantsRequests === true) return true;
    return false;
  }

  tellRequest(event: RequestEvent, subject: RequestSubject): void {
    if (this.#isQuiet) return;
    let numbered: NumberedEvent | null = null;
    for (const watcher of this.#watchers) {
      if (watcher.wantsRequest?.(event, subject) !== true) continue;
      numbered ??= new NumberedEvent(this.#number, this.#clock.nowMs(), event);
      watcher.take(numbered);
    }
  }

  /** Of a request that cannot be read. */
  tellRefused(refused: Refused): void {
    if (this.#isQuiet) return;
    const event = { kind: "request_refused", ...refused } as const;
    const numbered = new NumberedEvent(this.#number, this.#clock.nowMs(), event);
    for (const watcher of this.#watchers) if (watcher.wantsRefusals === true) watcher.take(numbered);
  }

  /** Whether nobody is told. */
  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  /** Sees everything, before all others, also what is not told to those. */
  keepWith(keeper: Pick<Watcher, "take">): void {
    this.#keeper = keeper;
  }

  /** Another cluster comes: its events and requests are numbered from 1, and told to nobody until `speak`. */
  beginAnew(clock: Clock): void {
    this.#clock = clock;
    this.#era += 1;
    this.#number = 0;
    this.#requests = 0;
    this.#isQuiet = true;
  }

  speak(): void {
    this.#isQuiet = false;
  }

  /** From now on `listener` hears what the kernel does, and of no requests, as `take` of a watcher would. Returns how to end that. */
  listen(listener: Tracer): () => void {
    const wants = (event: TraceEvent): boolean => {
      listener(event);
      return false;
    };
    // It wants no words for what it has heard.
    return this.add({ wants, take: () => undefined });
  }

  /** From now on `watcher` sees what happens. Returns how to end that. */
  add(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}
