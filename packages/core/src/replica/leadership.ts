/**
 * Who leads a partition, who is in sync with it, and how far that makes it visible.
 *
 * Owns: the state as the metadata file has it, the high watermark, and the last stable offset.
 * Invariants: the high watermark is at most the least end of the in-sync replicas, as their fetches tell, and at most the
 * leader's; it falls back only when a replica takes over that never held what was visible. Above that it is with one that takes over
 * out of sync, and knows more to have been visible.
 * Never: a state that the metadata file does not have.
 */
import { instantOf } from "../env/clock.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { atOnce } from "./follower-trouble.ts";
import { HighWatermark, knownHighWatermark } from "./high-watermark.ts";
import { unknownProgress } from "./isr.ts";
import { LastStableOffset } from "./last-stable-offset.ts";
import { noLeader, partitionOffline } from "./leaderless.ts";
import type { PartitionState } from "./partition-state.ts";
import type { Replica } from "./replica.ts";
import { partitionName, type TopicPartition } from "./topic-partition.ts";

export interface LeadershipParts {
  readonly place: TopicPartition;
  /** In the order of placement. */
  readonly copies: readonly Replica[];
  readonly state: PartitionState;
  /** Where it begins. */
  readonly highWatermark: number;
}

export class Leadership {
  readonly place: TopicPartition;
  readonly copies: readonly Replica[];
  readonly highWatermark: HighWatermark;
  readonly #stable = new LastStableOffset();
  readonly #env: Env;
  #state: PartitionState;
  #deletedBefore = 0;
  /** In sync before a change of which nobody knows whether it lasts: nothing more is decided in this life then. */
  #wereInSync: readonly number[] = [];

  constructor({ place, copies, state, highWatermark }: LeadershipParts, env: Env) {
    this.place = place;
    this.copies = copies;
    this.highWatermark = new HighWatermark(highWatermark);
    this.#state = state;
    this.#env = env;
    this.#holdOut();
    this.#forgetProgress();
    this.followStable();
  }

