/**
 * What an unclean promotion has left in a partition of transactions that the coordinator, or the partition, does not know any more:
 * they must not become a part of the one that is open now. Pure.
 *
 * A partition that is no part of a transaction yet can have nothing of it: whatever its log has open of the producer are remains. Those of
 * an older epoch are ended, by an abort unless the transactional id says that it was committed, and the transaction goes on. Those of
 * its own epoch, or of a later one, say that the coordinator has forgotten epochs that it gave: what the log knows of them (sequences,
 * batches) would be taken for the transaction's own. They are aborted, and the transaction cannot write there.
 */
import { BrokerError } from "../errors.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import { partitionName, type TopicPartition } from "../replica/topic-partition.ts";
import { type Transaction, type TransactionPartition, wasCommittedIn } from "./transaction-state.ts";

/** What a partition's log knows of one producer. */
export interface ProducerInLog {
  /** Of its open transaction; `null` when none is open. */
  readonly openEpoch: number | null;
  /** The newest that its batches or markers had; `null` when the log does not know the producer. */
  readonly lastEpoch: number | null;
}

export interface Remains {
  /** Which marker ends what is open; `null` when nothing is. */
  readonly marker: { readonly producerEpoch: number; readonly control: "commit" | "abort" } | null;
  /** Whether the log is at least as far as the transaction that is about to write. */
  readonly isAhead: boolean;
}

/** `null` when `transaction`, which is open, and of which the partition is no part yet, may write there. */
export function remainsOf(
  { openEpoch, lastEpoch }: ProducerInLog,
  transaction: Transaction,
  place: TransactionPartition,
): Remains | null {
  const { producerId, producerEpoch } = transaction;
  if (openEpoch === null)
    return lastEpoch !== null && lastEpoch > producerEpoch ? { marker: null, isAhead: true } : null;
  const isCommitted = wasCommittedIn(transaction, { producerId, producerEpoch: openEpoch }, place);
  const marker = {
    producerEpoch: openEpoch + 1,
    control: isCommitted ? ("commit" as const) : ("abort" as const),
  };
  return { marker, isAhead: openEpoch >= producerEpoch };
}

/** INVALID_TRANSACTION_STATE: nothing of the transaction may go there. */
export function remainsAhead(
  place: TopicPartition,
  { producerId, producerEpoch }: ProducerIdentity,
  lastEpoch: number | null,
): BrokerError {
  const message = `${partitionName(place)} knows epoch ${lastEpoch} of producer id ${producerId} already, from a transaction that its coordinator has lost; the present one has epoch ${producerEpoch}: abort the transaction; the next one has a later epoch, and works once that is no older than the partition's`;
  return new BrokerError("INVALID_TRANSACTION_STATE", message, {
    producer_id: producerId,
    producer_epoch: producerEpoch,
    known_epoch: lastEpoch ?? -1,
  });
}
