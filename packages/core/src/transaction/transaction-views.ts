/** What is shown of transactional ids: only what is acknowledged. */
import type { CoordinatorShard } from "../coordinator/coordinator-shard.ts";
import type { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import { readShards, type UnreadableShard } from "../coordinator/read-shards.ts";
import { identityOf, type ProducerIdentity } from "../replica/producer-identity.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { OtherRooms } from "./other-rooms.ts";
import type { TransactionKinds } from "./transaction-keeper.ts";
import { unknownTransactionalId } from "./transaction-refusals.ts";
import { requireTransactionalId } from "./transaction-requests.ts";
import type { EndCause, LivingState, Transaction } from "./transaction-state.ts";

interface Shown {
  readonly transactionalId: string;
  readonly state: LivingState;
  readonly producerId: number;
  /** The present one: of the open transaction, or of the next. */
  readonly producerEpoch: number;
  /** When the open transaction began; `null` when none is open. */
  readonly startedMs: number | null;
  /** The broker that leads the id's partition of the internal topic; `null` when none does. */
  readonly coordinatorId: number | null;
}

export interface DescribedPartition extends TopicPartition {
  /** Only when the topic was deleted since, or made anew under the name: there is nothing to be ended there. */
  readonly isGone?: true;
}

export interface TransactionDescription extends Shown {
  readonly timeoutMs: number;
  /** Those of the open transaction, or those that wait for their markers. */
  readonly partitions: readonly DescribedPartition[];
  /** Whose transaction it was, with the epoch in which it was open, and how it ended. */
  readonly lastEnd:
    | (ProducerIdentity & {
        readonly committed: boolean;
        readonly cause: EndCause;
        readonly endedMs: number;
      })
    | null;
}

export interface TransactionListing extends Shown {
  /** How many. */
  readonly partitions: number;
}

export interface TransactionListings {
  readonly transactions: readonly TransactionListing[];
  /** Partitions of the internal topic whose ids are not known now. */
  readonly unreadable: readonly UnreadableShard[];
}

/** Rejects with UNKNOWN_TRANSACTIONAL_ID, INVALID_REQUEST, and as CoordinatorShard.read does. Kafka: DescribeTransactions (KIP-664). */
export async function describeTransaction(
  topic: CoordinatorTopic<TransactionKinds>,
  { transactionalId, topicIdOf }: Pick<OtherRooms, "topicIdOf"> & { readonly transactionalId: string },
  wait: Wait = {},
): Promise<TransactionDescription> {
  requireTransactionalId(transactionalId);
  const shard = topic.shardOf(transactionalId);
  if (shard === null) throw unknownTransactionalId(transactionalId);
  return shard.read(({ transaction: keeper }) => {
    const transaction = keeper.committed(transactionalId);
    const shown = shownOf(transaction, shard);
    if (shown === null) throw unknownTransactionalId(transactionalId);
    const { timeoutMs, lastEnd } = transaction;
    const partitions = [...transaction.partitions.values()].map((place): DescribedPartition => {
      const isGone = topicIdOf(place.topic) !== place.topicId;
      return { topic: place.topic, partition: place.partition, ...(isGone && { isGone }) };
    });
    if (lastEnd === null) return { ...shown, timeoutMs, partitions, lastEnd };
    const { producer, committed, cause, endedMs } = lastEnd;
    return {
      ...shown,
      timeoutMs,
      partitions,
      lastEnd: { ...identityOf(producer), committed, cause, endedMs },
    };
  }, wait);
}

/**
 * All transactional ids by name, or those in `states`; and the partitions of the internal topic whose ids are missing, since they
 * cannot be read. Rejects when none can. Kafka: ListTransactions (KIP-664), which a client asks of each broker.
 */
export async function listTransactions(
  topic: CoordinatorTopic<TransactionKinds>,
  { states }: { readonly states?: readonly LivingState[] | undefined } = {},
  wait: Wait = {},
): Promise<TransactionListings> {
  const wanted = states === undefined ? null : new Set(states);
  const { items: transactions, unreadable } = await readShards(
    topic,
    (kinds, shard) => listingsOf(kinds, shard, wanted),
    wait,
  );
  transactions.sort((left, right) => (left.transactionalId < right.transactionalId ? -1 : 1));
  return { transactions, unreadable };
}

/** The same without waiting, of the partitions that are in memory in this instant. */
export function listTransactionsNow(topic: CoordinatorTopic<TransactionKinds>): TransactionListing[] {
  const transactions = topic.shards().flatMap((shard) => {
    const { kinds } = shard.standing;
    return kinds === null ? [] : listingsOf(kinds, shard, null);
  });
  return transactions.sort((left, right) => (left.transactionalId < right.transactionalId ? -1 : 1));
}

function listingsOf(
  { transaction: keeper }: TransactionKinds,
  shard: CoordinatorShard<TransactionKinds>,
  wanted: ReadonlySet<LivingState> | null,
): TransactionListing[] {
  return [...keeper.allCommitted()].flatMap((transaction) => {
    const shown = shownOf(transaction, shard);
    if (shown === null || (wanted !== null && !wanted.has(shown.state))) return [];
    return [{ ...shown, partitions: transaction.partitions.size }];
  });
}

function shownOf(
  { transactionalId, state, producerId, producerEpoch, startedMs }: Transaction,
  { coordinatorId }: CoordinatorShard<TransactionKinds>,
): Shown | null {
  if (state === "dead") return null;
  return { transactionalId, state, producerId, producerEpoch, startedMs, coordinatorId };
}
