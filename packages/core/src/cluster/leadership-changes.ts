/**
 * What an operator may say about a partition: who leads, who is in sync. Nothing here happens by itself.
 *
 * Invariant: what was answered is in the metadata file.
 */
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import type { FollowerRound } from "../replica/follower-round.ts";
import { type PartitionState, released } from "../replica/partition-state.ts";
import { promotedState, requirePromotable } from "../replica/promotion.ts";
import type { Replica } from "../replica/replica.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import { partitionName, type TopicPartition } from "../replica/topic-partition.ts";
import { ReplicaRebuild } from "./replica-rebuild.ts";
import { isrChangeOf, type ReplicationSteps, type StepParts } from "./replication-steps.ts";
import { deleteHidden } from "./started-replicas.ts";

export interface PromotionOptions {
  /** Whether a replica may be taken that is not in sync, with the loss of what only others hold. Default: no. */
  readonly unclean?: boolean;
}

export interface Rejoined extends FollowerRound {
  readonly inSyncReplicas: readonly number[];
}

export interface LeadershipParts extends StepParts {
  readonly steps: ReplicationSteps;
}

export class LeadershipChanges {
  readonly #parts: LeadershipParts;
  readonly #env: Env;
  readonly #rebuild: ReplicaRebuild;

  constructor(parts: LeadershipParts, env: Env) {
    this.#parts = parts;
    this.#env = env;
    this.#rebuild = new ReplicaRebuild(parts, env);
  }

  /**
   * Makes `brokerId` the leader, under a new epoch. Rejects with INVALID_REQUEST, NOT_IN_SYNC_REPLICA, BROKER_NOT_AVAILABLE,
   * BROKER_FAILED, STORAGE_ERROR; then nothing has changed, but for a log that the dial had cut.
   */
  async promote(
    place: TopicPartition,
    brokerId: number,
    { unclean = false }: PromotionOptions = {},
  ): Promise<PartitionState> {
    const set = this.#parts.table.require(place);
    this.#parts.keeper.requireWritable();
    const candidate = set.leadership.requireCopy(brokerId);
    const require = () => {
      requireThere(set);
      candidate.broker.requireRunning();
      requirePromotable(place, set.state, set.copies, { brokerId, isUncleanAllowed: unclean });
    };
    require();
    if (candidate === set.leadership.onlineLeader) return set.state;
    if (candidate.isBeingCut) throw isBeingCut(place, brokerId);
    if (set.replication.reconciliation === "high-watermark") {
      await cutToHighWatermark(set, candidate);
      // The world went on meanwhile.
      require();
    }
    const { logEndOffset } = candidate.log;
    if (!set.inSyncReplicas.includes(brokerId)) this.#lowerNote(set, candidate, logEndOffset);
    const state = promotedState(set.state, set.copies, { brokerId, logEndOffset });
    const left = set.leadership.inSync().filter((copy) => !state.inSyncReplicas.includes(copy.brokerId));
    const moves = left.map((copy) => ({
      brokerId: copy.brokerId,
      reason: copy.view().isOnline ? "unclean_promotion" : "offline",
      logEndOffset: copy.logEndOffset,
    }));
    this.#parts.states.commit([{ set, state, moves }]);
    // One that was not in sync may not have heard of it.
    candidate.log.hideBelow(state.deletedBefore ?? 0);
    await deleteHidden([set]);
    return state;
  }

  /**
   * Takes a follower out of the in-sync replicas until rejoin() lets it in, or it is promoted after all. Throws INVALID_REQUEST, NOT_IN_SYNC_REPLICA, LEADER_NOT_AVAILABLE.
   */
  removeFromIsr(place: TopicPartition, brokerId: number): PartitionState {
    const set = this.#parts.table.require(place);
    const copy = set.leadership.requireCopy(brokerId);
    set.leadership.requireLeader();
    const name = partitionName(place);
    if (brokerId === set.assignedLeaderId) {
      const message = `broker ${brokerId} leads ${name}; promote another one before it is taken out of the in-sync replicas`;
      throw new BrokerError("INVALID_REQUEST", message, { broker_id: brokerId });
    }
    if (!set.inSyncReplicas.includes(brokerId)) {
      const message = `broker ${brokerId} is not in sync at ${name} (in sync: ${set.inSyncReplicas.join(", ")})`;
      throw new BrokerError("NOT_IN_SYNC_REPLICA", message, { broker_id: brokerId });
    }
    const inSyncReplicas = set.inSyncReplicas.filter((id) => id !== brokerId);
    const { heldOut: before = [] } = set.state;
    const heldOut = set.replicas.filter((id) => id === brokerId || before.includes(id));
    const { logEndOffset } = copy.progress;
    const moves = [{ brokerId, reason: "removed", logEndOffset }];
    this.#parts.states.commit([{ set, state: { ...set.state, inSyncReplicas, heldOut }, moves }]);
    return set.state;
  }

