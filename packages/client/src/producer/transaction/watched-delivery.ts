/**
 * The fate of a transaction's record on its way to the caller, by way of the transaction: it can only be aborted once one of
 * them failed. That is what its commit says, so that a failure of which the caller does not wait to hear does not end the process.
 */
import type { MiniKafkaError } from "../../errors.ts";
import type { Delivery, RecordMetadata } from "../delivery.ts";

export class WatchedDelivery implements Delivery {
  readonly #delivery: Delivery;
  readonly #failed: (error: MiniKafkaError) => MiniKafkaError;

  /** `failed` is told of each failure, and returns what the caller is told. */
  constructor(delivery: Delivery, failed: (error: MiniKafkaError) => MiniKafkaError) {
    this.#delivery = delivery;
    this.#failed = failed;
  }

  succeed(slot: number, metadata: RecordMetadata): void {
    this.#delivery.succeed(slot, metadata);
  }

  fail(slot: number, error: MiniKafkaError): void {
    this.#delivery.fail(slot, this.#failed(error), true);
  }
}
