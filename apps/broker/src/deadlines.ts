/**
 * Who waits until when.
 *
 * Owns every deadline of the daemon: those of requests run on the broker's time, those of connections on real time.
 * Invariants: what is due is called once, earliest first and in order of registration where times are equal; a deadline
 * that was cancelled is never called; registering and cancelling cost the same however many wait.
 * Never: a timer of its own in manual mode, where only `fireDue` after a step of the clock makes anything due; more than
 * one timer in auto mode, which keeps no process alive before `keepAwake`.
 */
import { timers } from "./system-timers.ts";

/** What waits: a fetch for records, a request for its acknowledgement, somebody whom a fault holds up; or the connection itself. */
export type WaitKind = "long_poll" | "answer" | "fault_delay" | "connection";

/** Whose wait it is, as far as one request says it. */
export interface Waiter {
  /** Left out where group or transaction says enough. */
  readonly request?: string | undefined;
  readonly topic?: string | undefined;
  readonly partition?: number | undefined;
  readonly groupId?: string | undefined;
  readonly transactionalId?: string | undefined;
}

/** A wait of a request. */
export interface Waiting {
  readonly dueMs: number;
  readonly what: Exclude<WaitKind, "connection">;
  /** `null` where a fault holds somebody up. */
  readonly of: Waiter | null;
}

/** A wait that ends by itself unless it is cancelled first. */
export class Deadline {
  readonly dueMs: number;
  readonly what: WaitKind;
  readonly of: Waiter | null;
  readonly onDue: () => void;
  #deadlines: Set<Deadline> | null;

  /** Made by {@link Deadlines.after}; `sameTime` holds the deadlines of the same millisecond. */
  constructor(
    { dueMs, what, of }: Pick<Deadline, "dueMs" | "what" | "of">,
    onDue: () => void,
    sameTime: Set<Deadline>,
  ) {
    this.dueMs = dueMs;
    this.what = what;
    this.of = of;
    this.onDue = onDue;
    this.#deadlines = sameTime;
    sameTime.add(this);
  }

  /** Lets go. Cancelling twice, or after it came due, does nothing. */
  cancel(): void {
    this.#deadlines?.delete(this);
    this.#deadlines = null;
  }
}

export class Deadlines {
  readonly #nowMs: () => number;
  readonly #isReal: boolean;
  readonly #byTime = new Map<number, Set<Deadline>>();
  /** The times of `#byTime`, earliest last, since the earliest is taken first. */
  readonly #timesMs: number[] = [];
  #hasEndedWaits = false;
  #keepsAwake = false;
  #timer: NodeJS.Timeout | null = null;
  #timerDueMs = Number.POSITIVE_INFINITY;

  private constructor(nowMs: () => number, isReal: boolean) {
    this.#nowMs = nowMs;
    this.#isReal = isReal;
  }

  /** Time goes by itself. It is the monotonic clock: setting the wall clock makes no request time out. */
  static ofRealTime(): Deadlines {
    return new Deadlines(() => Math.floor(timers.nowMs()), true);
  }

  /** Time is what `clock` says, and somebody calls `fireDue` whenever it was moved. */
  static ofSteppedTime(clock: { nowMs(): number }): Deadlines {
    return new Deadlines(() => clock.nowMs(), false);
  }

  /** The time that these deadlines run on. It only means something beside another reading of it. */
  nowMs(): number {
    return this.#nowMs();
  }

  /** Whether the broker stops, and gives requests no more time. */
  get hasEndedWaits(): boolean {
    return this.#hasEndedWaits;
  }

  /** Calls `onDue` once `delayMs` have gone by; for a request none go by any more after `endWaits`. */
  after(
    delayMs: number,
    onDue: () => void,
    what: WaitKind = "connection",
    of: Waiter | null = null,
  ): Deadline {
    const isOver = this.#hasEndedWaits && what !== "connection";
    const dueMs = this.#nowMs() + (isOver ? 0 : delayMs);
    let sameTime = this.#byTime.get(dueMs);
    if (sameTime === undefined) {
      sameTime = new Set();
      this.#byTime.set(dueMs, sameTime);
      this.#timesMs.splice(this.#placeOf(dueMs), 0, dueMs);
    }
    const deadline = new Deadline({ dueMs, what, of }, onDue, sameTime);
    if (dueMs < this.#timerDueMs) this.#setTimer();
    return deadline;
  }

  /** Calls everything that is due by now, also what comes due while it does so. Returns whether there was something. */
  fireDue(): boolean {
    const nowMs = this.#nowMs();
    let hasFired = false;
    for (let dueMs = this.#timesMs.at(-1); dueMs !== undefined; dueMs = this.#timesMs.at(-1)) {
      const sameTime = this.#byTime.get(dueMs);
      if (sameTime === undefined || (dueMs > nowMs && sameTime.size > 0)) break;
      this.#timesMs.pop();
      this.#byTime.delete(dueMs);
      for (const deadline of sameTime) {
        deadline.cancel();
        deadline.onDue();
        hasFired = true;
      }
    }
    this.#setTimer();
    return hasFired;
  }

  /** Calls what is due already once all that needs no waiting is over. In stepped time whoever takes the requests does so. */
  fireSoon(): void {
    if (this.#isReal) timers.setImmediate(() => this.fireDue());
  }

  /** Calls those of requests, earliest first, as if their time were over; so it is from now on for all that come. */
  endWaits(): void {
    this.#hasEndedWaits = true;
    for (const dueMs of [...this.#timesMs].reverse()) {
      for (const deadline of this.#byTime.get(dueMs) ?? []) {
        if (deadline.what === "connection") continue;
        deadline.cancel();
        deadline.onDue();
      }
    }
  }

  /** From now on the process lives as long as somebody waits: for who waits for it to end, and has nothing else that it lives for. */
  keepAwake(): void {
    this.#keepsAwake = true;
    this.#timer?.ref();
  }

  /** Those of requests, in no order. */
  waiting(): Waiting[] {
    return [...this.#byTime.values()].flatMap((sameTime) =>
      [...sameTime].flatMap(({ dueMs, what, of }) => (what === "connection" ? [] : [{ dueMs, what, of }])),
    );
  }

  /** How many wait. */
  get size(): number {
    let size = 0;
    for (const sameTime of this.#byTime.values()) size += sameTime.size;
    return size;
  }

  /** Forgets all deadlines without calling them, and stops the timer. */
  close(): void {
    this.#byTime.clear();
    this.#timesMs.length = 0;
    this.#setTimer();
  }

  /** Where `dueMs` goes so that the times stay sorted, latest first. */
  #placeOf(dueMs: number): number {
    let low = 0;
    let high = this.#timesMs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#timesMs[middle] ?? 0) > dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #setTimer(): void {
    if (!this.#isReal) return;
    if (this.#timer !== null) timers.clearTimeout(this.#timer);
    const dueMs = this.#timesMs.at(-1);
    this.#timerDueMs = dueMs ?? Number.POSITIVE_INFINITY;
    // A timer may be a little early by the clock that is read here; it is then set again.
    this.#timer = dueMs === undefined ? null : timers.setTimeout(() => this.fireDue(), dueMs - this.#nowMs());
    if (!this.#keepsAwake) this.#timer?.unref();
  }
}
