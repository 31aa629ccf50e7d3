/** Records as they travel from one cluster to another: read as committed, written as they were. */
import type { Codec, Record, StoredRecord } from "@minikafka/record";
import type { Place } from "./cluster-address.ts";
import { type BatchSender, batchesIn, encodeBatch, type KafkaBatch, recordsOf } from "./kafka-batch.ts";
import type { KafkaLink } from "./kafka-link.ts";
import { problemOf } from "./kafka-problem.ts";
import { exchange, requireNoError } from "./own-messages.ts";

export interface Chunk {
  readonly records: readonly StoredRecord[];
  /** Where reading goes on: past what was left out as well, such as the markers of transactions and what they aborted. */
  readonly nextOffset: number;
}

/** The last version that names topics by their names. */
const FETCH_VERSION = 12;
const READ_UNCOMMITTED = 0;
const READ_COMMITTED = 1;
const FETCH_BYTES = 1024 * 1024;

/** At most about a megabyte, or one batch that is larger. `"gone"` where the log no longer has, or never had, that offset. */
export async function readChunk(
  link: KafkaLink,
  place: Place,
  offset: number,
  waitMs: number,
): Promise<Chunk | "gone"> {
  const read = await fetched(link, place, {
    offset,
    waitMs,
    isolation: READ_COMMITTED,
    bytesMax: FETCH_BYTES,
  });
  if (read === "gone") return "gone";
  const { batches, aborted } = read;
  return {
    // A batch comes as a whole, also where it begins before what was asked for.
    records: committed(batches, aborted)
      .flatMap(recordsOf)
      .filter((record) => record.offset >= offset),
    nextOffset: Math.max(offset, batches.at(-1)?.nextOffset ?? offset),
  };
}

/** The batch that has `offset`, or the first one behind it, whoever has written it; `null` where none comes within `waitMs`. */
export async function batchAt(
  link: KafkaLink,
  place: Place,
  offset: number,
  waitMs: number,
): Promise<KafkaBatch | null> {
  // The first batch comes as a whole, however few bytes are asked for (KIP-74).
  const read = await fetched(link, place, { offset, waitMs, isolation: READ_UNCOMMITTED, bytesMax: 1 });
  if (read === "gone") return null;
  return read.batches.find(({ nextOffset }) => nextOffset > offset) ?? null;
}

interface Asked {
  readonly offset: number;
  readonly waitMs: number;
  readonly isolation: number;
  readonly bytesMax: number;
}

interface Fetched {
  readonly batches: readonly KafkaBatch[];
  readonly aborted: readonly AbortedTransaction[];
}

async function fetched(
  link: KafkaLink,
  { topic, partition }: Place,
  { offset, waitMs, isolation, bytesMax }: Asked,
): Promise<Fetched | "gone"> {
  const { kafkaClient: library } = link;
  const place = { partition, fetchOffset: offset, partitionMaxBytes: bytesMax };
  const request = {
    ...{ maxWaitMs: waitMs, minBytes: 1, maxBytes: bytesMax, isolationLevel: isolation },
    topics: [{ topic, partitions: [place] }],
  };
  const leader = { kind: "leader", topic, partition } as const;
  return await link.ask(`reading ${topic} [${partition}] from ${offset}`, leader, async (connection) => {
    const answer = await exchange(library, connection, "Fetch", FETCH_VERSION, request);
    requireNoError(library, answer.errorCode);
    const read = answer.responses[0]?.partitions[0];
    try {
      requireNoError(library, read?.errorCode ?? 0);
    } catch (error) {
      if (problemOf(error).error === "OFFSET_OUT_OF_RANGE") return "gone";
      throw error;
    }
    const batches = batchesIn(read?.records ?? Buffer.alloc(0), library.crc32c);
    return { batches, aborted: read?.abortedTransactions ?? [] };
  });
}

export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

type Abortable = Pick<KafkaBatch, "nextOffset" | "producerId" | "isTransactional" | "isControl">;

/** KIP-98: a transaction that was aborted is named by its producer and its first offset, and ends at its marker. */
export function committed<Batch extends Abortable>(
  batches: readonly Batch[],
  aborted: readonly AbortedTransaction[],
): Batch[] {
  const ahead = aborted.toSorted((one, other) => one.firstOffset - other.firstOffset);
  const open = new Set<string>();
  return batches.filter((batch) => {
    while (ahead[0] !== undefined && ahead[0].firstOffset < batch.nextOffset) {
      open.add(String(ahead[0].producerId));
      ahead.shift();
    }
    if (batch.isControl) {
      open.delete(batch.producerId);
      return false;
    }
    return !batch.isTransactional || !open.has(batch.producerId);
  });
}

export type ProducerIdentity = Omit<BatchSender, "sequence">;

export async function newProducer(link: KafkaLink): Promise<ProducerIdentity> {
  const { api } = link.kafkaClient.initProducerIdV4;
  const answer = await link.ask("asking for a producer id", { kind: "any" }, (connection) =>
    api.async(connection, null, 0, -1n, -1),
  );
  return { producerId: answer.producerId, producerEpoch: answer.producerEpoch };
}

export interface OutgoingBatch extends Place {
  readonly records: readonly Record[];
  readonly sender: BatchSender;
  readonly compression: Codec;
}

/** The first with flexible headers; later ones bring transactions only. */
const PRODUCE_VERSION = 9;
const ACKS_ALL = -1;
const APPEND_MS_MAX = 30_000;

/** Appends one batch, as a whole or not at all; `"known"` where the cluster has it and does not say where. Resolves with its first offset. */
export async function writeBatch(link: KafkaLink, batch: OutgoingBatch): Promise<number | "known"> {
  const { topic, partition, records, sender, compression } = batch;
  const { kafkaClient: library } = link;
  // Encoded once: what is sent again is the same.
  const bytes = encodeBatch(records, sender, compression, library.crc32c);
  const request = {
    ...{ transactionalId: null, acks: ACKS_ALL, timeoutMs: APPEND_MS_MAX },
    topicData: [{ name: topic, partitionData: [{ index: partition, records: bytes }] }],
  };
  const leader = { kind: "leader", topic, partition } as const;
  const count = `${records.length} ${records.length === 1 ? "record" : "records"}`;
  const what = `writing ${count} to ${topic} [${partition}]`;
  return await link.ask(what, leader, async (connection) => {
    const answer = await exchange(library, connection, "Produce", PRODUCE_VERSION, request);
    const written = answer.responses[0]?.partitionResponses[0];
    try {
      requireNoError(library, written?.errorCode ?? 0, written?.errorMessage);
    } catch (error) {
      if (problemOf(error).error === "DUPLICATE_SEQUENCE_NUMBER") return "known";
      throw error;
    }
    return written === undefined ? "known" : written.baseOffset;
  });
}
