/** A change of a transactional id, told as an event with the numbers that caused it. Pure. */
import type { TraceEvent } from "../env/trace.ts";
import type { TransactionEvent } from "./transaction-events.ts";
import type { Transaction } from "./transaction-state.ts";

export interface TransactionChange {
  readonly before: Transaction;
  readonly after: Transaction;
  /** `null`: nothing happened, and both are the same. */
  readonly event: TransactionEvent | null;
}

export function eventOf({ before, after, event }: TransactionChange): TraceEvent | null {
  const { transactionalId } = after;
  const present = { producerId: after.producerId, producerEpoch: after.producerEpoch };
  switch (event?.kind) {
    case undefined:
      return null;
    case "init":
      return {
        kind: "transaction_initialized",
        transactionalId,
        ...present,
        timeoutMs: after.timeoutMs,
        state: before.state,
      };
    case "begin":
      return { kind: "transaction_begun", transactionalId, ...present };
    case "add_partition": {
      const { topic, partition } = event.partition;
      const partitions = after.partitions.size;
      return {
        kind: "transaction_partition_added",
        transactionalId,
        ...present,
        topic,
        partition,
        partitions,
      };
    }
    case "prepare": {
      const { producerId, producerEpoch } = before;
      const { commit: committed, cause } = event;
      const facts = { committed, cause, partitions: after.partitions.size };
      return { kind: "transaction_prepared", transactionalId, producerId, producerEpoch, ...facts };
    }
    case "complete": {
      const committed = after.state === "complete_commit";
      const partitions = before.partitions.size;
      return { kind: "transaction_completed", transactionalId, ...present, committed, partitions };
    }
    case "forget":
      return {
        kind: "transactional_id_forgotten",
        transactionalId,
        producerId: before.producerId,
        updatedMs: before.updatedMs,
      };
  }
}
