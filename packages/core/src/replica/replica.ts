/**
 * One copy of a partition, on one broker.
 *
 * Owns: which log it has open, if any; the high watermark as this replica has learned it; what its leader knows of it.
 * Invariants: the learned high watermark is never above the log end offset; what the leader knows is from this leadership.
 * Never: a log of a broker that does not run.
 */
import { assert } from "../assert.ts";
import { BrokerError } from "../errors.ts";
import type { EpochEntry } from "../log/manifest/leader-epochs.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import { atOnce, type Trouble } from "./follower-trouble.ts";
import { type FollowerProgress, type FollowerView, unknownProgress } from "./isr.ts";
import type { ReplicaCondition } from "./leaderless.ts";

/** What a replica must know of its broker. */
export interface ReplicaBroker {
  readonly brokerId: number;
  /** Whether it serves at all. One whose disk has failed still does: it can be read, and takes no writes. */
  readonly isStopped: boolean;
  /** Whether its folder was put back from an older copy before it started. */
  readonly isOlderCopy: boolean;
  /** Whether it takes writes. */
  readonly isRunning: boolean;
  /** Throws BROKER_FAILED or BROKER_NOT_AVAILABLE when it takes no writes. */
  requireRunning(): void;
}

export class Replica {
  readonly broker: ReplicaBroker;
  /** Set while an operator wants it out of the in-sync replicas, as the partition's state says. */
  isHeldOut = false;
  /** Set while its log is being cut: nobody else may touch it. */
  isBeingCut = false;
  progress: FollowerProgress = unknownProgress(null);
  /** Its last rounds have failed; `null` when the last one did not. */
  trouble: Trouble | null = null;
  /**
   * Up to here everything was on its disk and visible, as its broker had noted when the cluster was opened; `null`: nothing was
   * noted. From then on the partition's own high watermark tells more.
   */
  readonly noted: number | null;
  /** Where its log ended when its broker last stopped; `null` before that. */
  closedEnd: number | null = null;
  #log: PartitionLog | BrokerError;
  #foundEpochs: readonly EpochEntry[];
  #highWatermark = 0;

  /** `log`: or why there is none. */
  constructor(broker: ReplicaBroker, log: PartitionLog | BrokerError, noted: number | null) {
    this.broker = broker;
    this.noted = noted;
    this.#log = log;
    this.#foundEpochs = this.leaderEpochs;
    this.#highWatermark = noted ?? 0;
  }

  get brokerId(): number {
    return this.broker.brokerId;
  }

  /** Whether it can be read. */
  get isOnline(): boolean {
    return !this.broker.isStopped && !(this.#log instanceof BrokerError) && !this.#log.isOffline;
  }

  /** Why it has no log, or `null`. */
  get problem(): BrokerError | null {
    return this.#log instanceof BrokerError ? this.#log : null;
  }

  /** Why it cannot be read; `null` when it can. */
  get offlineProblem(): BrokerError | null {
    const { brokerId, broker } = this;
    if (broker.isStopped)
      return new BrokerError("BROKER_NOT_AVAILABLE", `broker ${brokerId} is stopped`, {
        broker_id: brokerId,
      });
    return this.#log instanceof BrokerError ? this.#log : this.#log.offlineProblem;
  }

  get condition(): ReplicaCondition {
    if (this.broker.isStopped) return "stopped";
    if (!this.isOnline) return "offline";
    return this.broker.isRunning ? "ready" : "failed";
  }

  /** Its log, also one that went off line. Must have one. */
  get log(): PartitionLog {
    assert(!(this.#log instanceof BrokerError), () => `broker ${this.brokerId} has no log of this partition`);
    return this.#log;
  }

  /** Its log, for who wants to read it. Throws BROKER_NOT_AVAILABLE, or why it cannot be read. */
  get readableLog(): PartitionLog {
    const { offlineProblem } = this;
    if (offlineProblem !== null) throw offlineProblem;
    return this.log;
  }

  /** The end of its log; `null` when it has none. */
  get logEndOffset(): number | null {
    return this.#log instanceof BrokerError || this.broker.isStopped ? null : this.#log.logEndOffset;
  }

  /** The first offset that its log may still hold; 0 when nobody knows. */
  get logStartOffset(): number {
    return this.#log instanceof BrokerError ? 0 : this.#log.logStartOffset;
  }

  /** As far as this replica has heard. A follower hears of it with its fetches, so that it is one behind its leader. */
  get highWatermark(): number {
    return Math.min(this.#highWatermark, this.logEndOffset ?? this.#highWatermark);
  }

  /** The epoch of the last batch; `null` when there is none. */
  get lastEpoch(): number | null {
    const end = this.logEndOffset;
    if (end === null) return null;
    return this.log.leaderEpochs.findLast(({ startOffset }) => startOffset < end)?.leaderEpoch ?? null;
  }

  /** Rising; none when it has no log, or its broker is stopped. */
  get leaderEpochs(): readonly EpochEntry[] {
    return this.logEndOffset === null ? [] : this.log.leaderEpochs;
  }

  /** The same when its log was opened: what it was told since of the epoch that it is to lead, its log does not prove. */
  get foundEpochs(): readonly EpochEntry[] {
    return this.#foundEpochs;
  }

  learnHighWatermark(value: number): void {
    this.#highWatermark = value;
    if (this.#log instanceof BrokerError || !this.isOnline) return;
    this.#log.followHighWatermark(this.highWatermark);
  }

  /** Its broker has started again, or its log was made anew: nothing that was known of it holds any more. */
  attach(log: PartitionLog | BrokerError, learned: number): void {
    // Until a start has succeeded, what the last good log held is what is to be found again.
    if (this.problem === null) this.closedEnd = this.log.logEndOffset;
    this.#log = log;
    this.#foundEpochs = this.leaderEpochs;
    this.#highWatermark = learned;
    this.progress = { ...this.progress, logEndOffset: null, lastFetch: null };
    this.trouble = atOnce(this.trouble);
  }

  /** As its leader judges it: who takes no writes copies nothing. */
  view(): FollowerView {
    const { brokerId, isHeldOut, progress } = this;
    const flushedOffset = this.problem === null ? this.log.flushedOffset : 0;
    const isOnline = this.isOnline && this.broker.isRunning;
    return { brokerId, isOnline, isHeldOut, progress, flushedOffset, logStartOffset: this.logStartOffset };
  }
}
