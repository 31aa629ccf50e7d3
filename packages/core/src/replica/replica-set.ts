/**
 * One partition: who leads it, what it takes, how far it may be read.
 *
 * Owns: the checks between a request and the leader's log, and who waits for acks=all. Who leads stands in leadership.ts.
 * Invariants: logStartOffset <= highWatermark <= logEndOffset of the leader.
 * Never: a record shown at or above the high watermark; a write while the leader's broker has failed.
 */
import { type BatchHeader, encodeMarker, stampAppendTime } from "@minikafka/record";
import { answeringForDisk } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import { afterAppend, BrokerError } from "../errors.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import { acknowledged, type FlushPolicy } from "./acknowledgement.ts";
import type { Appended, AppendOptions } from "./append-options.ts";
import { requireAdmissible } from "./batch-admission.ts";
import { asKept } from "./batch-keeping.ts";
import { requireEnoughReplicas } from "./in-sync-replicas.ts";
import { requireLeaderEpoch } from "./leader-epoch.ts";
import { leaderMoves } from "./leaderless.ts";
import { Leadership, type LeadershipParts } from "./leadership.ts";
import type { PartitionConfig } from "./partition-config.ts";
import type { PartitionState } from "./partition-state.ts";
import { type AckView, PendingAcks } from "./pending-acks.ts";
import { ReplicaSetReads } from "./replica-set-reads.ts";
import type { ReplicationConfig } from "./replication-config.ts";
import { type DuplicateOf, duplicateIn, type ProducerRules } from "./sequence-check.ts";
import { partitionName } from "./topic-partition.ts";
import {
  type AppendedMarker,
  markerFor,
  requireOneTransaction,
  type TransactionEnd,
} from "./transaction-end.ts";

export interface ReplicaSetOptions extends LeadershipParts {
  /** What holds until configure() says otherwise. */
  readonly config: PartitionConfig;
  readonly replication: ReplicationConfig;
  readonly flush: FlushPolicy;
  readonly producers: ProducerRules;
}

export class PartitionReplicaSet extends ReplicaSetReads {
  readonly replication: ReplicationConfig;
  readonly #flush: FlushPolicy;
  readonly #producers: ProducerRules;
  readonly #acks: PendingAcks;
  #isRetired = false;
  #atLeadershipEnd: ((problem: BrokerError) => void)[] = [];
  #retirement: BrokerError | null = null;

