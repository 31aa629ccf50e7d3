/**
 * Takes closed batches to the broker and settles them.
 *
 * Owns the waits between attempts. Invariants: every batch that was handed to it is settled in the end, by an answer, by
 * its delivery timeout or, when nothing is tried again any more, by its first failure. Never repeats a produce whose effect
 * is unknown, unless the broker knows the batch by its sequence or the caller accepts duplicates.
 */
import type { Cancel } from "../clock.ts";
import { hasCode, type MiniKafkaError } from "../errors.ts";
import { backoffMs } from "../link/backoff.ts";
import type { MetadataCache } from "../metadata-cache.ts";
import type { Session } from "../session.ts";
import { RETRY_BACKOFF } from "../waiting.ts";
import { expiredError, inDoubt, ownError } from "./delivery-errors.ts";
import { verdictOn } from "./delivery-verdict.ts";
import type { PartitionLane } from "./partition-lane.ts";
import { type Landing, type ProduceOptions, produceBatch } from "./produce-call.ts";
import type { ProducerBatch } from "./producer-batch.ts";
import type { KeeperOf, SequenceKeeper } from "./sequence-keeper.ts";

export interface SenderOptions extends ProduceOptions {
  readonly deliveryTimeoutMs: number;
  readonly mayDuplicate: boolean;
}

export interface SenderListener {
  /** The lane may have more to send. */
  laneFree(lane: PartitionLane): void;
  /** So much of the buffer is free again. */
  released(bytes: number, records: number): void;
}

interface Failure {
  readonly lane: PartitionLane;
  readonly batch: ProducerBatch;
  readonly error: MiniKafkaError;
  /** How long another attempt would have to wait. */
  readonly delayMs: number;
  readonly isExpired: boolean;
}

export class Sender {
  readonly #session: Session;
  readonly #metadata: MetadataCache;
  readonly #options: SenderOptions;
  readonly #listener: SenderListener;
  /** `null` for a producer that is not idempotent. */
  readonly keeper: SequenceKeeper | null;
  readonly #backoffs = new Map<PartitionLane, Cancel>();
  #mayRetry = true;

  /** `keeperOf` is `null` for a producer that is not idempotent. */
  constructor(
    session: Session,
    metadata: MetadataCache,
    options: SenderOptions,
    keeperOf: KeeperOf | null,
    listener: SenderListener,
  ) {
    this.#session = session;
    this.#metadata = metadata;
    this.#options = options;
    this.#listener = listener;
    this.keeper =
      keeperOf?.({
        laneFree: (lane) => listener.laneFree(lane),
        failWaiting: (lane, error) => this.#failWaiting(lane, () => error),
        failExpired: (lane) => this.#failExpired(lane),
      }) ?? null;
  }

  /** Sends what is closed and may go. */
  sendClosed(lane: PartitionLane): void {
    if (this.keeper !== null) {
      this.#failExpired(lane);
      this.keeper.visit(lane);
    }
    for (let batch = lane.take(); batch !== null; batch = lane.take()) void this.#deliver(lane, batch);
  }

  /** What waits to be tried again is tried now, and from now on a failure is final: the producer closes. */
  stopRetrying(): void {
    this.#mayRetry = false;
    this.keeper?.stopRetrying();
    const held = [...this.#backoffs];
    this.#backoffs.clear();
    for (const [lane, cancel] of held) {
      cancel();
      lane.release();
      this.#listener.laneFree(lane);
    }
  }

  /** Fails all that a lane has left; an answer that still comes is dropped. The lane may be used again. */
  abandon(lane: PartitionLane, error: MiniKafkaError): void {
    this.#backoffs.get(lane)?.();
    this.#backoffs.delete(lane);
    lane.release();
    for (const batch of lane.abandon()) this.#settle(batch, () => batch.fail(error));
  }

  /** Never rejects: each outcome goes to the records' owners. */
  async #deliver(lane: PartitionLane, batch: ProducerBatch): Promise<void> {
    try {
      const { offset, log_append_time_ms: appendTimeMs } = await this.#produce(batch);
      if (batch.isSettled) return;
      lane.finish(batch);
      lane.sequences?.prove();
      this.#settle(batch, () => batch.succeed(offset, appendTimeMs));
    } catch (error) {
      if (batch.isSettled) return;
      this.#failed(lane, batch, ownError(error));
    }
    this.#listener.laneFree(lane);
  }

