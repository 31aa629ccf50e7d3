/**
 * Waits for what the kernel tells, for whoever wants to be there in that very moment: faults between one step and the next are
 * found by waiting for the first one.
 *
 * Owns: who waits for what. Each is told once, within the kernel's call.
 */
import type { TraceEvent } from "@minikafka/core";

/** A flush that has synced more than one segment: what names the last one is not on the disk yet. */
type Derived = "flushed_behind_roll";

/** Moments at which something is under way that something else may meet, by what it is. */
export const OCCASIONS = {
  storage: [
    ...["appended", "rolled", "flushed", "sealed", "manifest_committed", "truncated", "segment_deleted"],
    ...["compacted", "producer_snapshot_written", "flushed_behind_roll"],
  ],
  replication: [
    ...["high_watermark_moved", "last_stable_offset_moved", "replicated", "isr_changed", "leader_changed"],
  ],
  transactions: [
    ...["transaction_partition_added", "transaction_prepared", "marker_written", "transaction_completed"],
    ...["offsets_staged", "offsets_committed"],
  ],
  upkeep: [
    ...["sealed", "manifest_committed", "truncated", "segment_deleted", "compacted", "obsolete_file_removed"],
  ],
} as const satisfies Readonly<Record<string, readonly (TraceEvent["kind"] | Derived)[]>>;
export type OccasionRoom = keyof typeof OCCASIONS;
export type Occasion = (typeof OCCASIONS)[OccasionRoom][number];

interface Waiting {
  readonly kind: Occasion;
  /** How many are still to come. */
  left: number;
  readonly told: (event: TraceEvent) => void;
}

export class Occasions {
  readonly #waiting = new Set<Waiting>();
  /** Logs that have rolled since their last flush. */
  readonly #rolled = new Set<string>();
  #isOver = false;

  /** What was to follow an occasion is not to follow any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  readonly traced = (event: TraceEvent): void => {
    this.#reach(event.kind, event);
    if (event.kind !== "rolled" && event.kind !== "flushed") return;
    const log = `${event.topic}/${event.partition} ${event.brokerId}`;
    if (event.kind === "rolled") this.#rolled.add(log);
    else if (this.#rolled.delete(log)) this.#reach("flushed_behind_roll", event);
  };

  /** `told` is called at the `nth` event of the kind from here on. */
  await(kind: Occasion, nth: number, told: (event: TraceEvent) => void): void {
    this.#waiting.add({ kind, left: nth, told });
  }

  /** There are none any more. */
  end(): void {
    this.#isOver = true;
    this.#waiting.clear();
  }

  #reach(kind: TraceEvent["kind"] | Derived, event: TraceEvent): void {
    for (const waiting of this.#waiting) {
      if (waiting.kind !== kind || --waiting.left > 0) continue;
      this.#waiting.delete(waiting);
      waiting.told(event);
    }
  }
}
