/**
 * A transactional id as a value (Kafka: TransactionMetadata). It is never changed: a change is another value (transitions.ts), a
 * record of the log that says all of it (transaction-record.ts), and nothing else.
 *
 * What holds of every one (transactionProblem() says what does not):
 * - it has a start exactly while it is ongoing or prepared, and partitions at no other time;
 * - it has a marker's producer exactly while it is prepared, and a last end of the same direction then and when it is complete;
 * - the epoch of its producer is one that may be given.
 */
import { PRODUCER_EPOCH_MAX } from "@minikafka/record";
import { isSame, type ProducerIdentity } from "../replica/producer-identity.ts";
import { partitionName, type TopicPartition } from "../replica/topic-partition.ts";

/** Kafka's TransactionState. `dead`: there is no such id, or no more. */
export const TRANSACTION_STATES = [
  "empty",
  "ongoing",
  "prepare_commit",
  "prepare_abort",
  "complete_commit",
  "complete_abort",
] as const;
export type LivingState = (typeof TRANSACTION_STATES)[number];
export type TransactionState = LivingState | "dead";

/** Why a transaction was ended: its producer asked; its time was over; a newer instance began; somebody did it by hand. */
export const END_CAUSES = ["request", "timeout", "fenced", "operator"] as const;
export type EndCause = (typeof END_CAUSES)[number];

/** Kafka: 32766 is the last epoch that a producer is given, so that there is always one more for the marker of its transaction. */
export const GIVEN_EPOCH_MAX = PRODUCER_EPOCH_MAX - 1;

/** A partition of the transaction, of the topic with that id: one of the same name that is made anew is none of it. */
export interface TransactionPartition extends TopicPartition {
  readonly topicId: string;
}

/** How a transaction ended, or is ending. */
export interface LastEnd {
  /** Whose transaction it was: with the epoch in which it was open. */
  readonly producer: ProducerIdentity;
  readonly committed: boolean;
  readonly cause: EndCause;
  readonly endedMs: number;
  /** By name: where a commit was decided. None for an abort, which is what becomes of everything else that is found open. */
  readonly committedIn: ReadonlyMap<string, TransactionPartition>;
}

export interface Transaction extends ProducerIdentity {
  readonly transactionalId: string;
  readonly state: TransactionState;
  /**
   * What the holder of the present identity had before it was raised: a request that is repeated is known by it (KIP-360,
   * KIP-588). `null` when the present one was given to a new instance, or is to be.
   */
  readonly previous: ProducerIdentity | null;
  /** While prepared: whose transactions the markers end, with their epoch: the one after the transaction's (KIP-890), or its own where it is kept. */
  readonly markerProducer: ProducerIdentity | null;
  /** How long a transaction may be open. */
  readonly timeoutMs: number;
  /** By name. Those of the open transaction, or those that wait for their markers. */
  readonly partitions: ReadonlyMap<string, TransactionPartition>;
  readonly startedMs: number | null;
  /** When this value came to be: an id that nobody uses is forgotten some time after. */
  readonly updatedMs: number;
  readonly lastEnd: LastEnd | null;
}

export const NO_PARTITIONS: ReadonlyMap<string, TransactionPartition> = new Map();

/** What nobody has heard of yet. */
export function newTransaction(transactionalId: string): Transaction {
  return {
    transactionalId,
    state: "dead",
    producerId: 0,
    producerEpoch: 0,
    previous: null,
    markerProducer: null,
    timeoutMs: 1,
    partitions: NO_PARTITIONS,
    startedMs: null,
    updatedMs: 0,
    lastEnd: null,
  };
}

export function isPrepared({ state }: Pick<Transaction, "state">): boolean {
  return state === "prepare_commit" || state === "prepare_abort";
}

export function isComplete({ state }: Pick<Transaction, "state">): boolean {
  return state === "complete_commit" || state === "complete_abort";
}

/** Whether the partition is one of the transaction's already. */
export function hasPartition({ partitions }: Transaction, place: TransactionPartition): boolean {
  return partitions.get(partitionName(place))?.topicId === place.topicId;
}

/** How the last transaction of `identity` ended, when that raised the epoch, or left it, and nothing came since; else `null`. */
export function endOf(transaction: Transaction, identity: ProducerIdentity): LastEnd | null {
  const { previous, lastEnd } = transaction;
  if (lastEnd === null || !isSame(lastEnd.producer, identity)) return null;
  const hasRaised = previous !== null && isSame(previous, identity);
  const hasEnded = isPrepared(transaction) || isComplete(transaction);
  return hasRaised || (hasEnded && isSame(transaction, identity)) ? lastEnd : null;
}

/** Whether the id's last end was that of `identity`, and committed it in that very partition. */
export function wasCommittedIn(
  { lastEnd }: Pick<Transaction, "lastEnd">,
  identity: ProducerIdentity,
  place: TransactionPartition,
): boolean {
  if (lastEnd === null || !lastEnd.committed || !isSame(lastEnd.producer, identity)) return false;
  return lastEnd.committedIn.get(partitionName(place))?.topicId === place.topicId;
}

/** Whether `before` and `after` say that the same transaction is ended. */
export function isSameEnd(before: Transaction, after: Transaction): boolean {
  const { markerProducer: marker } = before;
  const { markerProducer: other } = after;
  return marker !== null && other !== null && before.state === after.state && isSame(marker, other);
}

/** The sentence that says which rule of the head of this file is broken, or `null`. */
export function transactionProblem(transaction: Transaction): string | null {
  const { state, producerEpoch, markerProducer, partitions, startedMs, lastEnd } = transaction;
  const prepared = isPrepared(transaction);
  if (state === "dead") return "it is dead";
  if (producerEpoch > GIVEN_EPOCH_MAX) return `its epoch is ${producerEpoch}, which no producer is given`;
  if ((startedMs !== null) !== (state === "ongoing" || prepared))
    return `it is ${state}, and has ${startedMs === null ? "no start" : "one"}`;
  if (startedMs === null && partitions.size > 0) return `it is ${state} and has partitions`;
  if ((markerProducer !== null) !== prepared)
    return `it is ${state}, and has ${markerProducer === null ? "no marker" : "one"}`;
  if (!prepared && !isComplete(transaction)) return null;
  if (lastEnd === null) return `it is ${state} and has no end`;
  if (lastEnd.committed !== state.endsWith("_commit"))
    return `it is ${state} and was ${lastEnd.committed ? "committed" : "aborted"}`;
  return null;
}
