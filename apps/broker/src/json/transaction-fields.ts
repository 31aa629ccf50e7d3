/** A transactional id in a list, as the wire says it. */
import type { TransactionListing } from "@minikafka/core";
import type { ResponseFields } from "@minikafka/protocol";

export function transactionFields(
  listing: TransactionListing,
): ResponseFields<"list_transactions">["transactions"][number] {
  return {
    transactional_id: listing.transactionalId,
    state: listing.state,
    producer_id: listing.producerId,
    producer_epoch: listing.producerEpoch,
    partitions: listing.partitions,
    started_ms: listing.startedMs,
    coordinator_id: listing.coordinatorId,
  };
}
