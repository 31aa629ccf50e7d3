/**
 * Who waits for acks=all at a partition with several replicas, and who for the disks to have what is visible there.
 *
 * Owns: the waiters, in the order of their calls.
 * Invariants: a waiter is told of success in an instant at which the high watermark has passed its batch, enough replicas are in
 * sync, and each of them has the batch on its disk; each waiter is told once, and of two that can be told the earlier call first.
 * Never: an acknowledgement for what a replica in sync might still lose; a waiter that outlives the leadership it was taken under.
 */
import { CrashSignal } from "../env/fault-order.ts";
import { afterAppend, BrokerError } from "../errors.ts";
import type { Replica } from "./replica.ts";
import type { AckRule } from "./replication-config.ts";
import { partitionName, type TopicPartition } from "./topic-partition.ts";

interface AckedBatch {
  readonly nextOffset: number;
  /** Who was in sync at the append; `null` for what is visible already, of which only disks may not have everything. */
  readonly captured: readonly Replica[] | null;
}

interface Waiter extends AckedBatch {
  readonly resolve: () => void;
  readonly reject: (problem: unknown) => void;
}

/** A partition as its acknowledgements depend on it. */
export interface AckView {
  readonly leader: Replica;
  readonly inSync: readonly Replica[];
  readonly highWatermark: number;
  readonly minInSyncReplicas: number;
}

export interface PendingAcksOptions {
  readonly place: TopicPartition;
  readonly rule: AckRule;
  /** Whether an acknowledgement waits for the disks. */
  readonly waitsForDisk: boolean;
  /** The partition as it is now; `null` when nobody leads. */
  readonly view: () => AckView | null;
}

export class PendingAcks {
  readonly #options: PendingAcksOptions;
  #waiters: Waiter[] = [];
  /** Up to where a flush of each replica was asked for. */
  readonly #flushing = new Map<Replica, number>();

  constructor(options: PendingAcksOptions) {
    this.#options = options;
  }

  /** How many wait. */
  get size(): number {
    return this.#waiters.length;
  }

  /**
   * Resolves once everything below `nextOffset` is acknowledged; rejects with REQUEST_TIMED_OUT when `giveUp` says that the replicas
   * are not waited for any more, also when it has said so before. Where each of them has its copy, the disks alone are waited for, which
   * answer by themselves: then it changes nothing (Kafka: DelayedProduce is complete there). Call settle() after it.
   */
  wait(nextOffset: number, inSync: readonly Replica[], giveUp?: AbortSignal): Promise<void> {
    return this.#wait(nextOffset, inSync, giveUp);
  }

  /**
   * Resolves once everybody in sync has on its disk what it has below `nextOffset`, which is visible: how many they are is no matter
   * there. Rejects when the leadership ends, or the leader's disk fails. Call settle() after it.
   */
  waitForDisks(nextOffset: number): Promise<void> {
    return this.#wait(nextOffset, null);
  }

  #wait(nextOffset: number, captured: AckedBatch["captured"], giveUp?: AbortSignal): Promise<void> {
    if (giveUp?.aborted === true && !this.#isCopied({ nextOffset, captured }))
      return Promise.reject(this.#outOfTime(nextOffset));
    return new Promise((resolve, reject) => {
      const forget = () => this.#forget(waiter);
      const stopListening = () => giveUp?.removeEventListener("abort", forget);
      const waiter: Waiter = {
        nextOffset,
        captured,
        resolve: () => {
          stopListening();
          resolve();
        },
        reject: (problem) => {
          stopListening();
          reject(problem);
        },
      };
      this.#waiters.push(waiter);
      giveUp?.addEventListener("abort", forget);
    });
  }

  /** Tells those that can be told something, and asks for the flushes that the others wait for. */
  settle(): void {
    if (this.#waiters.length === 0) return;
    const view = this.#options.view();
    if (view === null) return;
    if (view.inSync.length < view.minInSyncReplicas) this.#rejectAcks(this.#tooFew(view));
    const isDone = this.#isDoneIn(view, this.#options.waitsForDisk);
    const waiting = this.#waiters;
    this.#waiters = waiting.filter((waiter) => !isDone(waiter));
    for (const waiter of waiting) if (isDone(waiter)) waiter.resolve();
    this.#flush(view);
  }

  /** Whoever waits for an acknowledgement is told besides that its batch was appended (`appended`): others are told the same of one that was not. */
  rejectAll(problem: BrokerError): void {
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const { captured, reject } of waiting) reject(captured === null ? problem : afterAppend(problem));
  }

  #rejectAcks(problem: BrokerError): void {
    const waiting = this.#waiters;
    this.#waiters = waiting.filter(({ captured }) => captured === null);
    for (const { captured, reject } of waiting) if (captured !== null) reject(afterAppend(problem));
  }

