/** What the coordinator of transactions asks of the cluster's other rooms. */
import type { Wait } from "../coordinator/give-up.ts";
import type { CommitRequest } from "../offsets/commit-request.ts";
import type { StagingTransaction } from "../offsets/committed-offsets.ts";
import type { Appended } from "../replica/append-options.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { TransactionEnd } from "../replica/transaction-end.ts";
import type { ProducerInLog } from "./remains.ts";
import type { KnownTransactions } from "./transaction-keeper.ts";
import type { TransactionalAppendOptions } from "./transaction-requests.ts";
import type { TransactionPartition } from "./transaction-state.ts";

export interface OtherRooms extends KnownTransactions {
  /** The id of the topic that has the name now; `null` when none has. */
  topicIdOf(topic: string): string | null;
  /** A partition that a producer may write to. Throws UNKNOWN_TOPIC, UNKNOWN_PARTITION, INVALID_TOPIC, SHUTTING_DOWN. */
  requirePartition(place: TopicPartition): TransactionPartition;
  /** Appends a batch of an open transaction, before this returns. Throws as PartitionReplicaSet.append does. */
  append(
    place: TopicPartition,
    frame: Buffer,
    options: Omit<TransactionalAppendOptions, "transactionalId">,
  ): Appended;
  /** Where a group's offsets are kept; makes the internal topic when needed. */
  partitionOf(groupId: string, wait: Wait): Promise<TransactionPartition>;
  /** Makes offsets a part of a transaction; settles as a commit does. */
  stage(request: CommitRequest, transaction: StagingTransaction, wait: Wait): Promise<void>;
  /**
   * Sees to it that the producer's transaction in the partition is ended by a marker, if it has one there; resolves when that is
   * acknowledged as acks=all is. Asked again it changes nothing.
   */
  endTransaction(place: TransactionPartition, end: TransactionEnd): Promise<void>;
  /** What the partition's leader has of the producer. Throws LEADER_NOT_AVAILABLE, STORAGE_ERROR, UNKNOWN_TOPIC, UNKNOWN_PARTITION. */
  producerIn(place: TopicPartition, producerId: number): ProducerInLog;
  /** The partitions that have transactions open, among those that somebody leads. */
  placesWithOpenTransactions(): readonly TransactionPartition[];
  /** Resolves when endTransaction() can act within its call. Rejects with what stands in the way. */
  readyToEnd(place: TopicPartition, wait: Wait): Promise<void>;
  /** Those of the leader's log in this instant; none while an end could not act within its call. */
  openTransactionsIn(place: TransactionPartition): readonly ProducerIdentity[];
  /** A producer id that nobody was ever given, nor will be. Throws STORAGE_ERROR, BROKER_FAILED. */
  newProducerId(): number;
}
