/** When the markers of a transaction are written: once it is decided for good how it ends (KIP-98). */
import type { TraceEvent } from "@minikafka/core";
import type { Judge } from "../checker.ts";
import { batchWords } from "./log-mirror.ts";
import { leaderOf, lookWords, type PartitionLook } from "./partition-look.ts";

type Written = Extract<TraceEvent, { kind: "marker_written" }>;

export class MarkerAfterDecision {
  readonly name = "marker-after-decision";
  readonly promise =
    "no marker is written before the last record of its transactional id is visible in the coordinator's log, and on the disk of everybody in sync where acknowledgements wait for disks";
  /** By producer id, whose transaction is open, and in which epoch it was begun. */
  readonly #open = new Map<number, { readonly transactionalId: string; readonly producerEpoch: number }>();

  /** Hears who has a transaction open, or about to end. */
  traced(event: TraceEvent): void {
    if (event.kind === "transaction_begun") {
      const { transactionalId, producerEpoch } = event;
      this.#open.set(event.producerId, { transactionalId, producerEpoch });
    }
    if (event.kind === "transaction_completed")
      for (const [producerId, { transactionalId }] of this.#open)
        if (transactionalId === event.transactionalId) this.#open.delete(producerId);
  }

  /** To be told in the instant in which it is written. `coordinators`: the partitions of the coordinators' topic. */
  written(
    { producerId, producerEpoch, coordinatorEpoch, topic, partition, control }: Written,
    coordinators: readonly PartitionLook[],
    judge: Judge,
  ): void {
    const open = this.#open.get(producerId);
    // What is left of an older one is ended by whoever finds it.
    if (open === undefined || producerEpoch <= open.producerEpoch) return;
    const { transactionalId } = open;
    const key = JSON.stringify({ kind: "transaction", transactional_id: transactionalId });
    for (const look of coordinators) {
      const leader = leaderOf(look);
      // One that leads no more ends what it has decided.
      if (leader === null || leader.isBeingCut || look.leaderEpoch !== coordinatorEpoch) continue;
      const last = leader.mirror.batches.findLast(
        ({ records }) => records?.some((record) => record.key === key) === true,
      );
      if (last === undefined) continue;
      judge.asked();
      const inSync = look.replicas.filter(({ brokerId }) => look.inSyncReplicas.includes(brokerId));
      const onDisk = Math.min(...inSync.map(({ flushedOffset }) => flushedOffset));
      const isVisible = last.nextOffset <= look.highWatermark;
      if (isVisible && (!look.waitsForDisk || last.nextOffset <= onDisk)) continue;
      judge.violated(
        `the ${control} marker of ${transactionalId} in ${topic}/${partition} was written before its end was decided for good`,
        [
          batchWords(leader.brokerId, last),
          ...inSync.map(
            (each) => `${each.brokerId} has ${each.flushedOffset} of ${each.logEndOffset} on its disk`,
          ),
          lookWords(look),
        ],
      );
    }
  }
}
