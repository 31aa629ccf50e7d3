/**
 * The last stable offset: up to where a reader may know of each record whether it counts (KIP-98).
 *
 * Owns: its value in this leadership.
 * Invariants: it is at most the high watermark; while its leader leads it never moves back. It moves only with the high watermark, and
 * where records are deleted: a transaction begins at or above the high watermark, and an end counts once that has passed it.
 * Never: an offset above the first record of a transaction whose end a replica in sync may lack.
 */
import type { PartitionLog } from "../log/partition-log.ts";

/** What lies below it in `log` is decided, for who may see what lies below `highWatermark`. Pure. */
export function stableEnd(log: Pick<PartitionLog, "firstUnstableOffset">, highWatermark: number): number {
  return Math.min(highWatermark, log.firstUnstableOffset(highWatermark) ?? highWatermark);
}

export interface StableMove {
  readonly from: number;
  readonly to: number;
  /** Whether a transaction held it back, before or after. */
  readonly isHeldBack: boolean;
}

export class LastStableOffset {
  #value = 0;
  /** In this leadership it never was lower. */
  #floor = 0;
  #isHeldBack = false;

  get value(): number {
    return this.#value;
  }

  /** Another replica leads, whose log tells from here on. */
  beginEpoch(): void {
    this.#floor = 0;
  }

  /** What it is by `log` in this instant: records may have been deleted since it followed. */
  at(log: Pick<PartitionLog, "firstUnstableOffset">, highWatermark: number): number {
    return Math.min(highWatermark, Math.max(this.#floor, stableEnd(log, highWatermark)));
  }

  /** Follows the high watermark, and returns how it moved; `null` when it did not. */
  follow(log: Pick<PartitionLog, "firstUnstableOffset">, highWatermark: number): StableMove | null {
    const from = this.#value;
    const to = this.at(log, highWatermark);
    const wasHeldBack = this.#isHeldBack;
    this.#value = to;
    this.#floor = to;
    this.#isHeldBack = to < highWatermark;
    return to === from ? null : { from, to, isHeldBack: wasHeldBack || this.#isHeldBack };
  }
}
