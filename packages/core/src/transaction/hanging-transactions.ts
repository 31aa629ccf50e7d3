/**
 * Hanging transactions: open in a partition's log, and known to no coordinator, since an unclean promotion has lost the marker that
 * ended them, or the records of their transactional id. Nobody else would ever end them. Kafka: kafka-transactions.sh find-hanging
 * (KIP-664), by hand and by age.
 *
 * Invariants: what is open is judged, and its marker appended, in one instant, in which every transactional id is in memory as its
 * partition's leader has it; a transaction that is open, or whose end is decided, is left to its coordinator, whatever its partitions.
 * Never: a commit that nobody has decided.
 */
import type { CoordinatorShard } from "../coordinator/coordinator-shard.ts";
import { unlessGivenUp, type Wait } from "../coordinator/give-up.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { identityOf, isSame, type ProducerIdentity } from "../replica/producer-identity.ts";
import { partitionName } from "../replica/topic-partition.ts";
import type { OtherRooms } from "./other-rooms.ts";
import type { TransactionChanges } from "./transaction-changes.ts";
import type { TransactionKinds } from "./transaction-keeper.ts";
import {
  isPrepared,
  type Transaction,
  type TransactionPartition,
  wasCommittedIn,
} from "./transaction-state.ts";

/** One that was ended in one partition. */
export interface RepairedTransaction extends ProducerIdentity {
  readonly topic: string;
  readonly partition: number;
  /** Its transactional id says that it was committed; else it was aborted. */
  readonly committed: boolean;
}

/** What becomes of a transaction that is open in a log. */
export type Fate = "none_of_ours" | "commit" | "abort";

/**
 * `transactions`: those of the producer, or all. An identity alone does not tell a commit: where an unclean promotion has taken epochs
 * from a coordinator, it may have been given twice. Pure.
 */
export function fateOf(
  { place, ...open }: ProducerIdentity & { readonly place: TransactionPartition },
  transactions: Iterable<Transaction>,
): Fate {
  let fate: Fate = "abort";
  for (const transaction of transactions) {
    const { state, lastEnd } = transaction;
    if (state === "ongoing" && isSame(transaction, open)) return "none_of_ours";
    if (lastEnd === null || !isSame(lastEnd.producer, open)) continue;
    if (isPrepared(transaction)) return "none_of_ours";
    if (wasCommittedIn(transaction, open, place)) fate = "commit";
  }
  return fate;
}

export interface HangingParts {
  readonly changes: TransactionChanges;
  readonly rooms: OtherRooms;
}

/**
 * Ends them, and resolves when every marker is acknowledged as acks=all is. None is touched while a partition of the internal topic
 * cannot be read; a partition that refuses its marker is left to the next step.
 */
export async function endHangingTransactions(
  { changes, rooms }: HangingParts,
  { trace }: Pick<Env, "trace">,
  wait: Wait = {},
): Promise<RepairedTransaction[]> {
  const places = rooms.placesWithOpenTransactions();
  if (places.length === 0) return [];
  const shards = changes.topic.shards();
  passingOver(await Promise.allSettled(shards.map((shard) => shard.read(() => {}, wait))));
  passingOver(await Promise.allSettled(places.map((place) => rooms.readyToEnd(place, wait))));
  // From here to the last marker nothing else happens.
  const found = foundHanging({ changes, rooms }, places);
  const ends = found.map(({ place, ...hanging }) => {
    const end = {
      producerId: hanging.producerId,
      producerEpoch: hanging.producerEpoch + 1,
      control: hanging.committed ? ("commit" as const) : ("abort" as const),
      // Nobody knows whose it is.
      coordinatorEpoch: 0,
    };
    const what = () => `the end of a hanging transaction in ${partitionName(place)}`;
    return unlessGivenUp(rooms.endTransaction(place, end), wait, what);
  });
  const ended = await Promise.allSettled(ends);
  passingOver(ended);
  return found.flatMap(({ place, ...hanging }, index): RepairedTransaction[] => {
    if (ended[index]?.status !== "fulfilled") return [];
    const { topic, partition } = place;
    const repaired = { topic, partition, ...hanging };
    trace({ kind: "hanging_transaction_ended", ...repaired });
    return [repaired];
  });
}

/** What endHangingTransactions() would end now; none while a partition of the internal topic is not in memory. */
export function foretoldRepairs(parts: HangingParts): RepairedTransaction[] {
  return foundHanging(parts, parts.rooms.placesWithOpenTransactions()).map(({ place, ...hanging }) => {
    const { topic, partition } = place;
    return { topic, partition, ...hanging };
  });
}

interface Hanging extends ProducerIdentity {
  readonly place: TransactionPartition;
  readonly committed: boolean;
}

/** In this very instant. */
function foundHanging({ changes, rooms }: HangingParts, places: readonly TransactionPartition[]): Hanging[] {
  const kinds = changes.topic.shards().map(loadedNow);
  const open = places.flatMap((place) =>
    rooms.openTransactionsIn(place).map((transaction) => ({ place, ...identityOf(transaction) })),
  );
  const ofProducer = new Map<number, Transaction[]>(open.map(({ producerId }) => [producerId, []]));
  for (const kind of kinds) {
    if (kind === null) return [];
    for (const transaction of kind.transaction.allCurrent()) {
      ofProducer.get(transaction.producerId)?.push(transaction);
      // An id whose epochs are used up has another producer id since its last end.
      const before = transaction.lastEnd?.producer.producerId;
      if (before !== undefined && before !== transaction.producerId)
        ofProducer.get(before)?.push(transaction);
    }
  }
  return open.flatMap((each): Hanging[] => {
    const fate = fateOf(each, ofProducer.get(each.producerId) ?? []);
    return fate === "none_of_ours" ? [] : [{ ...each, committed: fate === "commit" }];
  });
}

function loadedNow(shard: CoordinatorShard<TransactionKinds>): TransactionKinds | null {
  try {
    return shard.loaded;
  } catch (problem) {
    if (problem instanceof BrokerError) return null;
    throw problem;
  }
}

/** What the world refuses now, the next step tries again. */
function passingOver(results: readonly PromiseSettledResult<unknown>[]): void {
  for (const result of results)
    if (result.status === "rejected" && !(result.reason instanceof BrokerError)) throw result.reason;
}
