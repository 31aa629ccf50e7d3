/**
 * Takes closed batches to the broker and settles them.
 *
 * Owns the waits between attempts. Invariants: every batch that was handed to it is settled in the end, by an answer, by
 * its delivery timeout or, when nothing
 * is tried again any more, by its first failure. Never repeats a produce whose effect is unknown unless the caller accepts duplicates.
 */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Cancel } from "../clock.ts";
import { asMiniKafkaError, hasCode, MiniKafkaError } from "../errors.ts";
import { backoffMs } from "../link/backoff.ts";
import type { MetadataCache } from "../metadata-cache.ts";
import type { Session } from "../session.ts";
import { RETRY_BACKOFF } from "../waiting.ts";
import { verdictOn } from "./delivery-verdict.ts";
import type { PartitionLane } from "./partition-lane.ts";
import type { ProducerBatch } from "./producer-batch.ts";

export interface SenderOptions {
  readonly acks: 0 | 1 | "all";
  readonly deliveryTimeoutMs: number;
  readonly mayDuplicate: boolean;
}

export interface SenderListener {
  /** The lane may have more to send. */
  laneFree(lane: PartitionLane): void;
  /** So much of the buffer is free again. */
  released(bytes: number, records: number): void;
}

/** Where a batch has landed, as far as its answer says. */
type Landing = Pick<ParsedResponse<"produce">, "offset" | "log_append_time_ms">;

export class Sender {
  readonly #session: Session;
  readonly #metadata: MetadataCache;
  readonly #options: SenderOptions;
  readonly #listener: SenderListener;
  readonly #backoffs = new Map<PartitionLane, Cancel>();
  #mayRetry = true;

  constructor(session: Session, metadata: MetadataCache, options: SenderOptions, listener: SenderListener) {
    this.#session = session;
    this.#metadata = metadata;
    this.#options = options;
    this.#listener = listener;
  }

  /** Sends what is closed and may go. */
  sendClosed(lane: PartitionLane): void {
    for (let batch = lane.take(); batch !== null; batch = lane.take()) void this.#deliver(lane, batch);
  }

  /** What waits to be tried again is tried now, and from now on a failure is final: the producer closes. */
  stopRetrying(): void {
    this.#mayRetry = false;
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
    const verdict = verdictOn(error, {
      recordCount: batch.recordCount,
      isExpired: delayMs >= this.#leftMs(batch),
      mayDuplicate: this.#options.mayDuplicate,
    });
    if (verdict === "split") lane.putBack(batch, batch.split());
    else if (verdict === "retry" && this.#mayRetry) this.#retryLater(lane, batch, delayMs);
    else {
      lane.finish(batch);
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

/** A fault of this SDK (an encoder that refuses, say) must not leave promises hanging. */
function ownError(error: unknown): MiniKafkaError {
  try {
    return asMiniKafkaError(error);
  } catch {
    const why = error instanceof Error ? error.message : String(error);
    return new MiniKafkaError("USAGE", `the batch could not be sent: ${why}`, { cause: error });
  }
}
