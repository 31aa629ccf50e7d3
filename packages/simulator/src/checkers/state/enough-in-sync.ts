/** What acks=all asks for before anything is written (Kafka: min.insync.replicas). */
import type { Judge } from "../checker.ts";

/** How many were in sync, how many it takes, and under whom. */
export interface InSyncCount {
  readonly place: string;
  readonly inSync: number;
  readonly minInsyncReplicas: number;
  readonly leaderEpoch: number;
}

interface AskedShort extends InSyncCount {
  /** How often those in sync had changed by then. */
  readonly changes: number;
}

export class EnoughBeforeAppend {
  readonly name = "enough-before-append";
  readonly promise =
    "while fewer than min_insync_replicas are in sync, what is sent with acks=all is refused before it is appended";
  readonly #changes = new Map<string, number>();
  /** Those that were asked for while too few were in sync. */
  readonly #short = new WeakMap<object, AskedShort>();

  /** Those in sync have changed. */
  changed(place: string): void {
    this.#changes.set(place, this.#changesOf(place) + 1);
  }

  /** To be told in the instant in which something is sent with acks=all. */
  asked(send: object, count: InSyncCount): void {
    if (count.inSync >= count.minInsyncReplicas) return;
    this.#short.set(send, { ...count, changes: this.#changesOf(count.place) });
  }

  /** To be told how it was refused. */
  refused(send: object, code: string, judge: Judge): void {
    const asked = this.#short.get(send);
    if (asked === undefined || asked.changes !== this.#changesOf(asked.place)) return;
    judge.asked();
    if (code !== "NOT_ENOUGH_REPLICAS_AFTER_APPEND") return;
    const { place, inSync, minInsyncReplicas } = asked;
    judge.violated(`a send to ${place} was appended, and then refused`, [
      `${inSync} were in sync all the time, of at least ${minInsyncReplicas}`,
    ]);
  }

  #changesOf(place: string): number {
    return this.#changes.get(place) ?? 0;
  }
}
