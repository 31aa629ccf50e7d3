/**
 * Which batch of each producer says where its sequence stands, so that compaction leaves at least its header (KAFKA-5490).
 * Snapshots say the same; but where they are gone, the batches have to tell it, or an idle producer would find its next
 * sequence refused and an old batch accepted again.
 */
import type { BatchHeader } from "@minikafka/record";
import type { ProducerEntry } from "../producers/producer-state.ts";

export class ProducerTails {
  readonly #known: (producerId: number) => ProducerEntry | undefined;
  readonly #coveredEnd: number;

  /** `known` says what the log knows of a producer now. */
  constructor(known: (producerId: number) => ProducerEntry | undefined, coveredEnd: number) {
    this.#known = known;
    this.#coveredEnd = coveredEnd;
  }

  /**
   * Whether something of this batch must stay: it is the last of its producer below the covered end, since what lies behind
   * may not be durable; or the marker that raised the producer's epoch, while no batch of that epoch is there. Of a producer
   * that was forgotten nothing must.
   */
  isTail({ producerId, producerEpoch, control, baseOffset }: BatchHeader): boolean {
    const known = producerId === -1 ? undefined : this.#known(producerId);
    if (known === undefined) return false;
    const covered = known.batches.findLast((batch) => batch.baseOffset < this.#coveredEnd);
    if (covered === undefined) return control !== null && producerEpoch === known.producerEpoch;
    return covered.baseOffset === baseOffset;
  }
}
