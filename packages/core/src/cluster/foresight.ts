/**
 * What each step of the background work would do if it were taken now, and when time alone makes one due.
 *
 * Invariants: a step is told exactly when it would do something; the order is the one in which to take them until there is
 * nothing left (copies before judgements of who is in sync, a flush before compaction).
 * Never: anything changed, loaded or made; what a disk will refuse.
 */
import { partitionOfKey } from "../coordinator/partition-of-key.ts";
import { instantOf } from "../env/clock.ts";
import type { Env } from "../env/env.ts";
import { WAITS_ON } from "../group/classic/classic-expiry.ts";
import { foretoldRound } from "../replica/foretold-round.ts";
import { highWatermarkWith, inSyncAfter, judgeIsr } from "../replica/isr-judgement.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { ResolvedConfig } from "./config.ts";
import type { GroupOperations } from "./group-operations.ts";
import { OFFSETS_TOPIC, TRANSACTIONS_TOPIC } from "./internal-topics.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { LogsForesight } from "./logs-foresight.ts";
import type { ForetoldFlushes, PendingStep, StepDeadline } from "./pending-step.ts";
import type { Rooms } from "./rooms.ts";
import type { TransactionOperations } from "./transaction-operations.ts";

export interface ForesightParts extends Pick<Rooms, "brokers" | "table" | "topics"> {
  readonly config: ResolvedConfig;
  readonly lifecycle: Lifecycle;
  readonly groups: GroupOperations;
  readonly transactions: TransactionOperations;
}

export class Foresight {
  readonly #parts: ForesightParts;
  readonly #logs: LogsForesight;
  readonly #env: Env;

  constructor(parts: ForesightParts, env: Env) {
    this.#parts = parts;
    this.#logs = new LogsForesight(parts, env);
    this.#env = env;
  }

