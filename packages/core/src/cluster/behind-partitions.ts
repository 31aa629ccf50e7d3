/**
 * The partitions of which a follower may lack something, so that in auto mode nobody has to look at all of them.
 *
 * Owns: the list. Invariant: a partition that is behind is on it, or is delayed until its time has come and somebody retries.
 */
import { isWaiting } from "../replica/follower-trouble.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";

export class BehindPartitions {
  readonly #sets = new Set<PartitionReplicaSet>();
  /** Each with the time from which on it may be tried again. */
  readonly #delayed = new Map<PartitionReplicaSet, number>();
  #listener: () => void = () => {};

  /** How many are to be looked at. */
  get size(): number {
    return this.#sets.size;
  }

  /** `listener` is called when there is something to look at after there was nothing. It must not throw. */
  onFirst(listener: () => void): void {
    this.#listener = listener;
  }

  /** Something has happened at `set` that its followers have not heard of. */
  add(set: PartitionReplicaSet): void {
    if (set.copies.length === 1) return;
    const isFirst = this.#sets.size === 0;
    this.#sets.add(set);
    if (isFirst) this.#listener();
  }

  /** It had trouble, or somebody there has: trying again before `atMs` would be no use. */
  delay(set: PartitionReplicaSet, atMs: number): void {
    if (!set.isRetired) this.#delayed.set(set, Math.min(atMs, this.#delayed.get(set) ?? atMs));
  }

  /** Those whose time has come are to be looked at again. */
  retry(nowMs: number): void {
    for (const [set, atMs] of [...this.#delayed]) {
      if (isWaiting({ failures: 0, retryAtMs: atMs }, nowMs) && !set.isRetired) continue;
      this.#delayed.delete(set);
      this.add(set);
    }
  }

  /** Takes all that are to be looked at off the list. */
  take(): PartitionReplicaSet[] {
    const sets = [...this.#sets].filter((set) => !set.isRetired);
    this.#sets.clear();
    for (const set of sets) this.#delayed.delete(set);
    return sets;
  }
}

/**
 * Whether another round would do something: a follower that can fetch, and is not to be left alone after a failure, lacks a batch,
 * or has not heard of the high watermark.
 */
export function isBehind(set: PartitionReplicaSet, nowMs: number): boolean {
  const { leadership, isRetired } = set;
  const leader = leadership.onlineLeader;
  if (leader === null || isRetired) return false;
  const { logEndOffset } = leader.log;
  return leadership
    .followers()
    .some(
      (follower) =>
        follower.isOnline &&
        follower.broker.isRunning &&
        !isWaiting(follower.trouble, nowMs) &&
        (follower.logEndOffset !== logEndOffset || follower.highWatermark !== set.highWatermark),
    );
}
