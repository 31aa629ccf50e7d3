/** The record of a transactional id: all of it, in one record, whenever anything changes. FORMAT.md says what stands in it. */
import { PRODUCER_EPOCH_MAX } from "@minikafka/record";
import {
  type CoordinatorRecord,
  type JsonObject,
  type JsonValue,
  MalformedRecord,
} from "../coordinator/coordinator-record.ts";
import { fieldsOf, integerOf, listOf, mismatch, textOf } from "../log/files/parsed-json.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import { partitionName } from "../replica/topic-partition.ts";
import {
  END_CAUSES,
  type LastEnd,
  TRANSACTION_STATES,
  type Transaction,
  type TransactionPartition,
  transactionProblem,
} from "./transaction-state.ts";

export const TRANSACTION_KIND = "transaction";
const VERSION = 1;
const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** What a record says of an id; `null`: nothing is known of it any more. */
export interface TransactionEntry {
  readonly transactionalId: string;
  readonly transaction: Transaction | null;
}

/** What says that `transaction` is so; that nothing is known of it, for a dead one. */
export function transactionRecord(transaction: Transaction): CoordinatorRecord {
  const { transactionalId, state } = transaction;
  const key = { kind: TRANSACTION_KIND, transactional_id: transactionalId };
  return { key, value: state === "dead" ? null : formatTransaction(transaction) };
}

/** Throws MalformedRecord. */
export function parseTransactionRecord({ key, value }: CoordinatorRecord): TransactionEntry {
  try {
    const transactionalId = textOf(key.transactional_id, "transactional_id");
    if (value === null) return { transactionalId, transaction: null };
    const transaction = parseTransaction(transactionalId, fieldsOf(value, "a transaction"));
    const problem = transactionProblem(transaction);
    if (problem !== null) throw new Error(problem);
    return { transactionalId, transaction };
  } catch (problem) {
    const said = problem instanceof Error ? problem.message : String(problem);
    throw new MalformedRecord(`the transaction: ${said}`);
  }
}

function formatTransaction(transaction: Transaction): JsonObject {
  const { previous, markerProducer, lastEnd } = transaction;
  return {
    version: VERSION,
    state: transaction.state,
    ...formatIdentity(transaction),
    previous: previous === null ? null : formatIdentity(previous),
    marker: markerProducer === null ? null : formatIdentity(markerProducer),
    timeout_ms: transaction.timeoutMs,
    partitions: formatPartitions(transaction.partitions.values()),
    started_ms: transaction.startedMs,
    updated_ms: transaction.updatedMs,
    last_end: lastEnd === null ? null : formatEnd(lastEnd),
  };
}

function formatIdentity({ producerId, producerEpoch }: ProducerIdentity): JsonObject {
  return { producer_id: producerId, producer_epoch: producerEpoch };
}

function formatEnd({ producer, committed, cause, endedMs, committedIn }: LastEnd): JsonObject {
  return {
    ...formatIdentity(producer),
    ...{ committed, cause, ended_ms: endedMs },
    committed_in: formatPartitions(committedIn.values()),
  };
}

/** A list of topics, since a topic's name could be one that objects have a meaning for. */
function formatPartitions(partitions: Iterable<TransactionPartition>): JsonValue {
  const byTopic = new Map<string, { topic: string; topic_id: string; partitions: number[] }>();
  for (const { topic, topicId, partition } of partitions) {
    const key = `${topicId} ${topic}`;
    const known = byTopic.get(key);
    if (known === undefined) byTopic.set(key, { topic, topic_id: topicId, partitions: [partition] });
    else known.partitions.push(partition);
  }
  return [...byTopic.values()];
}

function parseTransaction(transactionalId: string, fields: ReadonlyMap<string, unknown>): Transaction {
  const version = fields.get("version");
  if (version !== VERSION)
    throw mismatch(version, "version", `${VERSION}, the only one that this release knows`);
  const startedMs = fields.get("started_ms");
  const lastEnd = fields.get("last_end");
  return {
    transactionalId,
    state: oneOf(fields.get("state"), "state", TRANSACTION_STATES),
    ...parseIdentity(fields),
    previous: parseNullableIdentity(fields.get("previous"), "previous"),
    markerProducer: parseNullableIdentity(fields.get("marker"), "marker"),
    timeoutMs: integerOf(fields.get("timeout_ms"), "timeout_ms", { ...COUNT, min: 1 }),
    partitions: parsePartitions(fields.get("partitions")),
    startedMs: startedMs === null ? null : integerOf(startedMs, "started_ms", COUNT),
    updatedMs: integerOf(fields.get("updated_ms"), "updated_ms", COUNT),
    lastEnd: lastEnd === null ? null : parseEnd(fieldsOf(lastEnd, "last_end")),
  };
}

function parseNullableIdentity(value: unknown, what: string): ProducerIdentity | null {
  return value === null ? null : parseIdentity(fieldsOf(value, what));
}

function parseIdentity(fields: ReadonlyMap<string, unknown>): ProducerIdentity {
  return {
    producerId: integerOf(fields.get("producer_id"), "producer_id", COUNT),
    producerEpoch: integerOf(fields.get("producer_epoch"), "producer_epoch", {
      min: 0,
      max: PRODUCER_EPOCH_MAX,
    }),
  };
}

function parseEnd(fields: ReadonlyMap<string, unknown>): LastEnd {
  const committed = fields.get("committed");
  if (typeof committed !== "boolean") throw mismatch(committed, "committed", "true or false");
  return {
    producer: parseIdentity(fields),
    committed,
    cause: oneOf(fields.get("cause"), "cause", END_CAUSES),
    endedMs: integerOf(fields.get("ended_ms"), "ended_ms", COUNT),
    committedIn: parsePartitions(fields.get("committed_in")),
  };
}

function parsePartitions(value: unknown): ReadonlyMap<string, TransactionPartition> {
  const partitions = new Map<string, TransactionPartition>();
  for (const each of listOf(value, "partitions")) {
    const fields = fieldsOf(each, "partitions");
    const topic = textOf(fields.get("topic"), "topic");
    const topicId = textOf(fields.get("topic_id"), "topic_id");
    for (const number of listOf(fields.get("partitions"), "partitions")) {
      const place = { topic, topicId, partition: integerOf(number, "a partition", COUNT) };
      const name = partitionName(place);
      if (partitions.has(name)) throw new Error(`it has ${name} twice`);
      partitions.set(name, place);
    }
  }
  return partitions;
}

function oneOf<Value extends string>(value: unknown, what: string, values: readonly Value[]): Value {
  const found = values.find((each) => each === value);
  if (found === undefined) throw mismatch(value, what, values.join(", "));
  return found;
}
