/**
 * Takes closed batches to the broker and settles them.
 *
 * Owns the waits between attempts. Invariants: every batch that was handed to it is settled in the end, by an answer, by
 * its delivery timeout or, when nothing is tried again any more, by its first failure. Never repeats a produce whose effect
 * is unknown, unless the broker knows the batch by its sequence or the caller accepts duplicates.
 */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Cancel } from "../clock.ts";
import { asMiniKafkaError, hasCode, isFateUnknown, MiniKafkaError } from "../errors.ts";
import { backoffMs } from "../link/backoff.ts";
import type { MetadataCache } from "../metadata-cache.ts";
import type { Session } from "../session.ts";
import { RETRY_BACKOFF } from "../waiting.ts";
import { verdictOn } from "./delivery-verdict.ts";
import { Idempotence } from "./idempotence.ts";
import type { PartitionLane } from "./partition-lane.ts";
import type { ProducerBatch } from "./producer-batch.ts";

export interface SenderOptions {
  readonly acks: 0 | 1 | "all";
  readonly deliveryTimeoutMs: number;
  readonly mayDuplicate: boolean;
  /** `null`: the producer is not idempotent. */
  readonly idempotence: { readonly name: string | undefined } | null;
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

/** Where a batch has landed, as far as its answer says. */
type Landing = Pick<ParsedResponse<"produce">, "offset" | "log_append_time_ms">;

export class Sender {
  readonly #session: Session;
  readonly #metadata: MetadataCache;
  readonly #options: SenderOptions;
  readonly #listener: SenderListener;
  /** `null` for a producer that is not idempotent. */
  readonly idempotence: Idempotence | null;
  readonly #backoffs = new Map<PartitionLane, Cancel>();
  #mayRetry = true;

  constructor(session: Session, metadata: MetadataCache, options: SenderOptions, listener: SenderListener) {
    this.#session = session;
    this.#metadata = metadata;
    this.#options = options;
    this.#listener = listener;
    const { idempotence, deliveryTimeoutMs } = options;
    this.idempotence =
      idempotence === null
        ? null
        : new Idempotence(
            session,
            { ...idempotence, deliveryTimeoutMs },
            {
              laneFree: (lane) => listener.laneFree(lane),
              failWaiting: (lane, error) => this.#failWaiting(lane, () => error),
              failExpired: (lane) => this.#failExpired(lane),
            },
          );
  }

  /** Sends what is closed and may go. */
  sendClosed(lane: PartitionLane): void {
    if (this.idempotence !== null) {
      this.#failExpired(lane);
      this.idempotence.visit(lane);
    }
    for (let batch = lane.take(); batch !== null; batch = lane.take()) void this.#deliver(lane, batch);
  }

  /** What waits to be tried again is tried now, and from now on a failure is final: the producer closes. */
  stopRetrying(): void {
    this.#mayRetry = false;
    this.idempotence?.stopRetrying();
    const held = [...this.#backoffs];
    this.#backoffs.clear();
    for (const [lane, cancel] of held) {
      cancel();
      lane.release();
      this.#listener.laneFree(lane);
    }
  }

  /** Fails all that a lane has left; an answer that still comes is dropped. */
  abandon(lane: PartitionLane, error: MiniKafkaError): void {
    for (const batch of lane.abandon()) this.#settle(batch, () => batch.fail(error));
  }

  /** Never rejects: each outcome goes to the records' owners. */
  async #deliver(lane: PartitionLane, batch: ProducerBatch): Promise<void> {
    try {
      const { offset, log_append_time_ms: appendTimeMs } = await this.#produce(batch);
      lane.finish(batch);
      lane.sequences?.prove();
      this.#settle(batch, () => batch.succeed(offset, appendTimeMs));
    } catch (error) {
      this.#failed(lane, batch, ownError(error));
    }
    this.#listener.laneFree(lane);
  }