  /** All of them, or those that a topic's name is a field of. Throws UNKNOWN_TOPIC, SHUTTING_DOWN. */
  steps(topic?: string): PendingStep[] {
    this.#parts.lifecycle.requireRunning();
    const sets = this.#setsOf(topic);
    const replication = [
      ...sets.flatMap((set) => this.#rounds(set)),
      ...sets.flatMap((set) => this.#judgement(set) ?? []),
    ];
    const upkeep = [...this.#logs.retention(sets), ...this.#logs.compaction(sets)];
    if (topic !== undefined) return [...replication, ...upkeep];
    return [
      ...replication,
      ...this.#logs.flush(),
      ...this.#ofGroups(),
      ...this.#ofTransactions(),
      ...this.#logs.producers(),
      ...upkeep,
    ];
  }

  /**
   * Brokers that have to copy what `step` writes before it is done, since their replicas are in sync; none where nothing is to be
   * copied. What it writes in partitions that it would have to load first is not known. Throws SHUTTING_DOWN.
   */
  copiersOf(step: PendingStep): number[] {
    this.#parts.lifecycle.requireRunning();
    const ids = this.#writtenBy(step).flatMap(({ inSyncReplicas, leaderId }) =>
      inSyncReplicas.filter((brokerId) => brokerId !== leaderId),
    );
    return [...new Set(ids)].sort((one, other) => one - other);
  }

  /** What a flush would do now. Throws SHUTTING_DOWN. */
  flush(): ForetoldFlushes {
    this.#parts.lifecycle.requireRunning();
    return this.#logs.flush()[0]?.would ?? { logs: [], notes: [] };
  }

  /** Earliest first; of one topic as steps(). What is due already is told by steps(). Throws UNKNOWN_TOPIC, SHUTTING_DOWN. */
  deadlines(topic?: string): StepDeadline[] {
    this.#parts.lifecycle.requireRunning();
    const sets = this.#setsOf(topic);
    const ofTopics = [...sets.flatMap((set) => this.#lagTimes(set)), ...this.#logs.deadlines(sets)];
    const { groups, transactions } = this.#parts;
    const ofAll =
      topic === undefined
        ? [
            ...groups.foretold().deadlines,
            ...transactions.foretold().deadlines,
            ...this.#logs.producerDeadlines(),
          ]
        : [];
    const nowMs = this.#env.clock.nowMs();
    return [...ofTopics, ...ofAll]
      .filter(({ dueMs }) => dueMs > nowMs)
      .sort((one, other) => one.dueMs - other.dueMs);
  }

  /** Where a coordinator writes with acks all: elsewhere no step waits for replicas. */
  #writtenBy(step: PendingStep): PartitionReplicaSet[] {
    const { table } = this.#parts;
    const holding = (topic: string, keys: readonly string[]) =>
      keys.flatMap((key) => table.of(topic)[partitionOfKey(key, table.of(topic).length)] ?? []);
    switch (step.operation) {
      case "expire_members": {
        const { expired, rebalanced } = step.would;
        const changed = rebalanced.filter(({ reason }) => reason !== WAITS_ON);
        return holding(
          OFFSETS_TOPIC,
          [...expired, ...changed].map(({ groupId }) => groupId),
        );
      }
      case "expire_offsets": {
        const { expired, dying, forgotten } = step.would;
        return holding(OFFSETS_TOPIC, [...expired.map(({ groupId }) => groupId), ...dying, ...forgotten]);
      }
      case "expire_transactions": {
        const { aborted, completed, forgotten, repaired } = step.would;
        const ids = [...aborted, ...completed, ...forgotten];
        return [...holding(TRANSACTIONS_TOPIC, ids), ...repaired.map((place) => table.require(place))];
      }
      default:
        return [];
    }
  }

  #setsOf(topic: string | undefined): readonly PartitionReplicaSet[] {
    const { table } = this.#parts;
    return topic === undefined ? table.all() : table.of(topic);
  }

  #rounds(set: PartitionReplicaSet): PendingStep[] {
    const now = instantOf(this.#env.clock);
    return set.leadership.followers().flatMap((follower): PendingStep[] => {
      const would = foretoldRound(set, follower, now);
      const fields = { ...set.place, brokerId: follower.brokerId };
      return would === null ? [] : [{ operation: "replicate_once", fields, would }];
    });
  }

  #judgement(set: PartitionReplicaSet): PendingStep | null {
    const change = judgeIsr(set, { only: "all", monotonicMs: this.#env.clock.monotonicMs() });
    if (change === null) return null;
    const to = inSyncAfter(set, change);
    const { moves } = change;
    const would = { from: set.inSyncReplicas, to, moves, highWatermark: highWatermarkWith(set, to) };
    return { operation: "refresh_isr", fields: set.place, would };
  }

  /** When a member lags for too long, by the time of day as it is set now. */
  #lagTimes(set: PartitionReplicaSet): StepDeadline[] {
    const { replicaLagTimeMs } = this.#parts.config;
    const now = instantOf(this.#env.clock);
    const leaves = (brokerId: number, monotonicMs: number) =>
      judgeIsr(set, { only: "all", monotonicMs })?.moves.some((move) => move.brokerId === brokerId) === true;
    return set.leadership.followers().flatMap(({ brokerId, progress: { lastCaughtUp } }): StepDeadline[] => {
      if (lastCaughtUp === null || !set.inSyncReplicas.includes(brokerId)) return [];
      const leftMs = Math.floor(lastCaughtUp.monotonicMs + replicaLagTimeMs - now.monotonicMs) + 1;
      if (!leaves(brokerId, now.monotonicMs + leftMs)) return [];
      const dueMs = now.nowMs + leftMs;
      return [{ dueMs, what: "replica_lag_time", operation: "refresh_isr", ...set.place, brokerId }];
    });
  }

  #ofGroups(): PendingStep[] {
    const { members, offsets } = this.#parts.groups.foretold();
    const steps: PendingStep[] = [];
    if (members.expired.length + members.rebalanced.length + members.loads.length > 0)
      steps.push({ operation: "expire_members", fields: {}, would: members });
    const { expired, dying, forgotten, loads } = offsets;
    if (expired.length + dying.length + forgotten.length + loads.length > 0)
      steps.push({ operation: "expire_offsets", fields: {}, would: offsets });
    return steps;
  }

  #ofTransactions(): PendingStep[] {
    const { would } = this.#parts.transactions.foretold();
    const { aborted, completed, forgotten, repaired, loads } = would;
    const count = aborted.length + completed.length + forgotten.length + repaired.length + loads.length;
    return count === 0 ? [] : [{ operation: "expire_transactions", fields: {}, would }];
  }
}
