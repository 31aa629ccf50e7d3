/**
 * Where long polls wait for records.
 *
 * Owns every wait: its place in the partitions' lists of listeners, its deadline, its connection's hook.
 * Invariants: a wait is given up in one go (listeners, deadline, hook), once, whatever ended it; being woken means "look
 * again", never "there is something"; a wake-up between two looks is not lost.
 * Never: reads records, or calls back into the kernel from within an append.
 */
import type { Deadline, Deadlines, Waiter } from "./deadlines.ts";

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** The part of the kernel that says when there is more to see. */
export interface Visibility {
  /** Calls `listener` after the visible end of a partition moved, its leadership ended, or it went away. Returns how to end that. */
  onVisible(place: TopicPartition, listener: () => void): () => void;
}

/** The part of a connection that waits are tied to. */
export interface WaitHolder {
  /** Each is ended when the peer is gone or will not be served any longer. */
  readonly waits: Set<Wait>;
}

/** One request that waits. */
export class Wait {
  readonly #holder: WaitHolder;
  readonly #parking: Set<Wait>;
  readonly #stopListening: (() => void)[] = [];
  #deadline: Deadline | null = null;
  #isOver = false;
  #wokenUnseen = false;
  #resume: (() => void) | null = null;

  constructor(holder: WaitHolder, parking: Set<Wait>) {
    this.#holder = holder;
    this.#parking = parking;
    holder.waits.add(this);
    parking.add(this);
  }

  /** True once it is no use to wait on: time is up, the peer is gone, or the broker stops. */
  get isOver(): boolean {
    return this.#isOver;
  }

  begin(places: readonly TopicPartition[], visibility: Visibility, deadline: Deadline): void {
    this.#deadline = deadline;
    const wake = () => this.#wake();
    for (const place of places) this.#stopListening.push(visibility.onVisible(place, wake));
  }

  /** Resolves when it is worth looking again, or when the wait is over. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isOver || this.#wokenUnseen) resolve();
      else this.#resume = resolve;
      this.#wokenUnseen = false;
    });
  }

  /** Gives everything back. A request that still waits looks a last time and is answered with what there is. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const stop of this.#stopListening) stop();
    this.#deadline?.cancel();
    this.#holder.waits.delete(this);
    this.#parking.delete(this);
    this.#wake();
  }

  #wake(): void {
    const resume = this.#resume;
    this.#resume = null;
    if (resume === null) this.#wokenUnseen = true;
    else resume();
  }
}

export class Parking {
  readonly #visibility: Visibility;
  readonly #deadlines: Deadlines;
  readonly #waits = new Set<Wait>();

  constructor(visibility: Visibility, deadlines: Deadlines) {
    this.#visibility = visibility;
    this.#deadlines = deadlines;
  }

  /** How many requests wait. */
  get size(): number {
    return this.#waits.size;
  }

  /**
   * Begins to wait for more to be visible in any of `places`, for at most `maxWaitMs`. The caller must `end()` it. Throws
   * what the kernel throws for a partition that does not exist.
   */
  park(places: readonly TopicPartition[], maxWaitMs: number, holder: WaitHolder): Wait {
    const wait = new Wait(holder, this.#waits);
    try {
      wait.begin(
        places,
        this.#visibility,
        this.#deadlines.after(maxWaitMs, () => wait.end(), "long_poll", fetchOf(places)),
      );
    } catch (error) {
      wait.end();
      throw error;
    }
    return wait;
  }

  /** Ends all waits, so that their requests are answered now. */
  endAll(): void {
    for (const wait of [...this.#waits]) wait.end();
  }
}

function fetchOf(places: readonly TopicPartition[]): Waiter {
  const [place, ...others] = places;
  if (place === undefined || others.length > 0) return { request: "fetch_many" };
  return { request: "fetch", topic: place.topic, partition: place.partition };
}
