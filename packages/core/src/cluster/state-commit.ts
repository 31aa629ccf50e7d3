/**
 * How a partition comes to have another leader or other in-sync replicas: durably first, then in memory, then told.
 *
 * Invariant: no answer and no high watermark ever rests on a state that a restart could forget.
 */
import type { Env } from "../env/env.ts";
import type { InSyncMove } from "../env/trace.ts";
import { type PartitionState, sameState, withCopyAnew } from "../replica/partition-state.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { BehindPartitions } from "./behind-partitions.ts";
import type { MetadataKeeper } from "./metadata-keeper.ts";
import type { Topic } from "./topics.ts";

export interface StateChange {
  readonly set: PartitionReplicaSet;
  readonly state: PartitionState;
  /** Who left or joined the in-sync replicas, and why. */
  readonly moves: readonly InSyncMove[];
}

export class StateCommit {
  readonly #keeper: MetadataKeeper;
  readonly #behind: BehindPartitions;
  readonly #env: Env;

  constructor({ keeper, behind }: { keeper: MetadataKeeper; behind: BehindPartitions }, env: Env) {
    this.#keeper = keeper;
    this.#behind = behind;
    this.#env = env;
  }

  /** Makes all of `changes` durable at once, then holds them. Throws STORAGE_ERROR or BROKER_FAILED; then none holds. */
  commit(changes: readonly StateChange[]): void {
    const real = changes
      .map((change) => ({ ...change, state: withCopyAnew(change.state, change.set.replicas) }))
      .filter(({ set, state }) => !sameState(set.state, state));
    if (real.length === 0) return;
    const { catalogue } = this.#keeper;
    const changed = new Map<Topic, Topic>();
    for (const { set, state } of real) {
      const { topic: name, partition } = set.place;
      const topic = catalogue.require(name);
      const latest = changed.get(topic) ?? topic;
      const partitions = latest.partitions.map((each, index) =>
        index === partition ? { replicas: each.replicas, ...state } : each,
      );
      changed.set(topic, { ...latest, partitions });
    }
    const topics = catalogue.list().map((topic) => changed.get(topic) ?? topic);
    this.#keeper.commit({ topics }, (isLasting) => {
      for (const [before, after] of changed) catalogue.replace(before, after);
      for (const change of real) this.#adopt(change, isLasting);
    });
  }

  #adopt({ set, state, moves }: StateChange, isLasting: boolean): void {
    const before = set.state;
    const { place, highWatermark } = set;
    if (before.leaderId !== state.leaderId || before.leaderEpoch !== state.leaderEpoch) {
      const { leaderId, leaderEpoch, leaderEpochStartOffset } = state;
      const facts = { from: before.leaderId, leaderId, leaderEpoch, leaderEpochStartOffset, highWatermark };
      this.#env.trace({ kind: "leader_changed", ...place, ...facts });
    }
    const [from, to] = [before.inSyncReplicas, state.inSyncReplicas];
    if (from.join() !== to.join()) {
      const logEndOffset = set.leadership.assignedLeader?.logEndOffset ?? null;
      const facts = { from, to, leaderEpoch: state.leaderEpoch, highWatermark, logEndOffset };
      this.#env.trace({ kind: "isr_changed", ...place, ...facts, moves });
    }
    set.adopt(state, isLasting);
    this.#behind.add(set);
  }
}
