/**
 * The sequences of one partition's batches, for an idempotent producer (KIP-98).
 *
 * Owns the next sequence, and what is known of the partition in the present epoch. Invariants: batches get sequences without
 * a gap, in the order in which they are first sent; one that has a sequence keeps it until it is settled or was surely not
 * appended. Never: a sequence given to two batches of one epoch.
 */
import { sequenceAfter } from "@minikafka/record";
import type { ProducerBatch } from "./producer-batch.ts";

/** An instance of a producer, as the broker knows it. */
export interface ProducerIdentity {
  readonly producerId: number;
  readonly producerEpoch: number;
}

/** Whose sequences they are. */
export interface SequenceOwner {
  /** What new batches are sent as; `null` while there is no identity, or the present epoch ends. */
  readonly identity: ProducerIdentity | null;
  /** Whether the batches are parts of the owner's transactions. */
  readonly isTransactional: boolean;
}

export class LaneSequences {
  readonly #owner: SequenceOwner;
  #next = 0;
  #isProven = false;

  constructor(owner: SequenceOwner) {
    this.#owner = owner;
  }

  /** Whether a batch that was not sent yet may get a sequence. */
  get mayAssign(): boolean {
    return this.#owner.identity !== null;
  }

  /**
   * Whether the partition has taken a batch in this epoch. Before, it does not know the producer and would take any sequence:
   * a later batch must not get there when an earlier one was refused.
   */
  get isProven(): boolean {
    return this.#isProven;
  }

  assign(batch: ProducerBatch): void {
    const { identity, isTransactional: transactional } = this.#owner;
    if (batch.sequence !== null || identity === null) return;
    batch.assignSequence({ ...identity, baseSequence: this.#next, transactional });
    this.#next = sequenceAfter(this.#next, batch.recordCount);
  }

  prove(): void {
    this.#isProven = true;
  }

  /** A new epoch begins. */
  restart(): void {
    this.#next = 0;
    this.#isProven = false;
  }
}