  #forget(waiter: Waiter): void {
    const place = this.#waiters.indexOf(waiter);
    if (place === -1 || this.#isCopied(waiter)) return;
    this.#waiters.splice(place, 1);
    waiter.reject(this.#outOfTime(waiter.nextOffset));
  }

  #outOfTime(nextOffset: number): BrokerError {
    const message = `${partitionName(this.#options.place)}: not acknowledged by all in time, up to offset ${nextOffset}`;
    return new BrokerError("REQUEST_TIMED_OUT", message);
  }

  /** Whether all that is missing is that disks answer. */
  #isCopied(batch: AckedBatch): boolean {
    const view = this.#options.view();
    return view !== null && this.#isDoneIn(view, false)(batch);
  }

  #isDoneIn({ leader, inSync, highWatermark }: AckView, onDisk: boolean): (batch: AckedBatch) => boolean {
    const end = Math.min(highWatermark, ...inSync.map((replica) => this.#holds(replica, leader, onDisk)));
    const onDisks = onDisk ? Math.min(...inSync.map((replica) => this.#hasOnDisk(replica))) : highWatermark;
    const isCaptured = this.#options.rule === "captured-isr";
    return ({ nextOffset, captured }) => {
      if (captured === null) return nextOffset <= onDisks;
      if (!isCaptured) return nextOffset <= end;
      return captured.every((replica) => this.#holds(replica, leader, onDisk) >= nextOffset);
    };
  }

  /** Up to where a replica's disk has everything that the replica has. */
  #hasOnDisk(replica: Replica): number {
    if (!replica.isOnline) return 0;
    const { flushedOffset, logEndOffset } = replica.log;
    return flushedOffset < logEndOffset ? flushedOffset : Number.POSITIVE_INFINITY;
  }

  /** Up to where a replica has what an acknowledgement promises of it: in its log, or on its disk. */
  #holds(replica: Replica, leader: Replica, onDisk: boolean): number {
    if (!replica.isOnline) return 0;
    const end = replica === leader ? replica.log.logEndOffset : (replica.progress.logEndOffset ?? 0);
    return onDisk ? Math.min(end, replica.log.flushedOffset) : end;
  }

  #flush({ leader, inSync }: AckView): void {
    if (!this.#options.waitsForDisk) return;
    for (const replica of this.#needed(inSync)) {
      if (!replica.isOnline || replica.isBeingCut) continue;
      const { log } = replica;
      const wanted = this.#wantedOf(log.logEndOffset);
      if (wanted <= Math.max(log.flushedOffset, this.#flushing.get(replica) ?? 0)) continue;
      this.#flushing.set(replica, log.logEndOffset);
      log.flush().then(
        () => this.#flushed(replica),
        (problem: unknown) => this.#failed(replica, leader, problem),
      );
    }
  }

  /** Up to where somebody waits for a log that ends at `logEndOffset`. Retries may wait for less than who came before. */
  #wantedOf(logEndOffset: number): number {
    let wanted = 0;
    for (const { nextOffset, captured } of this.#waiters) {
      // What one has of the visible is wanted on its disk, also where it does not have all of it.
      const end = captured === null ? Math.min(nextOffset, logEndOffset) : nextOffset;
      if (end <= logEndOffset && end > wanted) wanted = end;
    }
    return wanted;
  }

  #needed(inSync: readonly Replica[]): Iterable<Replica> {
    if (this.#options.rule === "high-watermark") return inSync;
    return new Set(this.#waiters.flatMap(({ captured }) => captured ?? inSync));
  }

  #flushed(replica: Replica): void {
    this.#flushing.delete(replica);
    this.settle();
  }

  /** What a follower could not flush it does not hold; whether that matters the in-sync rule says. The leader is another matter. */
  #failed(replica: Replica, leader: Replica, problem: unknown): void {
    this.#flushing.delete(replica);
    if (!(problem instanceof BrokerError)) this.#endAll(problem);
    else if (replica === leader) this.rejectAll(problem);
  }

  /** What is no answer to anybody, as a crash: whoever waits passes it on to who runs the process, since nobody holds a flush's promise. */
  #endAll(problem: unknown): void {
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const { reject } of waiting) reject(problem);
    if (waiting.length === 0 && !(problem instanceof CrashSignal)) throw problem;
  }

  #tooFew({ inSync, minInSyncReplicas }: AckView): BrokerError {
    const { place } = this.#options;
    const ids = inSync.map(({ brokerId }) => brokerId).join(", ");
    return new BrokerError(
      "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
      `in sync at ${partitionName(place)} are ${inSync.length} (${ids}) after the append; expected at least ${minInSyncReplicas} (min_insync_replicas)`,
      { in_sync_replicas: inSync.length, min_insync_replicas: minInSyncReplicas },
    );
  }
}