  /** See record-deletion.ts. */
  noteDeletion(set: PartitionReplicaSet, before: number, left: readonly Replica[]): void {
    const deletedBefore = Math.max(before, set.state.deletedBefore ?? 0);
    this.leaveOut(set, left, "behind_log_start", { deletedBefore });
  }

  /** Those that do not hold what those in sync must, until they do. Throws STORAGE_ERROR, BROKER_FAILED. */
  leaveOut(
    set: PartitionReplicaSet,
    replicas: readonly Replica[],
    reason: string,
    change: Partial<PartitionState> = {},
  ): void {
    const left = replicas.map(({ brokerId }) => brokerId);
    const inSyncReplicas = set.inSyncReplicas.filter((id) => !left.includes(id));
    const moves = replicas.map(({ brokerId, logEndOffset }) => ({
      brokerId,
      reason,
      logEndOffset,
    }));
    this.#parts.states.commit([{ set, state: { ...set.state, ...change, inSyncReplicas }, moves }]);
  }

  /**
   * Lets a replica back in that was taken out: it cuts what was never its leader's, fetches once, and is in sync when that was
   * enough. A copy whose log cannot be opened is set aside and made anew. Rejects with INVALID_REQUEST, LEADER_NOT_AVAILABLE,
   * BROKER_NOT_AVAILABLE, BROKER_FAILED, STORAGE_ERROR.
   */
  async rejoin(place: TopicPartition, brokerId: number): Promise<Rejoined> {
    const set = this.#parts.table.require(place);
    const copy = set.leadership.requireCopy(brokerId);
    if (brokerId === set.assignedLeaderId) {
      const message = `broker ${brokerId} leads ${partitionName(place)}; only a follower can rejoin`;
      throw new BrokerError("INVALID_REQUEST", message, { broker_id: brokerId });
    }
    copy.broker.requireRunning();
    set.leadership.requireLeader();
    if (!copy.isOnline) {
      // An empty copy may not be promoted as one that holds everything, and until it does, each leader may have dropped other tombstones.
      const copyAnew = [...(set.state.copyAnew ?? []), brokerId];
      this.leaveOut(set, set.inSyncReplicas.includes(brokerId) ? [copy] : [], "log_offline", { copyAnew });
      this.#rebuild.rebuild(set, copy);
    }
    this.#parts.states.commit([{ set, state: released(set.state, brokerId), moves: [] }]);
    const round = await this.#parts.steps.roundOf(set, copy);
    requireThere(set);
    if (round === null) throw isBeingCut(place, brokerId);
    const joined = isrChangeOf(set, "joins", this.#env.clock.monotonicMs());
    if (joined !== null) this.#parts.states.commit([joined]);
    return { ...round, inSyncReplicas: set.inSyncReplicas };
  }

  /** It leads from here on, whatever it once had: the next start must not take that for a loss. */
  #lowerNote(
    { place: { topic, partition } }: PartitionReplicaSet,
    { brokerId }: Replica,
    offset: number,
  ): void {
    const { brokers, keeper } = this.#parts;
    const { topicId } = keeper.catalogue.require(topic);
    brokers.get(brokerId).highWatermarks.lower(topicId, partition, offset);
  }
}

/** What the dial says that a new leader does first: it gives up what is not visible, whoever else holds it. */
async function cutToHighWatermark(set: PartitionReplicaSet, candidate: Replica): Promise<void> {
  const { highWatermark } = set;
  if (candidate.log.logEndOffset <= highWatermark) return;
  const leader = set.leadership.onlineLeader;
  candidate.isBeingCut = true;
  // Nothing is taken from producers in between, and nothing becomes visible that is being cut.
  if (leader !== null) leader.isBeingCut = true;
  candidate.progress = { ...candidate.progress, logEndOffset: highWatermark };
  try {
    await candidate.log.truncateTo(highWatermark);
  } finally {
    candidate.isBeingCut = false;
    if (leader !== null) leader.isBeingCut = false;
  }
}

/** Its topic may have been deleted during a wait. */
function requireThere({ isRetired, place }: PartitionReplicaSet): void {
  if (!isRetired) return;
  throw new BrokerError("UNKNOWN_TOPIC", `the topic of ${partitionName(place)} was deleted`);
}

function isBeingCut(place: TopicPartition, brokerId: number): BrokerError {
  const message = `broker ${brokerId} is just cutting its log of ${partitionName(place)}; try again`;
  return new BrokerError("BROKER_NOT_AVAILABLE", message, { broker_id: brokerId });
}