  /** Exclusive; 0 while nobody has led yet. */
  get lastStableOffset(): number {
    const { onlineLeader: leader } = this;
    const highWatermark = this.highWatermark.value;
    if (leader === null) return Math.min(this.#stable.value, highWatermark);
    return this.#stable.at(leader.log, highWatermark);
  }

  get state(): PartitionState {
    return this.#state;
  }

  get inSyncReplicas(): readonly number[] {
    return this.#state.inSyncReplicas;
  }

  /** The replica that the metadata names as the leader, on line or not. */
  get assignedLeader(): Replica | null {
    return this.copies.find(({ brokerId }) => brokerId === this.#state.leaderId) ?? null;
  }

  /** The replica that leads and can be read, or `null`. */
  get onlineLeader(): Replica | null {
    const leader = this.assignedLeader;
    return leader?.isOnline === true ? leader : null;
  }

  /** The same with a reason: LEADER_NOT_AVAILABLE, or STORAGE_ERROR when its log cannot be read. */
  requireLeader(): Replica {
    const leader = this.assignedLeader;
    if (leader === null || leader.broker.isStopped) throw this.noLeader();
    const { offlineProblem } = leader;
    if (offlineProblem !== null)
      throw partitionOffline(this.place, offlineProblem, { state: this.#state, replicas: this.copies });
    return leader;
  }

  /** LEADER_NOT_AVAILABLE, with what an operator can do about it. */
  noLeader(): BrokerError {
    return noLeader(this.place, this.#state, this.copies);
  }

  /** The copy on `brokerId`, on line or not. Throws INVALID_REQUEST when there is none. */
  requireCopy(brokerId: number): Replica {
    const copy = this.copies.find((each) => each.brokerId === brokerId);
    if (copy !== undefined) return copy;
    const ids = this.copies.map((each) => each.brokerId).join(", ");
    const message = `broker ${brokerId} holds no copy of ${partitionName(this.place)}; expected one of ${ids}`;
    throw new BrokerError("INVALID_REQUEST", message, { broker_id: brokerId });
  }

  /** Where the log of everybody who is in sync begins, or is about to: what lies below is being deleted, or is deleted already. */
  get logStartOffset(): number {
    const { deletedBefore = 0 } = this.#state;
    return Math.max(deletedBefore, this.#deletedBefore, this.onlineLeader?.logStartOffset ?? 0);
  }

  /** Nobody joins the in-sync replicas any more with what lies below `offset`, while this leadership lasts. */
  beginDeletion(offset: number): void {
    this.#deletedBefore = Math.max(this.#deletedBefore, offset);
  }

  followers(): Replica[] {
    return this.copies.filter(({ brokerId }) => brokerId !== this.#state.leaderId);
  }

  /** Those that are waited for: also who may be in sync again after a power cut (Kafka: the maximal in-sync replicas of KIP-497). */
  inSync(): Replica[] {
    const ids = [...this.inSyncReplicas, ...this.#wereInSync];
    return this.copies.filter(({ brokerId }) => ids.includes(brokerId));
  }

  /** From here on `state` holds; where it is not `isLasting`, a power cut may take it back. Returns whether a new leadership has begun. */
  adopt(state: PartitionState, isLasting: boolean): boolean {
    const before = this.#state;
    this.#state = state;
    this.#wereInSync = isLasting ? [] : before.inSyncReplicas;
    this.#holdOut();
    if (state.leaderEpoch === before.leaderEpoch && state.leaderId === before.leaderId) return false;
    this.#deletedBefore = 0;
    this.#stable.beginEpoch();
    const { highWatermark, assignedLeader: leader } = this;
    const known =
      leader === null || before.inSyncReplicas.includes(leader.brokerId) ? 0 : leader.highWatermark;
    this.#forgetProgress();
    const end = leader?.logEndOffset ?? null;
    if (end !== null && end < highWatermark.value) this.#move(end, () => highWatermark.fallBack(end));
    // One that was out of sync may hold what the last leader never had: it was visible, and what ended by then in its log has ended.
    else if (known > highWatermark.value) this.raise(known);
    else this.followStable();
    return true;
  }

  /** Everybody in sync has everything below `value`. */
  raise(value: number): void {
    if (value > this.highWatermark.value) this.#move(value, () => this.highWatermark.advance(value));
  }

  /**
   * Moves the high watermark on, as far as the in-sync replicas allow. With fewer than `inSyncMin` of them it stays, so that
   * nothing becomes visible that one failure could take (KIP-966).
   */
  advance(inSyncMin: number): void {
    const leader = this.onlineLeader;
    if (leader !== null && this.copies.length === 1) {
      this.raise(leader.log.logEndOffset);
      return;
    }
    if (leader !== null)
      this.raise(this.foretold(inSyncMin, this.inSync(), (copy) => copy.progress.logEndOffset));
  }

  /** Where the high watermark would stand if `inSync` were in sync, and its leader knew them to end at `endOf`. Pure. */
  foretold(inSyncMin: number, inSync: readonly Replica[], endOf: (copy: Replica) => number | null): number {
    const { onlineLeader: leader, highWatermark, copies } = this;
    if (leader === null || inSync.length < Math.min(inSyncMin, copies.length)) return highWatermark.value;
    // Nobody knows what one that has not fetched yet holds of this leader's records.
    const value = knownHighWatermark(
      inSync.map((copy) => (copy === leader ? leader.log.logEndOffset : endOf(copy))),
    );
    // One that is in sync may have been cut on its way to its leader's log; what is visible stays visible.
    return Math.max(highWatermark.value, value ?? 0);
  }

  /** A broker of a replica has started again: what that replica knows is what its broker had noted, and its log is another one. */
  resume(): void {
    this.#teach();
    this.beginEpoch();
    this.followStable();
  }

  /** Whoever asks the leader where older epochs end must be told, also before this one has a batch (KIP-101). */
  beginEpoch(): void {
    const leader = this.onlineLeader;
    if (leader?.broker.isRunning !== true) return;
    // A log with a batch of a later epoch says that the state is outdated, and must not forget which (outdated-metadata.ts).
    if ((leader.lastEpoch ?? -1) <= this.#state.leaderEpoch) leader.log.beginEpoch(this.#state.leaderEpoch);
  }

  /** The leader's log may say otherwise what is stable. Who waits for that is told, unless `isTold` says that somebody else does it. */
  followStable({ isTold = false } = {}): void {
    const leader = this.onlineLeader;
    const highWatermark = this.highWatermark.value;
    const move = leader === null ? null : this.#stable.follow(leader.log, highWatermark);
    if (leader === null || move === null) return;
    const { from, to, isHeldBack } = move;
    const { brokerId } = leader;
    if (isHeldBack)
      this.#env.trace({ kind: "last_stable_offset_moved", brokerId, ...this.place, from, to, highWatermark });
    if (!isTold) this.highWatermark.tell();
  }

  #holdOut(): void {
    const { heldOut = [] } = this.#state;
    for (const copy of this.copies) copy.isHeldOut = heldOut.includes(copy.brokerId);
  }

  /** A new leader knows nothing of its followers. */
  #forgetProgress(): void {
    const now = instantOf(this.#env.clock);
    for (const copy of this.copies) {
      copy.progress = unknownProgress(this.inSyncReplicas.includes(copy.brokerId) ? now : null);
      copy.trouble = atOnce(copy.trouble);
    }
    this.#teach();
    this.beginEpoch();
  }

  /** Who leads knows how far the partition is visible; when nobody does, those who may be promoted know. */
  #teach(): void {
    const { assignedLeader: leader } = this;
    for (const copy of leader === null ? this.inSync() : [leader])
      copy.learnHighWatermark(this.highWatermark.value);
  }

  #move(to: number, move: () => void): void {
    const from = this.highWatermark.value;
    move();
    this.#teach();
    const leader = this.assignedLeader;
    this.#env.trace({
      kind: "high_watermark_moved",
      brokerId: leader?.brokerId ?? -1,
      ...this.place,
      from,
      to,
      logEndOffset: leader?.logEndOffset ?? to,
      inSyncReplicas: this.inSyncReplicas,
    });
    this.followStable({ isTold: true });
    this.highWatermark.tell();
  }
}
