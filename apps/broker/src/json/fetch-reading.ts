/**
 * One pass over the partitions of a fetch, within its budget of bytes and records.
 *
 * Owns what is left of the budget. A partition that comes after it is used up is read for its marks alone. Only the first
 * batch of the whole answer may be larger than the budget; a later one that does not fit is left for the next fetch. Bytes are
 * counted as they were read, also of records that are not shown; records are counted as they are shown.
 */
import type { BrokerCluster, FetchResult, TopicPartition } from "@minikafka/core";
import { encodeBase64, type ParsedRequest, type ResponseFields } from "@minikafka/protocol";
import type { StoredRecord } from "@minikafka/record";
import { type AbortedRange, shownRecords } from "./shown-records.ts";

type FetchOptions = Pick<ParsedRequest<"fetch">, "max_records" | "max_bytes" | "isolation" | "encoding">;
type FetchedPartition = ResponseFields<"fetch">;
type FetchedRecord = NonNullable<FetchedPartition["records"]>[number];
type ShownPart = Pick<FetchedPartition, "records" | "next_offset">;

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
    if (this.#options.encoding === "records") return { ...marks, ...this.#shown(result, offset) };
    return {
      ...marks,
      next_offset: result.nextOffset,
      batches_b64: result.batches,
      ...(this.#options.isolation === "read_committed" && {
        aborted_transactions: result.abortedTransactions.map(abortedFields),
      }),
    };
  }

  #fetch({ topic, partition }: TopicPartition, offset: number, bytesMax: number): FetchResult {
    const { isolation, encoding } = this.#options;
    const isSpent = encoding === "records" && this.#recordsLeft === 0;
    const budget = isSpent ? 0 : Math.max(0, Math.min(bytesMax, this.#bytesLeft));
    const result = this.#cluster.fetch({ topic, partition }, offset, { bytesMax: budget, isolation });
    const isFirst = this.bytesRead === 0;
    if (result.batches.length > this.#bytesLeft && !isFirst) {
      this.#bytesLeft = 0;
      return { ...result, batches: NO_BATCHES, abortedTransactions: [], nextOffset: offset };
    }
    this.#bytesLeft -= result.batches.length;
    return result;
  }

  #shown(result: FetchResult, offset: number): ShownPart {
    const shown = shownRecords(result.batches, offset, this.#recordsLeft, result.abortedTransactions);
    this.#recordsLeft -= shown.records.length;
    return { records: shown.records.map(onTheWire), next_offset: shown.nextOffset ?? result.nextOffset };
  }
}

function abortedFields({ producerId, firstOffset, lastOffset }: AbortedRange) {
  return { producer_id: producerId, first_offset: firstOffset, last_offset: lastOffset };
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
