/** Kafka's batches, for tests that send and read them. */
import { type BatchContent, decodeRecords, encodeBatch } from "@minikafka/record";
import { batchesOfFrames } from "../../src/kafka/batches/batches-of-frames.ts";
import { frameOfBatch } from "../../src/kafka/batches/frame-of-batch.ts";

const MAGIC_2_VERSION = 11;
const LENGTH_AT = 8;
const PREFIX_BYTES = 12;

/** One batch, as a producer sends it; `timesMs` of all its records, or of each. */
export function kafkaBatch(
  values: readonly string[],
  producer: Partial<
    Pick<BatchContent, "producerId" | "producerEpoch" | "baseSequence" | "transactional">
  > = {},
  timesMs: number | readonly number[] = Date.now(),
): Buffer {
  const records = values.map((value, index) => ({
    key: null,
    value: Buffer.from(value),
    timestampMs: typeof timesMs === "number" ? timesMs : (timesMs[index] ?? 0),
    headers: [],
  }));
  const batch = Buffer.from(batchesOfFrames(encodeBatch({ ...producer, records })).batches);
  // Only a broker knows where it stands.
  batch.writeBigInt64BE(0n, 0);
  return batch;
}

/** What a fetch brought, batch by batch: where each begins, and its values. */
export function kafkaValues(
  records: Buffer | null,
): { readonly baseOffset: number; readonly values: string[] }[] {
  const found: { readonly baseOffset: number; readonly values: string[] }[] = [];
  for (let at = 0; records !== null && at < records.length; ) {
    const bytes = PREFIX_BYTES + records.readInt32BE(at + LENGTH_AT);
    const batch = Buffer.from(records.subarray(at, at + bytes));
    const baseOffset = Number(batch.readBigInt64BE(0));
    batch.writeBigInt64BE(0n, 0);
    const values = [...decodeRecords(frameOfBatch(batch, MAGIC_2_VERSION))].map(({ value }) => String(value));
    found.push({ baseOffset, values });
    at += bytes;
  }
  return found;
}
