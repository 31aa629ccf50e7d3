/**
 * The partitions of which a follower may lack something, so that in auto mode nobody has to look at all of them.
 *
 * Owns: the list. Invariant: a partition that is behind is on it, or is delayed until somebody retries.
 */
import type { PartitionReplicaSet } from "../replica/replica-set.ts";

export class BehindPartitions {
  readonly #sets = new Set<PartitionReplicaSet>();
  readonly #delayed = new Set<PartitionReplicaSet>();
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

  /** It had trouble: trying again at once would be no use. */
  delay(set: PartitionReplicaSet): void {
    if (!set.isRetired) this.#delayed.add(set);
  }

  /** All that are delayed are to be looked at again. */
  retry(): void {
    const sets = [...this.#delayed];
    this.#delayed.clear();
    for (const set of sets) this.add(set);
  }

  /** Takes all that are to be looked at off the list. */
  take(): PartitionReplicaSet[] {
    const sets = [...this.#sets].filter((set) => !set.isRetired);
    this.#sets.clear();
    return sets;
  }
}

/** Whether another round would do something: a follower that can fetch lacks a batch, or has not heard of the high watermark. */
export function isBehind(set: PartitionReplicaSet): boolean {
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
        (follower.logEndOffset !== logEndOffset || follower.highWatermark !== set.highWatermark),
    );
}
