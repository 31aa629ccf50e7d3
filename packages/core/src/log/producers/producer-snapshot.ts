/**
 * `<offset>.snapshot`: what was known of the producers when the log ended at `offset` (Kafka: the same). A checkpoint file
 * (checkpoint-file.ts) that is written once; which of them count is said by the manifest.
 *
 * Never: another partition's snapshot, or one of another offset, taken for this one.
 */
import { PRODUCER_EPOCH_MAX, SEQUENCES } from "@minikafka/record";
import { LIMITS } from "../../limits.ts";
import type { LogContext } from "../context/log-context.ts";
import { CheckpointFile } from "../files/checkpoint-file.ts";
import { snapshotPath } from "../files/file-names.ts";
import { fieldsOf, integerOf, listOf, mismatch, offsetOf, textOf } from "../files/parsed-json.ts";
import type { ProducedBatch, ProducerEntry } from "./producer-state.ts";
import { formatTransactions, parseTransactions } from "./transaction-snapshot.ts";
import type { Transactions } from "./transaction-state.ts";

/** Version 1 knew no transactions, as there were none. */
const VERSION = 2;

export interface ProducerSnapshot {
  /** Everything below was taken into account. */
  readonly offset: number;
  /** Who was heard of longest ago comes first. */
  readonly producers: readonly ProducerEntry[];
  /** `null`: the log has had none. */
  readonly transactions: Transactions | null;
}

export function producerSnapshotFile(context: LogContext, offset: number): CheckpointFile<ProducerSnapshot> {
  const { env, folder, place } = context;
  return new CheckpointFile({
    disk: env.disk,
    faults: env.faults,
    path: snapshotPath(folder, offset),
    name: "producer_snapshot",
    site: place,
    version: VERSION,
    parse: (payload) => {
      const { topicId, place } = context;
      return parseProducerSnapshot(payload, { topicId, partition: place.partition }, offset);
    },
    format: (snapshot) => formatSnapshot(snapshot, context),
  });
}

function formatSnapshot(
  { offset, producers, transactions }: ProducerSnapshot,
  { topicId, place }: LogContext,
): unknown {
  return {
    topic_id: topicId,
    partition: place.partition,
    offset,
    producers: producers.map(({ producerId, producerEpoch, lastSeenMs, batches }) => ({
      producer_id: producerId,
      producer_epoch: producerEpoch,
      last_seen_ms: lastSeenMs,
      // Without names: a snapshot may hold many.
      batches: batches.map((batch) => [
        batch.baseSequence,
        batch.baseOffset,
        batch.nextOffset,
        batch.contentCrc,
        batch.appendTimeMs,
      ]),
    })),
    ...(transactions !== null && { transactions: formatTransactions(transactions) }),
  };
}

/** The snapshot of a checkpoint's payload, which must be that of `offset`. Throws an Error that says what is wrong. */
export function parseProducerSnapshot(
  payload: unknown,
  { topicId, partition }: { readonly topicId: string; readonly partition: number },
  offset: number,
): ProducerSnapshot {
  const fields = fieldsOf(payload, "the snapshot");
  const owner = textOf(fields.get("topic_id"), "topic_id");
  if (owner !== topicId) throw new Error(`it belongs to topic id ${owner}, expected ${topicId}`);
  integerOf(fields.get("partition"), "partition", { min: partition, max: partition });
  integerOf(fields.get("offset"), "offset", { min: offset, max: offset });
  const producers = listOf(fields.get("producers"), "producers").map((value) => parseProducer(value, offset));
  const ids = new Set(producers.map(({ producerId }) => producerId));
  if (ids.size !== producers.length) throw new Error("it names a producer twice");
  const written = fields.get("transactions");
  const transactions = written === undefined ? null : parseTransactions(written, offset);
  return { offset, producers, transactions };
}

function parseProducer(value: unknown, offset: number): ProducerEntry {
  const fields = fieldsOf(value, "a producer");
  const batches = listOf(fields.get("batches"), "batches").map((batch) => parseBatch(batch));
  integerOf(batches.length, "the number of batches", { min: 0, max: LIMITS.batchesPerProducerMax });
  let end = 0;
  for (const { baseOffset, nextOffset } of batches) {
    if (baseOffset < end || nextOffset <= baseOffset || nextOffset > offset)
      throw new Error(
        `a batch from ${baseOffset} to ${nextOffset} cannot be in a log from ${end} to ${offset}`,
      );
    end = nextOffset;
  }
  return {
    producerId: offsetOf(fields.get("producer_id"), "producer_id"),
    producerEpoch: integerOf(fields.get("producer_epoch"), "producer_epoch", {
      min: 0,
      max: PRODUCER_EPOCH_MAX,
    }),
    lastSeenMs: integerOf(fields.get("last_seen_ms"), "last_seen_ms", {
      min: Number.MIN_SAFE_INTEGER,
      max: Number.MAX_SAFE_INTEGER,
    }),
    batches,
  };
}

function parseBatch(value: unknown): ProducedBatch {
  const columns = listOf(value, "a batch");
  if (columns.length !== 5) throw mismatch(columns.length, "the number of a batch's columns", "5");
  const [baseSequence, baseOffset, nextOffset, contentCrc, appendTimeMs] = columns;
  return {
    baseSequence: integerOf(baseSequence, "a base sequence", { min: 0, max: SEQUENCES - 1 }),
    baseOffset: offsetOf(baseOffset, "a base offset"),
    nextOffset: offsetOf(nextOffset, "a next offset"),
    contentCrc:
      contentCrc === null ? null : integerOf(contentCrc, "a content CRC", { min: 0, max: 2 ** 32 - 1 }),
    appendTimeMs: appendTimeMs === null ? null : offsetOf(appendTimeMs, "an append time"),
  };
}

/** The offsets of a manifest's snapshots, or `null` when it has none. */
export function snapshotOffsetsOf(value: unknown): readonly number[] | null {
  if (value === undefined) return null;
  return listOf(value, "producer_snapshots").map((offset) => offsetOf(offset, "a snapshot's offset"));
}

/** Why `offsets` cannot be those of snapshots in a log whose recovery point is `recoveryPoint`, or `null`. */
export function snapshotsProblem(offsets: readonly number[] | null, recoveryPoint: number): string | null {
  let above = -1;
  for (const offset of offsets ?? []) {
    if (offset <= above || offset > recoveryPoint)
      return `a snapshot of ${offset} follows that of ${above}, and the recovery point is ${recoveryPoint}`;
    above = offset;
  }
  return null;
}
