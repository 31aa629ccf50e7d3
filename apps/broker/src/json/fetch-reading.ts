/**
 * One pass over the partitions of a fetch, within its budget of bytes and records.
 *
 * Owns what is left of the budget. A partition that comes after it is used up is read for its marks alone.
 */
import type { BrokerCluster, FetchResult, TopicPartition } from "@minikafka/core";
import { encodeBase64, type ParsedRequest, type ResponseFields } from "@minikafka/protocol";
import { decodeRecords, type StoredRecord, splitFrames } from "@minikafka/record";

type FetchOptions = Pick<ParsedRequest<"fetch">, "max_records" | "max_bytes" | "isolation" | "encoding">;
type FetchedPartition = ResponseFields<"fetch">;
type FetchedRecord = NonNullable<FetchedPartition["records"]>[number];

export class FetchReading {
  readonly #cluster: BrokerCluster;
  readonly #options: FetchOptions;
  #bytesLeft: number;
  #recordsLeft: number;

  constructor(cluster: BrokerCluster, options: FetchOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#bytesLeft = options.max_bytes;
    this.#recordsLeft = options.max_records;
  }

  /** Bytes of batches that were read so far. */
  get bytesRead(): number {
    return this.#options.max_bytes - this.#bytesLeft;
  }

  /** Reads on from `offset`, at most `bytesMax` of what is left. Throws what the kernel refuses. */
  read(place: TopicPartition, offset: number, bytesMax = this.#options.max_bytes): FetchedPartition {
    const { isolation, encoding } = this.#options;
    const isSpent = encoding === "records" && this.#recordsLeft === 0;
    const bytes = isSpent ? 0 : Math.max(0, Math.min(bytesMax, this.#bytesLeft));
    const { topic, partition } = place;
    const result = this.#cluster.fetch({ topic, partition }, offset, { bytesMax: bytes, isolation });
    this.#bytesLeft -= result.batches.length;
    const marks = {
      high_watermark: result.highWatermark,
      last_stable_offset: result.lastStableOffset,
      log_start_offset: result.logStartOffset,
    };
    if (encoding === "batch") {
      return { ...marks, next_offset: result.nextOffset, batches_b64: encodeBase64(result.batches) };
    }
    const { records, nextOffset } = this.#decode(result, offset);
    return { records, ...marks, next_offset: nextOffset };
  }

  #decode(result: FetchResult, offset: number): { records: FetchedRecord[]; nextOffset: number } {
    const records: FetchedRecord[] = [];
    for (const frame of splitFrames(result.batches)) {
      for (const record of decodeRecords(frame)) {
        // A batch comes whole; what lies below the offset was not asked for.
        if (record.offset < offset) continue;
        if (this.#recordsLeft === 0) return { records, nextOffset: record.offset };
        this.#recordsLeft -= 1;
        records.push(onTheWire(record));
      }
    }
    return { records, nextOffset: result.nextOffset };
  }
}

function nullableBase64(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : encodeBase64(bytes);
}

function onTheWire({ offset, key, value, timestampMs, headers }: StoredRecord): FetchedRecord {
  return {
    offset,
    key_b64: nullableBase64(key),
    value_b64: nullableBase64(value),
    timestamp_ms: timestampMs,
    headers: headers.map((header) => ({ key: header.key, value_b64: nullableBase64(header.value) })),
  };
}
