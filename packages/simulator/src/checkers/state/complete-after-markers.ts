/** When a transaction is complete: once every partition that it wrote to has its marker for good (KIP-98). */
import type { ProducerIdentity, TraceEvent } from "@minikafka/core";
import type { Judge } from "../checker.ts";
import { batchWords, Folds } from "./log-mirror.ts";
import { leaderOf, lookWords, type PartitionLook } from "./partition-look.ts";
import { emptyLog, noteBatch, type TransactionsInLog } from "./producers-in-log.ts";

export class CompleteAfterMarkers {
  readonly name = "complete-after-markers";
  readonly promise =
    "no transaction is complete while a partition's leader has it open, unless one led there, or at the coordinator's, that was out of sync";
  /** By transactional id, which transaction is about to end. */
  readonly #ending = new Map<string, ProducerIdentity>();
  readonly #folds = new Folds<TransactionsInLog>(emptyLog);

  /** Hears which end is decided. */
  traced(event: TraceEvent): void {
    if (event.kind !== "transaction_prepared") return;
    const { transactionalId, producerId, producerEpoch } = event;
    this.#ending.set(transactionalId, { producerId, producerEpoch });
  }

  /** To be told in the instant in which it is said to be complete. `looks`: all partitions. */
  completed(
    transactionalId: string,
    { looks, coordinators }: { looks: readonly PartitionLook[]; coordinators: readonly PartitionLook[] },
    judge: Judge,
  ): void {
    const ended = this.#ending.get(transactionalId);
    // Where epochs were lost, one of them may have been given twice.
    if (ended === undefined || coordinators.some(({ uncleanPromotions }) => uncleanPromotions > 0)) return;
    for (const look of looks) {
      const leader = leaderOf(look);
      if (leader === null || leader.isBeingCut || look.uncleanPromotions > 0) continue;
      const { open, markers } = this.#folds.of(
        leader.mirror,
        (state, batch) => void noteBatch(state, batch, look.isCompacted),
      );
      const left = open.get(ended.producerId);
      if (left !== undefined || markers.has(ended.producerId)) judge.asked();
      if (left?.first.producerEpoch !== ended.producerEpoch) continue;
      // Of one whose records were deleted nothing is left to end.
      if (left.last.nextOffset <= leader.logStartOffset) continue;
      judge.violated(
        `the transaction of ${transactionalId}, of producer ${ended.producerId}:${ended.producerEpoch}, is complete, and open in ${look.place}`,
        [batchWords(leader.brokerId, left.first), lookWords(look)],
      );
    }
  }
}
