/**
 * What all connections together take of a turn of the process. All that clients ask may be there at once, and be answered at once: without an
 * end to a turn nobody else's socket would be read, and no new client be let in, which is one a turn.
 *
 * Owns the line of those who had a slice and have more to be done, and what was spent before their turn.
 * Invariants: requests take `TURN_MS` of a turn, and what a long one takes longer; who has just asked comes before the line, within half of
 * that; the line is served from its head, one of it at least in each turn, and who has more goes to its end.
 */
import { timers } from "../system-timers.ts";

/** A new client is let in after so long, and read after so long again. */
const TURN_MS = 10;
/** Then it is the next one's: who is in the line waits so long for each that is before it. */
const SLICE_MS = 1;

export class TurnLine {
  readonly #waiting = new Set<TurnShare>();
  /** By those who were not in the line. */
  #spentMs = 0;
  #hasBegun = false;
  /** A client: more may be at the door. */
  #hasLetIn = false;

  /** Of one connection. `goOn` is called when it is at the head of the line. */
  newShare(goOn: () => void): TurnShare {
    this.#hasLetIn = true;
    this.#begin();
    return new TurnShare(this, goOn);
  }

  /** Whether one that is not in the line may be served in this turn. */
  get hasTimeForNew(): boolean {
    return this.#spentMs < TURN_MS / 2;
  }

  /** So long, by one that was not in the line. */
  spent(ms: number): void {
    this.#spentMs += ms;
    this.#begin();
  }

  wait(share: TurnShare): void {
    this.#waiting.add(share);
    this.#begin();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    // Behind the sockets of all.
    timers.setImmediate(() => this.#end());
  }

  #end(): void {
    const endMs = timers.nowMs() + (this.#hasLetIn ? 0 : TURN_MS - this.#spentMs);
    // Who goes to the end of the line meanwhile is met again in this loop.
    for (const share of this.#waiting) {
      this.#waiting.delete(share);
      share.serve();
      if (timers.nowMs() >= endMs) break;
    }
    this.#spentMs = 0;
    this.#hasLetIn = false;
    this.#hasBegun = false;
    if (this.#waiting.size > 0) this.#begin();
  }
}

/** What one connection takes. */
export class TurnShare {
  readonly #line: TurnLine;
  readonly #goOn: () => void;
  #isBehind = false;
  #isServed = false;
  /** Of the slice that is being taken. */
  #beganMs: number | null = null;

  constructor(line: TurnLine, goOn: () => void) {
    this.#line = line;
    this.#goOn = goOn;
  }

  /** It had its slice, and not all has been done that it asked: only the line serves it. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Asked before each request. Where it may not, it is called later. */
  mayTakeMore(): boolean {
    if (this.#beganMs === null ? this.#mayBegin() : timers.nowMs() - this.#beganMs < SLICE_MS) {
      this.#beganMs ??= timers.nowMs();
      return true;
    }
    this.#line.wait(this);
    return false;
  }

  /** No more is taken for now, whether there is more or not. */
  stopped(hasMore: boolean): void {
    if (this.#beganMs !== null && !this.#isServed) this.#line.spent(timers.nowMs() - this.#beganMs);
    this.#beganMs = null;
    this.#isBehind = hasMore;
  }

  /** For the line. */
  serve(): void {
    this.#isServed = true;
    this.#goOn();
    this.#isServed = false;
  }

  #mayBegin(): boolean {
    return this.#isServed || (!this.#isBehind && this.#line.hasTimeForNew);
  }
}
