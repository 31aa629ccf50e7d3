/** What a topic's leaders have written and no consumer can read yet, and what each first record of it waits for, in words for a test. */
import { type BrokerCluster, ManualClock, type PartitionDescription } from "@minikafka/core";
import { type Place, placesOf, type RecordsQuery, recordsIn, type SeenRecord } from "./seen-records.ts";

/** Partitions that a message names. */
const NAMED_MAX = 3;

interface HeldUp {
  readonly records: readonly SeenRecord[];
  /** Why the first of them is not readable. */
  readonly why: string;
}

/** `"1 is written and not readable yet: …"`; `null` where all that is written can be read. Throws as seenRecords. */
export function unreadableText(cluster: BrokerCluster, topic: string, query: RecordsQuery): string | null {
  const held = placesOf(cluster, topic, query).flatMap((place) => heldUp(cluster, place, query));
  const count = held.reduce((sum, { records }) => sum + records.length, 0);
  if (count === 0) return null;
  const named = held.slice(0, NAMED_MAX).map(({ why }) => why);
  const others = held.length - named.length;
  if (others > 0) named.push(`${others} more`);
  return `${count} ${count === 1 ? "is" : "are"} written and not readable yet: ${named.join(", ")}`;
}

function heldUp(cluster: BrokerCluster, place: Place, query: RecordsQuery): HeldUp[] {
  const set = cluster.replicaSet(place);
  const span = { offset: set.visibleEnd(query.isolation), endOffset: set.leaderLog.logEndOffset };
  const records = recordsIn(cluster, place, query, span);
  const [first] = records;
  if (first === undefined) return [];
  const { topic, partition, offset } = first;
  const described = cluster.describePartition(place);
  const isCopied = offset < set.highWatermark;
  const why = isCopied ? transactionText(cluster, described) : copiesText(cluster, described, offset);
  return [{ records, why: `${topic}/${partition}@${offset} ${why}` }];
}

/** It is on every replica, and the reader wants what is decided. */
function transactionText(cluster: BrokerCluster, { openTransactions }: PartitionDescription): string {
  const [first] = openTransactions;
  if (first === undefined) return "is of a transaction that has not ended";
  const known = cluster.transactions.listNow().find(({ producerId }) => producerId === first.producerId);
  return `waits for the end of the transaction ${known?.transactionalId ?? `of producer ${first.producerId}`}`;
}

function copiesText(
  cluster: BrokerCluster,
  { inSyncReplicas, replicas }: PartitionDescription,
  offset: number,
): string {
  const missing = replicas.filter(({ brokerId, logEndOffset }) => {
    return inSyncReplicas.includes(brokerId) && (logEndOffset === null || logEndOffset <= offset);
  });
  const hint = cluster.env.clock instanceof ManualClock ? " (step.runUntilQuiet() goes on with that)" : "";
  if (missing.length === 0) return `is on the in-sync replicas, of which the leader has not heard yet${hint}`;
  const names = missing.map(({ brokerId, isOnline }) => `${brokerId}${isOnline ? "" : ", which is stopped"}`);
  return `is not on ${names.length === 1 ? "broker" : "brokers"} ${names.join(", ")}${hint}`;
}
