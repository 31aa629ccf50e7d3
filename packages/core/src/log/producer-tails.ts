/**
 * Which batch of each producer says where its sequence stands, so that compaction leaves at least its header (KAFKA-5490).
 * Otherwise a producer that has been idle would find its next sequence refused, or an old batch accepted again.
 *
 * A marker counts only when its epoch is above that of the last batch of records: then that batch says nothing any more.
 * Memory is bounded: of producers beyond `producersMax` every batch is taken for the last, which keeps too many headers and loses none.
 */
import type { BatchHeader } from "@minikafka/record";

interface Tail {
  baseOffset: number;
  epoch: number;
}

export class ProducerTails {
  readonly #producersMax: number;
  readonly #tails = new Map<number, Tail>();

  constructor(producersMax: number) {
    this.#producersMax = producersMax;
  }

  /** Tells of a batch; those of one producer come in the order of the log. */
  note({ producerId, producerEpoch: epoch, control, baseOffset }: BatchHeader): void {
    if (producerId === -1) return;
    const known = this.#tails.get(producerId);
    if (known === undefined) {
      if (this.#tails.size < this.#producersMax) this.#tails.set(producerId, { baseOffset, epoch });
      return;
    }
    if (control !== null && epoch <= known.epoch) return;
    known.baseOffset = baseOffset;
    known.epoch = epoch;
  }

  /** Whether something of this batch must stay. */
  isTail({ producerId, baseOffset }: BatchHeader): boolean {
    if (producerId === -1) return false;
    const known = this.#tails.get(producerId);
    // A producer that did not fit may end with this batch.
    return known === undefined || known.baseOffset === baseOffset;
  }
}