  async #produce(batch: ProducerBatch): Promise<Landing> {
    const leftMs = this.#leftMs(batch);
    if (leftMs <= 0) throw this.#expired(batch);
    return produceBatch(this.#session, this.#options, batch, leftMs);
  }

  #failed(lane: PartitionLane, batch: ProducerBatch, error: MiniKafkaError): void {
    const { topic } = batch.place;
    if (hasCode(error, "UNKNOWN_TOPIC", "UNKNOWN_PARTITION")) this.#metadata.forget(topic);
    if (hasCode(error, "LEADER_NOT_AVAILABLE", "FENCED_LEADER_EPOCH", "BROKER_NOT_AVAILABLE"))
      this.#metadata.refresh(topic);
    batch.failures += 1;
    const delayMs = backoffMs(batch.failures, RETRY_BACKOFF, this.#session.random);
    const isExpired = delayMs >= this.#leftMs(batch);
    if (this.keeper !== null) {
      this.#failedInSequence({ lane, batch, error, delayMs, isExpired }, this.keeper);
      return;
    }
    const { recordCount } = batch;
    const verdict = verdictOn(error, { recordCount, isExpired, mayDuplicate: this.#options.mayDuplicate });
    if (verdict === "split") lane.putBackHalved(batch);
    else if (verdict === "retry" && this.#mayRetry) this.#retryLater(lane, batch, delayMs);
    else {
      lane.finish(batch);
      this.#settle(batch, () => batch.fail(error));
    }
  }

  #failedInSequence({ lane, batch, error, delayMs, isExpired }: Failure, keeper: SequenceKeeper): void {
    const verdict = keeper.judge(lane.verdictOn(error, batch, isExpired));
    const mayGoOn = this.#mayRetry || verdict === "split" || verdict === "again";
    if (verdict === "fenced" || verdict === "fail" || !mayGoOn) {
      lane.finish(batch);
      if (verdict === "fenced") keeper.fence(error);
      else this.#giveUp(lane, batch, keeper);
      const known = batch.isInDoubt ? inDoubt(error) : error;
      this.#settle(batch, () => batch.fail(known));
    } else if (verdict === "split") lane.putBackHalved(batch);
    else if (verdict === "retry") this.#retryLater(lane, batch, delayMs);
    else {
      if (verdict === "renew") {
        keeper.endEpoch({ isForgotten: hasCode(error, "UNKNOWN_PRODUCER_ID") });
        batch.forgetSequence();
        lane.voidBehind(batch);
      }
      lane.putBack(batch);
    }
  }

  /** Nothing else may ever have the batch's sequence. */
  #giveUp(lane: PartitionLane, batch: ProducerBatch, keeper: SequenceKeeper): void {
    if (batch.sequence === null) return;
    keeper.endEpoch({ isForgotten: false });
    if (!batch.isInDoubt) lane.voidBehind(batch);
  }

  /** Those that were never sent and have waited for too long. */
  #failExpired(lane: PartitionLane): void {
    this.#failWaiting(
      lane,
      (batch) => this.#expired(batch),
      (batch) => batch.sequence === null && this.#leftMs(batch) <= 0,
    );
  }

  #failWaiting(
    lane: PartitionLane,
    errorOf: (batch: ProducerBatch) => MiniKafkaError,
    isWanted: (batch: ProducerBatch) => boolean = () => true,
  ): void {
    for (const batch of lane.dropWaiting(isWanted)) {
      const error = batch.isInDoubt ? inDoubt(errorOf(batch)) : errorOf(batch);
      this.#settle(batch, () => batch.fail(error));
    }
  }

  #settle(batch: ProducerBatch, settle: () => void): void {
    const { heldBytes, recordCount } = batch;
    settle();
    this.#listener.released(heldBytes, recordCount);
  }

  #retryLater(lane: PartitionLane, batch: ProducerBatch, delayMs: number): void {
    lane.putBack(batch);
    lane.hold();
    this.#backoffs.get(lane)?.();
    const cancel = this.#session.clock.after(delayMs, () => {
      this.#backoffs.delete(lane);
      lane.release();
      this.#listener.laneFree(lane);
    });
    this.#backoffs.set(lane, cancel);
  }

  #leftMs(batch: ProducerBatch): number {
    return batch.createdMs + this.#options.deliveryTimeoutMs - this.#session.clock.elapsedMs();
  }

  #expired(batch: ProducerBatch): MiniKafkaError {
    return expiredError(batch.place, this.#options.deliveryTimeoutMs);
  }
}