  async #produce(batch: ProducerBatch): Promise<Landing> {
    const { acks } = this.#options;
    const leftMs = this.#leftMs(batch);
    if (leftMs <= 0) throw this.#expired(batch);
    const bytes = { name: "batch_b64", bytes: batch.frame() } as const;
    const options = { bytes, timeoutMsMax: leftMs };
    const { topic, partition } = batch.place;
    if (acks === 0) {
      await this.#session.callOneWay("produce", { topic, partition, acks: "0", one_way: true }, options);
      return { offset: null };
    }
    const fields =
      acks === "all"
        ? ({ topic, partition, acks, timeout_ms: this.#session.requestTimeoutMs } as const)
        : ({ topic, partition, acks: "1" } as const);
    return this.#session.call("produce", fields, options);
  }

  #failed(lane: PartitionLane, batch: ProducerBatch, error: MiniKafkaError): void {
    const { topic } = batch.place;
    if (hasCode(error, "UNKNOWN_TOPIC", "UNKNOWN_PARTITION")) this.#metadata.forget(topic);
    if (hasCode(error, "LEADER_NOT_AVAILABLE", "FENCED_LEADER_EPOCH", "BROKER_NOT_AVAILABLE"))
      this.#metadata.refresh(topic);
    batch.failures += 1;
    const delayMs = backoffMs(batch.failures, RETRY_BACKOFF, this.#session.random);
    const isExpired = delayMs >= this.#leftMs(batch);
    if (this.idempotence !== null) {
      this.#failedInSequence({ lane, batch, error, delayMs, isExpired }, this.idempotence);
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

  #failedInSequence({ lane, batch, error, delayMs, isExpired }: Failure, idempotence: Idempotence): void {
    const verdict = lane.verdictOn(error, batch, isExpired);
    const mayGoOn = this.#mayRetry || verdict === "split" || verdict === "again";
    if (verdict === "fenced" || verdict === "fail" || !mayGoOn) {
      lane.finish(batch);
      if (verdict === "fenced") idempotence.fence(error);
      else this.#giveUp(lane, batch, idempotence);
      const known = batch.isInDoubt ? inDoubt(error) : error;
      this.#settle(batch, () => batch.fail(known));
    } else if (verdict === "split") lane.putBackHalved(batch);
    else if (verdict === "retry") this.#retryLater(lane, batch, delayMs);
    else {
      if (verdict === "renew") {
        idempotence.endEpoch({ isForgotten: hasCode(error, "UNKNOWN_PRODUCER_ID") });
        batch.forgetSequence();
        lane.voidBehind(batch);
      }
      lane.putBack(batch);
    }
  }

  /** Nothing else may ever have the batch's sequence. */
  #giveUp(lane: PartitionLane, batch: ProducerBatch, idempotence: Idempotence): void {
    if (batch.sequence === null) return;
    idempotence.endEpoch({ isForgotten: false });
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
    const { deliveryTimeoutMs } = this.#options;
    const { topic, partition } = batch.place;
    const message = `the records for ${topic}/${partition} were not sent within deliveryTimeoutMs (${deliveryTimeoutMs})`;
    return new MiniKafkaError("TIMEOUT", message, { details: { sent: false, deliveryTimeoutMs } });
  }
}

/** `error`, for a batch of which an attempt before had no answer: it may be there all the same. */
function inDoubt(error: MiniKafkaError): MiniKafkaError {
  if (isFateUnknown(error)) return error;
  const details = { ...error.details, inDoubt: true };
  return new MiniKafkaError(
    error.code,
    `${error.message} (an attempt before had no answer: whether it took effect is unknown)`,
    { details, cause: error, retriable: error.retriable },
  );
}

/** A fault of this SDK (an encoder that refuses, say) must not leave promises hanging. */
function ownError(error: unknown): MiniKafkaError {
  try {
    return asMiniKafkaError(error);
  } catch {
    const why = error instanceof Error ? error.message : String(error);
    return new MiniKafkaError("USAGE", `the batch could not be sent: ${why}`, { cause: error });
  }
}
