/** The promise that a send returned, and how the fate of its records gets there. */
import { MiniKafkaError } from "../errors.ts";

/** Where a record has landed. */
export interface RecordMetadata {
  readonly topic: string;
  readonly partition: number;
  /** `null` with acks 0: nobody said. */
  readonly offset: number | null;
  /** The record's own, or the leader's where the topic has message_timestamp_type LogAppendTime. */
  readonly timestampMs: number;
}

/** Told once for each of its records; `slot` says which. */
export interface Delivery {
  succeed(slot: number, metadata: RecordMetadata): void;
  /** `reported`: somebody who waits for a flush is told of the failure too. */
  fail(slot: number, error: MiniKafkaError, reported: boolean): void;
}

/** A promise whose failure somebody else reports must not end the process because its owner has not looked at it yet. */
function leaveToOwner(promise: Promise<unknown>): void {
  promise.catch(() => {});
}

export class SingleDelivery implements Delivery {
  readonly promise: Promise<RecordMetadata>;
  #resolve!: (metadata: RecordMetadata) => void;
  #reject!: (error: MiniKafkaError) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  succeed(_slot: number, metadata: RecordMetadata): void {
    this.#resolve(metadata);
  }

  fail(_slot: number, error: MiniKafkaError, reported: boolean): void {
    if (reported) leaveToOwner(this.promise);
    this.#reject(error);
  }
}

/** One promise for several records: it settles when all of them have, and fails with the first failure. */
export class ManyDelivery implements Delivery {
  readonly promise: Promise<RecordMetadata[]>;
  readonly #metadata: RecordMetadata[];
  #resolve!: (metadata: RecordMetadata[]) => void;
  #reject!: (error: MiniKafkaError) => void;
  #unsettled: number;
  #failed = 0;
  #error: MiniKafkaError | null = null;

  constructor(count: number) {
    this.#unsettled = count;
    this.#metadata = new Array<RecordMetadata>(count);
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  succeed(slot: number, metadata: RecordMetadata): void {
    this.#metadata[slot] = metadata;
    this.#settleOne();
  }

  fail(_slot: number, error: MiniKafkaError, reported: boolean): void {
    if (reported) leaveToOwner(this.promise);
    this.#error ??= error;
    this.#failed += 1;
    this.#settleOne();
  }

  #settleOne(): void {
    this.#unsettled -= 1;
    if (this.#unsettled > 0) return;
    if (this.#error === null) this.#resolve(this.#metadata);
    else this.#reject(this.#ofMany(this.#error));
  }

  #ofMany(error: MiniKafkaError): MiniKafkaError {
    const records = this.#metadata.length;
    if (records === 1) return error;
    const details = { ...error.details, records, failed: this.#failed };
    return new MiniKafkaError(
      error.code,
      `${this.#failed} of ${records} records were not delivered: ${error.message}`,
      { details, retriable: error.retriable, effect: error.effect, cause: error },
    );
  }
}
