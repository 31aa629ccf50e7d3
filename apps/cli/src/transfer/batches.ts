/** From the records that were read to the batches that are written. */
import type { StoredRecord } from "@minikafka/record";

/** Below Kafka's default for max.message.bytes, 1,048,588, also where nothing is compressed. */
const BATCH_BYTES_MAX = 900_000;
/** Lengths, deltas and the batch's share of its header, at most. */
const RECORD_OVERHEAD_BYTES = 40;
const HEADER_OVERHEAD_BYTES = 10;
/** Of a character in UTF-8. */
const CHARACTER_BYTES_MAX = 3;

/** At most. */
export function recordBytes({ key, value, headers }: StoredRecord): number {
  const inHeaders = headers.reduce(
    (sum, header) =>
      sum + CHARACTER_BYTES_MAX * header.key.length + (header.value?.length ?? 0) + HEADER_OVERHEAD_BYTES,
    0,
  );
  return (key?.length ?? 0) + (value?.length ?? 0) + inHeaders + RECORD_OVERHEAD_BYTES;
}

/** In their order; a record that is larger than a batch may be has one for itself. */
export function batchesOf(records: readonly StoredRecord[]): StoredRecord[][] {
  const batches: StoredRecord[][] = [];
  let bytes = Infinity;
  for (const record of records) {
    const ownBytes = recordBytes(record);
    if (bytes + ownBytes > BATCH_BYTES_MAX) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(record);
    bytes += ownBytes;
  }
  return batches;
}

/** Kafka counts a producer's records in a partition with an int32, from 0, and then from 0 again (DefaultRecordBatch.incrementSequence). */
const SEQUENCES = 2 ** 31;

/** The number of the record behind a batch of so many. */
export function sequenceAfter(sequence: number, records: number): number {
  return (sequence + records) % SEQUENCES;
}
