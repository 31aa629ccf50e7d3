/**
 * One pass over the partitions of a fetch, within its budget of bytes and records.
 *
 * Owns what is left of the budget. A partition that comes after it is used up is read for its marks alone. Only the first
 * batch of the whole answer may be larger than the budget; a later one that does not fit is left for the next fetch.
 */
import type { BrokerCluster, FetchResult, TopicPartition } from "@minikafka/core";
import { encodeBase64, type ParsedRequest, type ResponseFields } from "@minikafka/protocol";
import { decodeRecords, readBatchHeader, type StoredRecord } from "@minikafka/record";

type FetchOptions = Pick<ParsedRequest<"fetch">, "max_records" | "max_bytes" | "isolation" | "encoding">;
type FetchedPartition = ResponseFields<"fetch">;
type FetchedRecord = NonNullable<FetchedPartition["records"]>[number];

const NO_BATCHES = Buffer.alloc(0);

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
    const result = this.#fetch(place, offset, bytesMax);
    const marks = {
      high_watermark: result.highWatermark,
      last_stable_offset: result.lastStableOffset,
      log_start_offset: result.logStartOffset,
    };
    if (this.#options.encoding === "batch") {
      return { ...marks, next_offset: result.nextOffset, batches_b64: result.batches };
    }
    const { records, nextOffset } = this.#decode(result, offset);
    return { records, ...marks, next_offset: nextOffset };
  }

  #fetch({ topic, partition }: TopicPartition, offset: number, bytesMax: number): FetchResult {
    const { isolation, encoding } = this.#options;
    const isSpent = encoding === "records" && this.#recordsLeft === 0;
    const budget = isSpent ? 0 : Math.max(0, Math.min(bytesMax, this.#bytesLeft));
    const result = this.#cluster.fetch({ topic, partition }, offset, { bytesMax: budget, isolation });
    const isFirst = this.bytesRead === 0;
    if (result.batches.length > this.#bytesLeft && !isFirst) {
      this.#bytesLeft = 0;
      return { ...result, batches: NO_BATCHES, nextOffset: offset };
    }
    this.#bytesLeft -= result.batches.length;
    return result;
  }

  #decode(result: FetchResult, offset: number): { records: FetchedRecord[]; nextOffset: number } {
    const records: FetchedRecord[] = [];
    for (const frame of framesOf(result.batches)) {
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

/** The frames of a fetch one by one. The kernel has checked them; here they are only told apart. */
function* framesOf(batches: Buffer): Iterable<Buffer> {
  for (let position = 0; position < batches.length; ) {
    const { frameBytes } = readBatchHeader(batches, position);
    yield batches.subarray(position, position + frameBytes);
    position += frameBytes;
  }
}

function nullableBase64(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : encodeBase64(bytes);
}

export function onTheWire({ offset, key, value, timestampMs, headers }: StoredRecord): FetchedRecord {
  return {
    offset,
    key_b64: nullableBase64(key),
    value_b64: nullableBase64(value),
    timestamp_ms: timestampMs,
    headers: headers.map((header) => ({ key: header.key, value_b64: nullableBase64(header.value) })),
  };
}
