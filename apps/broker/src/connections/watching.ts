/**
 * One connection's watch: which events it is for, and what becomes of those that the client is too slow for.
 *
 * Owns its place in the feed, and the count of what was dropped.
 * Invariants: an event is written at once or dropped at once, so that nobody waits and nothing is kept here; it is written
 * only while less than `unreadBytesMax` lie unread; once one was dropped so are all, until the client has read everything,
 * and the first line after that says how many they were; but the event of a crash is written always, since none comes after it.
 * Never: closes the connection for what an event would take.
 */
import type { TraceEvent } from "@minikafka/core";
import { EVENTS_DROPPED } from "@minikafka/protocol";
import type { EventFeed, NumberedEvent, RequestSubject, Watcher } from "../event-feed.ts";
import { droppedText, markedText } from "../event-text.ts";
import type { RequestEvent } from "../request-event.ts";

/** What a connection can still take. */
export interface EventOutput {
  readonly unsentBytes: number;
  /** `line` is that of an event of this number and kind; it may be written in other words. */
  write(line: string, number: number, kind: string): void;
  /** Has what was written leave before this returns, as far as the system takes it. */
  flush(): void;
}

/** Which events a client wants; `null` stands for all but those of requests, of which it still wants those that cannot be read. */
export interface EventFilter {
  readonly topics: ReadonlySet<string> | null;
  readonly kinds: ReadonlySet<string> | null;
  /** The kinds of requests as well. */
  readonly requests: boolean;
  /** Left out: all faults, and no marks, which differ between two runs of the same program. */
  readonly faults?: MarkedFaults;
}

/** The faults whose marks begin so. */
interface MarkedFaults {
  readonly markStart: string;
  /** As long as it is armed, which it is while it acts. */
  markOf(ruleId: number): string | undefined;
}

const REQUEST_KINDS: readonly RequestEvent["kind"][] = ["request_taken", "request_done"];

interface Dropped {
  count: number;
  readonly firstNumber: number;
  lastNumber: number;
  timeMs: number;
}

export class Watching implements Watcher {
  readonly #output: EventOutput;
  readonly #unreadBytesMax: number;
  #filter: EventFilter = { topics: null, kinds: null, requests: false };
  #wantsRequests = false;
  /** As many requests were taken before the watch. */
  #requestsBefore = 0;
  #feed: EventFeed | null = null;
  #leave: (() => void) | null = null;
  #dropped: Dropped | null = null;

  constructor(output: EventOutput, unreadBytesMax: number) {
    this.#output = output;
    this.#unreadBytesMax = unreadBytesMax;
  }

  /** Whether events are being sent. */
  get isOn(): boolean {
    return this.#leave !== null;
  }

  /** Sends what happens from now on, in place of what was sent until now. */
  begin(feed: EventFeed, filter: EventFilter): void {
    this.#filter = filter;
    this.#feed = feed;
    const { requests, kinds } = filter;
    this.#wantsRequests = requests || REQUEST_KINDS.some((kind) => kinds?.has(kind));
    this.#requestsBefore = feed.requestsEver;
    this.#leave ??= feed.add(this);
  }

  /** Sends nothing more, but for the number of what was dropped. */
  end(): void {
    this.#leave?.();
    this.#leave = null;
    this.#tellDropped();
  }

  /** The client has read everything. */
  drained(): void {
    this.#tellDropped();
  }

  wants(event: TraceEvent): boolean {
    const { topics, kinds } = this.#filter;
    if (kinds !== null && !kinds.has(event.kind)) return false;
    if (event.kind === "fault_fired" && this.#filter.faults !== undefined)
      return this.#markOf(event) !== null;
    return topics === null || ("topic" in event && topics.has(event.topic));
  }

  /** Looked at for each request. */
  get wantsRequests(): boolean {
    return this.#wantsRequests;
  }

  /** Of a request that was taken before the watch nothing is told, neither how it ended. */
  wantsRequest({ kind }: RequestEvent, subject: RequestSubject): boolean {
    const { requests, kinds, topics } = this.#filter;
    if (subject.ordinal <= this.#requestsBefore || !(requests || kinds?.has(kind))) return false;
    return topics === null || [...subject.topics].some((topic) => topics.has(topic));
  }

  /** What cannot be read names no topic. */
  get wantsRefusals(): boolean {
    const { requests, kinds, topics } = this.#filter;
    return topics === null && (requests || kinds === null || kinds.has("request_refused"));
  }

  take(event: NumberedEvent): void {
    // A stream that holds more than we let it never says that it has drained.
    const isCrash = event.event.kind === "fault_fired" && event.event.action === "crash";
    if (isCrash || this.#output.unsentBytes === 0) this.#tellDropped();
    if (isCrash || (this.#dropped === null && this.#output.unsentBytes < this.#unreadBytesMax))
      this.#output.write(this.#lineOf(event), event.number, event.event.kind);
    else this.#drop(event);
    // The process dies of it before the next statement, and nobody else could tell what of.
    if (isCrash) this.#output.flush();
  }

  #lineOf({ line, number, timeMs, event }: NumberedEvent): string {
    const mark = event.kind === "fault_fired" ? this.#markOf(event) : null;
    return mark === null || event.kind !== "fault_fired" ? line : markedText(number, timeMs, event, mark);
  }

  /** `null` where it is none of those that are watched by their marks. */
  #markOf({ ruleId }: Extract<TraceEvent, { kind: "fault_fired" }>): string | null {
    const { faults } = this.#filter;
    const mark = ruleId === null ? undefined : faults?.markOf(ruleId);
    return mark !== undefined && faults !== undefined && mark.startsWith(faults.markStart) ? mark : null;
  }

  #drop({ number, timeMs }: NumberedEvent): void {
    this.#dropped ??= { count: 0, firstNumber: number, lastNumber: number, timeMs };
    this.#feed?.countDropped();
    this.#dropped.count += 1;
    this.#dropped.lastNumber = number;
    this.#dropped.timeMs = timeMs;
  }

  #tellDropped(): void {
    if (this.#dropped === null) return;
    const { count, firstNumber, lastNumber, timeMs } = this.#dropped;
    this.#dropped = null;
    this.#output.write(droppedText(count, firstNumber, lastNumber, timeMs), lastNumber, EVENTS_DROPPED);
  }
}