  constructor(options: ReplicaSetOptions, env: Env) {
    super(new Leadership(options, env), options.config, env);
    this.replication = options.replication;
    this.#flush = options.flush;
    this.#producers = options.producers;
    this.#acks = new PendingAcks({
      place: options.place,
      rule: options.replication.ackRule,
      waitsForDisk: options.flush === "ack",
      view: () => this.#ackView(),
    });
    this.noteProgress();
  }

  /** Whether what acks=all has acknowledged is on the disks. */
  get waitsForDisk(): boolean {
    return this.#flush === "ack";
  }

  /** It went away, with its topic or with the cluster. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** How many wait for acks=all of the replicas. */
  get waiting(): number {
    return this.#acks.size;
  }

  /** From here on `config` holds, for what is appended next. */
  configure(config: PartitionConfig): void {
    this.config = config;
    this.noteProgress();
  }

  /**
   * Gives the batch its offsets and writes it, all before this returns. `frame` belongs to the kernel from here on. Throws
   * LEADER_NOT_AVAILABLE, FENCED_LEADER_EPOCH, NOT_ENOUGH_REPLICAS, BROKER_FAILED, STORAGE_ERROR, and what batch-admission.ts,
   * sequence-check.ts and transaction-end.ts refuse; then nothing was appended. A retry owes the acknowledgement that the first one owed.
   */
  append(frame: Buffer, options: AppendOptions): Appended {
    const { acks, leaderEpoch, retriesKnownBy } = options;
    const log = this.#writableLog();
    if (leaderEpoch !== undefined) requireLeaderEpoch(leaderEpoch, this.leaderEpoch);
    const { minInSyncReplicas, timestampType } = this.config;
    if (acks === "all") requireEnoughReplicas(this.inSyncReplicas, minInSyncReplicas, this.place);
    const { compression } = this.env;
    const admitted = requireAdmissible(frame, { ...options, ...this.config, compression });
    const { header } = admitted;
    const before = duplicateIn(log, admitted, this.#producers, compression, retriesKnownBy);
    if (before !== null) return this.#appendedBefore(before, header, options);
    requireOneTransaction(log, header);
    const appendTimeMs = timestampType === "append" ? this.env.clock.nowMs() : null;
    const kept = asKept(frame, admitted, this.config, compression);
    if (appendTimeMs !== null) stampAppendTime(kept, appendTimeMs);
    const { baseOffset, nextOffset } = log.append(kept, this.leaderEpoch);
    this.leadership.advance(minInSyncReplicas);
    const acknowledged = this.#acknowledged(options, nextOffset, log);
    return { baseOffset, nextOffset, appendTimeMs, duplicate: false, acknowledged };
  }

  /**
   * Ends a transaction in this partition: appends its marker (see markerFor), unless the leader's log has none of that producer open, before
   * this returns, and tells `onAppended` in the same instant. Throws as an append with acks all does, and STORAGE_ERROR after it where a
   * fault is armed; asked again, it goes on where the first came to, so that there is one marker.
   */
  appendMarker(end: TransactionEnd, onAppended?: (appended: AppendedMarker) => void): AppendedMarker {
    const log = this.#writableLog();
    const { minInSyncReplicas } = this.config;
    requireEnoughReplicas(this.inSyncReplicas, minInSyncReplicas, this.place);
    const { faults, clock } = this.env;
    const marker = markerFor(log, end, clock.nowMs());
    let offset: number | null = null;
    const { control } = marker ?? end;
    if (marker !== null) {
      answeringForDisk(() => faults.hit("transaction.marker.before_append", log.place));
      offset = log.append(encodeMarker(marker), this.leaderEpoch).baseOffset;
      const { firstOffset } = marker;
      const { producerId, producerEpoch, coordinatorEpoch } = end;
      const identity = { producerId, producerEpoch, coordinatorEpoch };
      this.env.trace({ kind: "marker_written", ...log.place, ...identity, control, firstOffset, offset });
      this.leadership.advance(minInSyncReplicas);
    }
    const nextOffset = log.logEndOffset;
    const acknowledged = this.#acknowledged({ acks: "all" }, nextOffset, log);
    // Nobody may be waiting.
    acknowledged.catch(() => {});
    const appended = { offset, control, nextOffset, acknowledged };
    onAppended?.(appended);
    if (offset !== null) answeringForDisk(() => faults.hit("transaction.marker.after_append", log.place));
    return appended;
  }

  /**
   * Resolves when everything below `nextOffset` is acknowledged as acks=all is; rejects as an append does. For whoever does not
   * know what became of an acknowledgement. Throws LEADER_NOT_AVAILABLE, STORAGE_ERROR.
   */
  async whenAcknowledged(nextOffset: number): Promise<void> {
    return this.#acknowledged({ acks: "all" }, nextOffset, this.leaderLog);
  }

  /**
   * Resolves, with the high watermark of this instant, when everybody in sync has on its disk what it has below that, where
   * acknowledgements wait for disks: what is visible was acknowledged perhaps, and may not have been. Rejects with LEADER_NOT_AVAILABLE,
   * FENCED_LEADER_EPOCH when the leadership moves, and as PartitionLog.flush does.
   */
  async whenVisibleIsKept(): Promise<number> {
    const { highWatermark, leaderLog: log } = this;
    if (!this.waitsForDisk) return highWatermark;
    if (log.flushedOffset < log.logEndOffset) await log.flush();
    if (this.copies.length > 1) {
      const kept = this.#acks.waitForDisks(highWatermark);
      this.#acks.settle();
      await kept;
    }
    return highWatermark;
  }

  /** Calls `tell` once, in the instant in which this leadership ends, with why. It must not throw. */
  whenLeadershipEnds(tell: (problem: BrokerError) => void): void {
    this.#atLeadershipEnd.push(tell);
  }

  /**
   * The metadata file says so: from here on `state` holds; see Leadership.adopt for `isLasting`. Who waits under another leadership is
   * told FENCED_LEADER_EPOCH.
   */
  adopt(state: PartitionState, isLasting: boolean): void {
    const isNewLeadership = this.leadership.adopt(state, isLasting);
    if (isNewLeadership) {
      const message = `the leadership of ${partitionName(this.place)} has moved on to epoch ${state.leaderEpoch} before the batch was acknowledged`;
      const moved = new BrokerError("FENCED_LEADER_EPOCH", message, { leader_epoch: state.leaderEpoch });
      this.#acks.rejectAll(moved);
      this.#endLeadership(moved);
    }
    this.noteProgress();
    // Who waits for records here asks somebody else from now on.
    if (isNewLeadership) this.leadership.highWatermark.tell();
  }

  /** A follower has fetched, or who is in sync has changed: the high watermark and the acknowledgements follow. */
  noteProgress(): void {
    this.leadership.advance(this.config.minInSyncReplicas);
    this.#acks.settle();
  }

  /** The leader's broker stops: whoever waits here is told. */
  stopLeading(): void {
    this.#acks.rejectAll(this.leadership.noLeader());
    this.#endLeadership(this.leadership.noLeader());
    this.leadership.highWatermark.tell();
  }

  /** A broker of a replica has started again. */
  resumeLeading(): void {
    this.leadership.resume();
    this.noteProgress();
  }

  /**
   * The partition goes away, with its topic or with the cluster: nobody may wait here any longer. `reason` is what an
   * acknowledgement is told that its log can't give any more.
   */
  retire(reason: BrokerError | null = null): void {
    this.#isRetired = true;
    this.#retirement = reason;
    const message = `${partitionName(this.place)} closes before its replicas have acknowledged`;
    const retired = reason ?? new BrokerError("SHUTTING_DOWN", message);
    this.#acks.rejectAll(retired);
    this.#endLeadership(retired);
    this.leadership.highWatermark.tellAndForget();
  }

  #endLeadership(problem: BrokerError): void {
    const told = this.#atLeadershipEnd;
    this.#atLeadershipEnd = [];
    for (const tell of told) tell(problem);
  }

  #writableLog(): PartitionLog {
    const { log, broker, isBeingCut } = this.leadership.requireLeader();
    broker.requireRunning();
    if (isBeingCut) throw leaderMoves(this.place);
    return log;
  }

  #appendedBefore(before: DuplicateOf, header: BatchHeader, options: AppendOptions): Appended {
    const { baseOffset, nextOffset, appendTimeMs } = before;
    const { producerId, producerEpoch, baseSequence } = header;
    const producer = { producerId, producerEpoch, baseSequence };
    this.env.trace({
      kind: "duplicate_answered",
      brokerId: this.assignedLeaderId ?? -1,
      ...this.place,
      ...producer,
      baseOffset,
      nextOffset,
    });
    const acknowledged = this.#acknowledged(options, nextOffset, this.leaderLog);
    return { baseOffset, nextOffset, appendTimeMs, duplicate: true, acknowledged };
  }

  async #acknowledged(
    { acks, giveUp }: Pick<AppendOptions, "acks" | "giveUp">,
    nextOffset: number,
    log: PartitionLog,
  ): Promise<void> {
    if (acks === "all" && this.copies.length > 1) {
      const done = this.#acks.wait(nextOffset, this.leadership.inSync(), giveUp);
      this.#acks.settle();
      return done;
    }
    try {
      await acknowledged(log, { acks, nextOffset, flush: this.#flush });
    } catch (problem) {
      throw problem instanceof BrokerError ? afterAppend(this.#retirement ?? problem) : problem;
    }
  }

  #ackView(): AckView | null {
    const { onlineLeader: leader } = this.leadership;
    if (leader === null) return null;
    const { highWatermark } = this;
    const { minInSyncReplicas } = this.config;
    return { leader, inSync: this.leadership.inSync(), highWatermark, minInSyncReplicas };
  }
}
